package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const transformSignature = "func(re, im *float64, n int, tw *float64)"

// forward writes the decimation-in-frequency transform of length n, in place, of eight columns at once: radix-4 stages of
// span n, n/4, ... while the span is at least 8, then one of span 4 or 2 without twiddles. The output is digit-reversed.
func forward(w width) {
	name := "forward" + w.suffix
	TEXT(name, NOSPLIT, transformSignature)
	Doc(name + " transforms eight interleaved columns of n rows in place; the output is digit-reversed.")
	s := newStages(name)
	MOVQ(s.size, s.span)
	Label(name + "_stage")
	CMPQ(s.span, U32(4*rowBytes))
	JLE(LabelRef(name + "_last"))
	s.eachTwiddle(w, func(l, m legs, t twiddle) {
		yr, yi := butterfly(w, load4(w, l), load4(w, m), -1)
		for i := range t {
			yr[i+1], yi[i+1] = times(w, yr[i+1], yi[i+1], t[i])
		}
		store4(l, yr)
		store4(m, yi)
	})
	SHRQ(Imm(2), s.span)
	JMP(LabelRef(name + "_stage"))
	Label(name + "_last")
	s.plain(w, -1)
	VZEROUPPER()
	RET()
}

// inverse mirrors forward: decimation in time with conjugate twiddles, digit-reversed in, natural out, not scaled.
func inverse(w width) {
	name := "inverse" + w.suffix
	TEXT(name, NOSPLIT, transformSignature)
	Doc(name + " undoes forward but for a factor n; the input is digit-reversed.")
	s := newStages(name)
	// the first span is 4 when log2 n is even, else 2
	POPCNTQ(evenBits(s.size), s.span)
	SHLQ(Imm(1), s.span)
	ADDQ(Imm(2), s.span)
	SHLQ(Imm(6), s.span)
	s.plain(w, 1)
	Label(name + "_stage")
	CMPQ(s.span, s.size)
	JGE(LabelRef(name + "_done"))
	SHLQ(Imm(2), s.span)
	s.eachTwiddle(w, func(l, m legs, t twiddle) {
		re, im := load4(w, l), load4(w, m)
		for i := range t {
			re[i+1], im[i+1] = times(w, re[i+1], im[i+1], t[i])
		}
		yr, yi := butterfly(w, re, im, 1)
		store4(l, yr)
		store4(m, yi)
	})
	JMP(LabelRef(name + "_stage"))
	Label(name + "_done")
	VZEROUPPER()
	RET()
}

// evenBits masks the power of two n rowBytes so that a bit remains when log2 n is even.
func evenBits(size reg.GPVirtual) reg.GPVirtual {
	m := GP64()
	MOVQ(U64(0x5555555555555555), m) // bit 6 of size is n = 1
	ANDQ(size, m)
	return m
}

// stages holds what the loops of one transform share. span and size are in bytes.
type stages struct {
	name       string
	col        column
	size, span reg.GPVirtual
	tw         reg.GPVirtual
}

func newStages(name string) *stages {
	s := &stages{name: name, span: GP64()}
	s.col.re = Load(Param("re"), GP64()).(reg.GPVirtual)
	s.col.im = Load(Param("im"), GP64()).(reg.GPVirtual)
	s.size = Load(Param("n"), GP64()).(reg.GPVirtual)
	s.tw = Load(Param("tw"), GP64()).(reg.GPVirtual)
	SHLQ(Imm(6), s.size)
	return s
}

// eachTwiddle runs body on every butterfly of one stage: for each row j of the first quarter its twiddle is loaded once, then
// the butterflies of all spans that use it follow.
func (s *stages) eachTwiddle(w width, body func(re, im legs, t twiddle)) {
	q, q3, j, b := GP64(), GP64(), GP64(), GP64()
	re, im := GP64(), GP64()
	MOVQ(s.span, q)
	SHRQ(Imm(2), q)
	LEAQ(Mem{Base: q, Index: q, Scale: 2}, q3)
	XORQ(j, j)
	Label(s.name + "_j")
	t := loadTwiddle(w, s.tw)
	MOVQ(j, b)
	Label(s.name + "_b")
	LEAQ(Mem{Base: s.col.re, Index: b, Scale: 1}, re)
	LEAQ(Mem{Base: s.col.im, Index: b, Scale: 1}, im)
	for _, part := range w.parts() {
		body(legs{re, q, q3, part}, legs{im, q, q3, part}, t)
	}
	ADDQ(s.span, b)
	CMPQ(b, s.size)
	JL(LabelRef(s.name + "_b"))
	ADDQ(U32(rowBytes), j)
	CMPQ(j, q)
	JL(LabelRef(s.name + "_j"))
}

// plain is the stage without twiddles, of span 4 or 2.
func (s *stages) plain(w width, sign int) {
	b, re, im := GP64(), GP64(), GP64()
	MOVQ(s.col.re, re)
	MOVQ(s.col.im, im)
	XORQ(b, b)
	CMPQ(s.span, U32(2*rowBytes))
	JE(LabelRef(s.name + "_two"))
	q, q3 := GP64(), GP64()
	MOVQ(U32(rowBytes), q)
	MOVQ(U32(3*rowBytes), q3)
	Label(s.name + "_four")
	for _, part := range w.parts() {
		l, m := legs{re, q, q3, part}, legs{im, q, q3, part}
		yr, yi := butterfly(w, load4(w, l), load4(w, m), sign)
		store4(l, yr)
		store4(m, yi)
	}
	column{re, im}.advance(U32(4 * rowBytes))
	ADDQ(U32(4*rowBytes), b)
	CMPQ(b, s.size)
	JL(LabelRef(s.name + "_four"))
	JMP(LabelRef(s.name + "_plain"))
	Label(s.name + "_two")
	for _, p := range []reg.GPVirtual{re, im} {
		for _, part := range w.parts() {
			x, y := w.vec(), w.vec()
			VMOVUPD(Mem{Base: p, Disp: part}, x)
			VMOVUPD(Mem{Base: p, Disp: part + rowBytes}, y)
			sumDiff(w, &x, &y)
			VMOVUPD(x, Mem{Base: p, Disp: part})
			VMOVUPD(y, Mem{Base: p, Disp: part + rowBytes})
		}
	}
	column{re, im}.advance(U32(2 * rowBytes))
	ADDQ(U32(2*rowBytes), b)
	CMPQ(b, s.size)
	JL(LabelRef(s.name + "_two"))
	Label(s.name + "_plain")
}
