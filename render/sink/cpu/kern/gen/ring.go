package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Byte offsets of the fields of kern.Ring.
const (
	ringX0    = 0
	ringY0    = 8
	ringX1    = 16
	ringY1    = 24
	ringLeast = 32
	ringMost  = 40
	ringJ0    = 48
	ringJ1    = 56
	ringC0    = 64
	ringC1    = 72
	ringSlack = 80
)

// ring emits the disc common to all circles around points of a box and the disc that holds them all, four rows at a time.
func (a *asm) ring() {
	a.function("ring", "func(common *byte, reach *byte, n int, r *byte) int")
	a.Doc("fills the common and the reached spans of n rows and returns the common pixels.")
	common, reach, n, r := a.pointer("common"), a.pointer("reach"), a.pointer("n"), a.pointer("r")
	field := func(offset int) reg.VecVirtual { return a.broadcast(at(r, offset)) }
	j := a.rowNumbers(field(ringJ0))
	one, total, zero := a.constant(math.Float64bits(1)), a.vec(), a.vec()
	a.VXORPD(total, total, total)
	a.VXORPD(zero, zero, zero)

	loop := a.fresh("loop")
	a.Label(loop)
	above, below, far, near := a.vec(), a.vec(), a.vec(), a.vec()
	a.VSUBPD(field(ringY0), j, above)
	a.VSUBPD(j, field(ringY1), below)
	a.VMAXPD(above, below, far)
	a.VMINPD(above, below, near) // negative outside the box's rows: minus the distance to it
	a.VMINPD(zero, near, near)
	rows := a.before(j, field(ringJ1))

	half, slack, lo, hi := a.halfChord(field(ringLeast), far, zero), field(ringSlack), a.vec(), a.vec()
	a.VSUBPD(slack, half, half)
	a.VSUBPD(half, field(ringX1), lo)
	a.VADDPD(half, field(ringX0), hi)
	a.storeRing(lo, hi, rows, one, zero, total, r, common)

	half = a.halfChord(field(ringMost), near, zero)
	a.VADDPD(slack, half, half)
	a.VSUBPD(half, field(ringX0), lo)
	a.VADDPD(half, field(ringX1), hi)
	a.storeRing(lo, hi, rows, one, zero, nil, r, reach)

	a.ADDQ(operand.Imm(4*spanSize), common)
	a.ADDQ(operand.Imm(4*spanSize), reach)
	a.VADDPD(a.constant(math.Float64bits(4)), j, j)
	a.SUBQ(operand.Imm(4), n)
	a.JG(operand.LabelRef(loop))
	a.storeSum(total)
}

// halfChord is sqrt(radius^2 - d^2), zero where that is negative.
func (a *asm) halfChord(radius, d, zero reg.VecVirtual) reg.VecVirtual {
	h, d2 := a.vec(), a.vec()
	a.VMULPD(radius, radius, h)
	a.VMULPD(d, d, d2)
	a.VSUBPD(d2, h, h)
	a.VMAXPD(zero, h, h)
	a.VSQRTPD(h, h)
	return h
}

// storeRing rounds lo up and hi down, clips them to the columns and writes them; total, if any, grows by their pixels.
func (a *asm) storeRing(lo, hi, rows, one, zero, total reg.VecVirtual, r, out reg.Register) {
	a.VROUNDPD(operand.Imm(2), lo, lo)
	a.VROUNDPD(operand.Imm(1), hi, hi)
	count := a.clip(lo, hi, a.broadcast(at(r, ringC0)), a.broadcast(at(r, ringC1)), rows, one, zero)
	if total != nil {
		a.VADDPD(count, total, total)
	}
	a.storeSpans(lo, count, out)
}
