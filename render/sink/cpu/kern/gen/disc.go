package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
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
	x, s2, j := field(discX), field(discSupport), a.vec()
	a.VMULPD(s2, s2, s2)
	steps := a.StaticGlobal("steps")
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 4 {
		a.AddDatum(8*i, operand.F64(float64(i)))
	}
	a.VADDPD(steps, field(discJ0), j)
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

	x0 := field(discX0)
	a.VMAXPD(x0, lo, lo)
	a.VMINPD(field(discX1), hi, hi)
	count, inside := a.vec(), a.vec()
	a.VSUBPD(lo, hi, count)
	a.VADDPD(one, count, count)
	a.VMAXPD(zero, count, count)
	a.VCMPPD(leOrdered, field(discJ1), j, inside)
	a.VANDPD(inside, count, count)
	a.VADDPD(count, total, total)
	a.VSUBPD(x0, lo, lo)

	first, length, pairs := a.XMM(), a.XMM(), a.XMM()
	a.VCVTTPD2DQY(lo, first)
	a.VCVTTPD2DQY(count, length)
	a.VPUNPCKLDQ(length, first, pairs)
	a.VMOVDQU(pairs, at(out, 0))
	a.VPUNPCKHDQ(length, first, pairs)
	a.VMOVDQU(pairs, at(out, 16))
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
