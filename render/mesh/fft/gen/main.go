// Command gen writes the vector kernels of package fft: go generate ./render/mesh/fft runs it. Each kernel comes at two widths,
// AVX2 with FMA and AVX-512F; both read and write rows of eight float64, so that the data layout does not depend on the width.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowBytes is the size of a row: eight transforms side by side, one float64 each.
const rowBytes = 64

// A width is a vector size: its suffix, its bytes and its register allocator.
type width struct {
	suffix string
	bytes  int
	vec    func() reg.VecVirtual
}

// parts lists the byte offsets at which a row is cut into vectors.
func (w width) parts() []int {
	var at []int
	for o := 0; o < rowBytes; o += w.bytes {
		at = append(at, o)
	}
	return at
}

func main() {
	for _, w := range []width{{"256", 32, YMM}, {"512", 64, ZMM}} {
		forward(w)
		inverse(w)
		multiplyAdd(w)
		combine(w, false)
		combine(w, true)
		copyRows(w)
		transpose(w)
		deposit(w)
	}
	Generate()
}

// A column is the pair of planes that a transform works on.
type column struct{ re, im reg.GPVirtual }

func (c column) advance(bytes Op) { ADDQ(bytes, c.re); ADDQ(bytes, c.im) }

// legs addresses four rows q bytes apart, part bytes into each.
type legs struct {
	base  reg.GPVirtual
	q, q3 reg.GPVirtual
	part  int
}

func (l legs) at(i int) Mem {
	m := Mem{Base: l.base, Disp: l.part}
	switch i {
	case 1:
		m.Index, m.Scale = l.q, 1
	case 2:
		m.Index, m.Scale = l.q, 2
	case 3:
		m.Index, m.Scale = l.q3, 1
	}
	return m
}

// A twiddle is w^j, w^2j, w^3j as three (re, im) pairs, each broadcast.
type twiddle [3][2]reg.VecVirtual

func loadTwiddle(w width, tw reg.GPVirtual) (t twiddle) {
	for i := range t {
		for k := range t[i] {
			t[i][k] = w.vec()
			VBROADCASTSD(Mem{Base: tw, Disp: (2*i + k) * 8}, t[i][k])
		}
	}
	ADDQ(Imm(48), tw)
	return t
}

// times returns (xr + i xi)(wr + i wi).
func times(w width, xr, xi reg.VecVirtual, t [2]reg.VecVirtual) (yr, yi reg.VecVirtual) {
	yr, yi = w.vec(), w.vec()
	VMULPD(t[0], xr, yr)
	VMULPD(t[1], xr, yi)
	VFNMADD231PD(t[1], xi, yr)
	VFMADD231PD(t[0], xi, yi)
	return yr, yi
}

// sumDiff replaces a by a+b and b by a-b.
func sumDiff(w width, a, b *reg.VecVirtual) {
	s := w.vec()
	VADDPD(*b, *a, s)
	VSUBPD(*b, *a, *b)
	*a = s
}

func load4(w width, l legs) (v [4]reg.VecVirtual) {
	for i := range v {
		v[i] = w.vec()
		VMOVUPD(l.at(i), v[i])
	}
	return v
}

// butterfly is the four-point transform of rows (a,b,c,d) of exponent sign s (-1 forward, +1 inverse): it returns
// y0 = a+b+c+d, y1 = (a-c) + s i(b-d), y2 = a-b+c-d, y3 = (a-c) - s i(b-d).
func butterfly(w width, re, im [4]reg.VecVirtual, sign int) (yr, yi [4]reg.VecVirtual) {
	sumDiff(w, &re[0], &re[2])
	sumDiff(w, &im[0], &im[2])
	sumDiff(w, &re[1], &re[3])
	sumDiff(w, &im[1], &im[3])
	// now 0: a+c, 2: a-c, 1: b+d, 3: b-d
	sumDiff(w, &re[0], &re[1])
	sumDiff(w, &im[0], &im[1])
	yr[0], yi[0], yr[2], yi[2] = re[0], im[0], re[1], im[1]
	pr, mr, pi, mi := w.vec(), re[2], w.vec(), im[2]
	VADDPD(im[3], re[2], pr) // (a-c) - i(b-d): re + im(b-d), im - re(b-d)
	VSUBPD(im[3], mr, mr)    // (a-c) + i(b-d)
	VADDPD(re[3], im[2], pi)
	VSUBPD(re[3], mi, mi)
	if sign < 0 {
		yr[1], yi[1], yr[3], yi[3] = pr, mi, mr, pi
	} else {
		yr[1], yi[1], yr[3], yi[3] = mr, pi, pr, mi
	}
	return yr, yi
}

func store4(l legs, v [4]reg.VecVirtual) {
	for i := range v {
		VMOVUPD(v[i], l.at(i))
	}
}
