package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func gp(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// multiplyAdd writes the products of spectra: acc and k hold rows of eight real, then eight imaginary parts.
func multiplyAdd(w width) {
	name := "multiplyAdd" + w.suffix
	TEXT(name, NOSPLIT, "func(acc, k, re, im *float64, n int)")
	Doc(name + " adds the complex products of n rows (re, im) with k to acc; acc and k have 16 float64 a row.")
	acc, k, re, im, n := gp("acc"), gp("k"), gp("re"), gp("im"), gp("n")
	Label(name + "_row")
	for _, p := range w.parts() {
		xr, xi, kr, ki, ar, ai := w.vec(), w.vec(), w.vec(), w.vec(), w.vec(), w.vec()
		VMOVUPD(Mem{Base: re, Disp: p}, xr)
		VMOVUPD(Mem{Base: im, Disp: p}, xi)
		VMOVUPD(Mem{Base: k, Disp: p}, kr)
		VMOVUPD(Mem{Base: k, Disp: p + rowBytes}, ki)
		VMOVUPD(Mem{Base: acc, Disp: p}, ar)
		VMOVUPD(Mem{Base: acc, Disp: p + rowBytes}, ai)
		VFMADD231PD(kr, xr, ar)
		VFMADD231PD(ki, xr, ai)
		VFNMADD231PD(ki, xi, ar)
		VFMADD231PD(kr, xi, ai)
		VMOVUPD(ar, Mem{Base: acc, Disp: p})
		VMOVUPD(ai, Mem{Base: acc, Disp: p + rowBytes})
	}
	ADDQ(U32(2*rowBytes), acc)
	ADDQ(U32(2*rowBytes), k)
	ADDQ(U32(rowBytes), re)
	ADDQ(U32(rowBytes), im)
	DECQ(n)
	JNE(LabelRef(name + "_row"))
	VZEROUPPER()
	RET()
}

// combine writes the finite impulse response filter: every row of dst is (or, when add, gains) the sum over k < taps of
// h[k] src[off[k]+i], i < n, where off counts float64 and n is a multiple of eight.
func combine(w width, add bool) {
	name := "combine" + w.suffix
	verb := "sets"
	if add {
		name, verb = "combineAdd"+w.suffix, "adds to"
	}
	TEXT(name, NOSPLIT, "func(dst, src *float64, off *int64, h *float64, taps, n, rows, dstStride, srcStride int)")
	Doc(name + " " + verb + " rows of n float64 of dst the sum over k of h[k] src[off[k]+i]; strides count float64.")
	dst, src, off, h := gp("dst"), gp("src"), gp("off"), gp("h")
	taps, n, rows := gp("taps"), gp("n"), gp("rows")
	ds, ss := gp("dstStride"), gp("srcStride")
	i, k, left, o := GP64(), GP64(), GP64(), GP64()
	Label(name + "_row")
	XORQ(i, i)
	MOVQ(n, left)
	step := func(vectors int, label string) {
		lanes := w.bytes / 8 * vectors
		Label(label)
		CMPQ(left, Imm(uint64(lanes)))
		JL(LabelRef(label + "_end"))
		acc := make([]reg.VecVirtual, vectors)
		for v := range acc {
			acc[v] = w.vec()
			if add {
				VMOVUPD(Mem{Base: dst, Index: i, Scale: 8, Disp: v * w.bytes}, acc[v])
			} else {
				VXORPD(acc[v].AsY(), acc[v].AsY(), acc[v].AsY())
			}
		}
		XORQ(k, k)
		Label(label + "_tap")
		MOVQ(Mem{Base: off, Index: k, Scale: 8}, o)
		ADDQ(i, o)
		t := w.vec()
		VBROADCASTSD(Mem{Base: h, Index: k, Scale: 8}, t)
		for v := range acc {
			VFMADD231PD(Mem{Base: src, Index: o, Scale: 8, Disp: v * w.bytes}, t, acc[v])
		}
		INCQ(k)
		CMPQ(k, taps)
		JL(LabelRef(label + "_tap"))
		for v := range acc {
			VMOVUPD(acc[v], Mem{Base: dst, Index: i, Scale: 8, Disp: v * w.bytes})
		}
		ADDQ(Imm(uint64(lanes)), i)
		SUBQ(Imm(uint64(lanes)), left)
		JMP(LabelRef(label))
		Label(label + "_end")
	}
	for _, v := range []int{8, 5, 2, 1} {
		step(v, fmt.Sprintf("%s_by%d", name, v))
	}
	LEAQ(Mem{Base: dst, Index: ds, Scale: 8}, dst)
	LEAQ(Mem{Base: src, Index: ss, Scale: 8}, src)
	DECQ(rows)
	JNE(LabelRef(name + "_row"))
	VZEROUPPER()
	RET()
}

// copyRows writes the gather and scatter of rows between a plane and a transform's columns.
func copyRows(w width) {
	name := "copyRows" + w.suffix
	TEXT(name, NOSPLIT, "func(dst, src *float64, dstStride, srcStride, n int)")
	Doc(name + " copies n rows of eight float64; strides count float64.")
	dst, src, ds, ss, n := gp("dst"), gp("src"), gp("dstStride"), gp("srcStride"), gp("n")
	Label(name + "_row")
	for _, p := range w.parts() {
		x := w.vec()
		VMOVUPD(Mem{Base: src, Disp: p}, x)
		VMOVUPD(x, Mem{Base: dst, Disp: p})
	}
	LEAQ(Mem{Base: dst, Index: ds, Scale: 8}, dst)
	LEAQ(Mem{Base: src, Index: ss, Scale: 8}, src)
	DECQ(n)
	JNE(LabelRef(name + "_row"))
	VZEROUPPER()
	RET()
}

// transpose writes 8 x 8 transposes, as quarters of 4 x 4 at either width: the shuffles are a small part of a transform.
func transpose(w width) {
	if w.bytes == 64 {
		return // the 256-bit kernel serves both
	}
	name := "transpose" + w.suffix
	TEXT(name, NOSPLIT, "func(dst, src *float64, dstStride, srcStride, dstStep, srcStep, n int)")
	Doc(name + " transposes n blocks of 8 x 8: row i of a block lies i*stride float64 on, the next block a step on.")
	dst, src, ds, ss := gp("dst"), gp("src"), gp("dstStride"), gp("srcStride")
	dstep, sstep, n := gp("dstStep"), gp("srcStep"), gp("n")
	for _, g := range []reg.GPVirtual{ds, ss, dstep, sstep} {
		SHLQ(Imm(3), g)
	}
	d3, s3 := GP64(), GP64()
	LEAQ(Mem{Base: ds, Index: ds, Scale: 2}, d3)
	LEAQ(Mem{Base: ss, Index: ss, Scale: 2}, s3)
	Label(name + "_block")
	s, d := GP64(), GP64()
	for half := 0; half < 2; half++ { // source rows 0..3, then 4..7
		MOVQ(src, s)
		if half == 1 {
			LEAQ(Mem{Base: src, Index: ss, Scale: 4}, s)
		}
		MOVQ(dst, d)
		for side := 0; side < 2; side++ { // source columns 0..3, then 4..7
			if side == 1 {
				LEAQ(Mem{Base: dst, Index: ds, Scale: 4}, d)
			}
			v := load4(w, legs{s, ss, s3, 32 * side})
			a, b, c, e := w.vec(), w.vec(), w.vec(), w.vec()
			VUNPCKLPD(v[1], v[0], a)
			VUNPCKHPD(v[1], v[0], b)
			VUNPCKLPD(v[3], v[2], c)
			VUNPCKHPD(v[3], v[2], e)
			var y [4]reg.VecVirtual
			for i := range y {
				y[i] = w.vec()
			}
			VPERM2F128(Imm(0x20), c, a, y[0])
			VPERM2F128(Imm(0x20), e, b, y[1])
			VPERM2F128(Imm(0x31), c, a, y[2])
			VPERM2F128(Imm(0x31), e, b, y[3])
			store4(legs{d, ds, d3, 32 * half}, y)
		}
	}
	ADDQ(dstep, dst)
	ADDQ(sstep, src)
	DECQ(n)
	JNE(LabelRef(name + "_block"))
	VZEROUPPER()
	RET()
}
