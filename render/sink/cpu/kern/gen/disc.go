package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Byte offsets of the fields of kern.Disc.
const (
	discX       = 0
	discY       = 8
	discSupport = 16
	discJ0      = 24
	discJ1      = 32
	discX0      = 40
	discX1      = 48
)

// spans emits the lit pixels of four rows at a time, psf.Disc.Row's method: a square root guesses each end of the run, which
// is off by less than one pixel, and the rounded test of spec section 6 settles it. Nothing is fused.
func (a *asm) spans() {
	a.function("spans", "func(out *byte, n int, d *byte) int")
	a.Doc("fills the spans of n rows and returns their pixels.")
	out, n, d := a.pointer("out"), a.pointer("n"), a.pointer("d")
	field := func(offset int) reg.VecVirtual { return a.broadcast(at(d, offset)) }
	x, s2, j := field(discX), field(discSupport), a.rowNumbers(field(discJ0))
	a.VMULPD(s2, s2, s2)
	one, total, zero := a.constant(math.Float64bits(1)), a.vec(), a.vec()
	a.VXORPD(total, total, total)
	a.VXORPD(zero, zero, zero)

	loop := a.fresh("loop")
	a.Label(loop)
	dy2, half, lo, hi := a.vec(), a.vec(), a.vec(), a.vec()
	a.VSUBPD(field(discY), j, dy2)
	a.VMULPD(dy2, dy2, dy2)
	a.VSUBPD(dy2, s2, half)
	a.VMAXPD(zero, half, half)
	a.VSQRTPD(half, half)
	a.VSUBPD(half, x, lo)
	a.VROUNDPD(operand.Imm(2), lo, lo) // up
	a.VADDPD(half, x, hi)
	a.VROUNDPD(operand.Imm(1), hi, hi) // down
	a.settle(lo, x, dy2, s2, one, true)
	a.settle(hi, x, dy2, s2, one, false)

	count := a.clip(lo, hi, field(discX0), field(discX1), a.before(j, field(discJ1)), one, zero)
	a.VADDPD(count, total, total)
	a.storeSpans(lo, count, out)
	a.ADDQ(operand.Imm(4*spanSize), out)
	a.VADDPD(a.constant(math.Float64bits(4)), j, j)
	a.SUBQ(operand.Imm(4), n)
	a.JG(operand.LabelRef(loop))

	a.storeSum(total)
}

// settle moves end by at most one pixel: outward if the next pixel is lit, inward if end itself is not.
func (a *asm) settle(end, x, dy2, s2, one reg.VecVirtual, low bool) {
	outer, inner := a.vec(), a.vec()
	if low {
		a.VSUBPD(one, end, outer)
		a.VADDPD(one, end, inner)
	} else {
		a.VADDPD(one, end, outer)
		a.VSUBPD(one, end, inner)
	}
	litEnd, litOuter := a.lit(end, x, dy2, s2), a.lit(outer, x, dy2, s2)
	a.VBLENDVPD(litEnd, end, inner, end)
	a.VBLENDVPD(litOuter, outer, end, end)
}

// lit is the test of spec section 6: (i-x)^2 + dy^2 <= s^2, each operation rounded.
func (a *asm) lit(i, x, dy2, s2 reg.VecVirtual) reg.VecVirtual {
	v := a.vec()
	a.VSUBPD(x, i, v)
	a.VMULPD(v, v, v)
	a.VADDPD(dy2, v, v)
	a.VCMPPD(leOrdered, s2, v, v)
	return v
}

// storeSum returns the sum of four lanes as an integer.
func (a *asm) storeSum(v reg.VecVirtual) {
	high, low, n := a.XMM(), v.AsX(), a.GP64()
	a.VEXTRACTF128(operand.Imm(1), v, high)
	a.VADDPD(high, low, low)
	a.VHADDPD(low, low, low)
	a.VCVTTSD2SIQ(low, n)
	a.VZEROUPPER()
	a.Store(n, a.ReturnIndex(0))
	a.RET()
}

// rowNumbers returns first, first+1, first+2, first+3.
func (a *asm) rowNumbers(first reg.VecVirtual) reg.VecVirtual {
	j := a.vec()
	a.VADDPD(a.steps, first, j)
	return j
}

// before is all ones in the lanes where j <= last.
func (a *asm) before(j, last reg.VecVirtual) reg.VecVirtual {
	v := a.vec()
	a.VCMPPD(leOrdered, last, j, v)
	return v
}

// clip cuts lo..hi to the columns x0..x1, makes lo relative to x0, and returns the number of pixels, zero outside the rows.
func (a *asm) clip(lo, hi, x0, x1, rows, one, zero reg.VecVirtual) (count reg.VecVirtual) {
	count = a.vec()
	a.VMAXPD(x0, lo, lo)
	a.VMINPD(x1, hi, hi)
	a.VSUBPD(lo, hi, count)
	a.VADDPD(one, count, count)
	a.VMAXPD(zero, count, count)
	a.VANDPD(rows, count, count)
	a.VSUBPD(x0, lo, lo)
	return count
}

// storeSpans writes four spans.
func (a *asm) storeSpans(lo, count reg.VecVirtual, out reg.Register) {
	first, length, pairs := a.XMM(), a.XMM(), a.XMM()
	a.VCVTTPD2DQY(lo, first)
	a.VCVTTPD2DQY(count, length)
	a.VPUNPCKLDQ(length, first, pairs)
	a.VMOVDQU(pairs, at(out, 0))
	a.VPUNPCKHDQ(length, first, pairs)
	a.VMOVDQU(pairs, at(out, 16))
}
