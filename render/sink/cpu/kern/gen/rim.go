package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Byte offsets of the fields of kern.Star, its size, and the distance between the columns of kern.Rim.
const (
	starX    = 0
	starY    = 8
	starS2   = 16
	starB    = 24
	starF    = 56
	starSize = 80

	rimColumn = 512 * 8 // kern.RimLen
	rimI      = 0
	rimJ      = 1
	rimK      = 2
	rimOut    = 6
)

// rim emits the pixels that only some events of a cell light: every lane is a pixel, every event is tested against it.
func (a *asm) rim() {
	a.function("rim", "func(r *byte, n int, stars *byte, m int) int")
	a.Doc("sums m events of a cell over n rim pixels and returns how many they light.")
	rim, n, stars, m := a.pointer("r"), a.pointer("n"), a.pointer("stars"), a.pointer("m")
	column := func(c int) operand.Mem { return at(rim, c*rimColumn) }
	star, left, count := a.GP64(), a.GP64(), a.GP64()
	a.XORQ(count, count)

	pixels, events := a.fresh("pixels"), a.fresh("events")
	a.Label(pixels)
	var sum [3]reg.VecVirtual
	for c := range sum {
		sum[c] = a.vec()
		a.VXORPD(sum[c], sum[c], sum[c])
	}
	i, j := a.vec(), a.vec()
	a.VMOVUPD(column(rimI), i)
	a.VMOVUPD(column(rimJ), j)
	a.MOVQ(stars, star)
	a.MOVQ(m, left)

	a.Label(events)
	field := func(offset int) reg.VecVirtual { return a.broadcast(at(star, offset)) }
	dx, dy, w := a.vec(), a.vec(), a.vec()
	a.VSUBPD(field(starX), i, dx)
	a.VMULPD(dx, dx, dx)
	a.VSUBPD(field(starY), j, dy)
	a.VMULPD(dy, dy, dy)
	a.VADDPD(dy, dx, dx)
	a.VMULPD(column(rimK), field(starB), w)
	for k := 1; k < 4; k++ {
		a.VFMADD231PD(column(rimK+k), field(starB+8*k), w)
	}
	a.keep(a.within(dx, field(starS2), count), w)
	for c := range sum {
		a.VFMADD231PD(field(starF+8*c), w, sum[c])
	}
	a.ADDQ(operand.Imm(starSize), star)
	a.DECQ(left)
	a.JNE(operand.LabelRef(events))

	for c := range sum {
		a.VMOVUPD(sum[c], column(rimOut+c))
	}
	a.ADDQ(operand.Imm(uint64(8*a.lanes)), rim)
	a.SUBQ(operand.Imm(uint64(a.lanes)), n)
	a.JG(operand.LabelRef(pixels))
	a.VZEROUPPER()
	a.Store(count, a.ReturnIndex(0))
	a.RET()
}

// within keeps the lanes where d2 <= s2 and adds their number to count.
func (a *asm) within(d2, s2 reg.VecVirtual, count reg.Register) mask {
	lit := a.GP32()
	var m mask
	if a.lanes == 8 {
		m.bits = a.K()
		a.VCMPPD(leOrdered, s2, d2, m.bits)
		a.KMOVB(m.bits, lit)
	} else {
		m.lanes = a.vec()
		a.VCMPPD(leOrdered, s2, d2, m.lanes)
		a.VMOVMSKPD(m.lanes, lit)
	}
	a.POPCNTL(lit, lit)
	a.ADDQ(lit.As64(), count)
	return m
}
