package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// stamp adds one event: w = b00 k00 + b10 k10 + b01 k01 + b11 k11 fused, then colour*w fused into the tile.
func (a *asm) stamp() {
	a.function("stamp", rowsSignature)
	a.Doc("adds one event to a tile in float64, fused.")
	var w []reg.VecVirtual
	a.rows(func(args reg.Register) {
		w = a.weights(args, 7)
	}, func(r *row, m mask) {
		t := a.vec()
		a.VMULPD(r.kernel(0), w[0], t)
		for i := 1; i < 4; i++ {
			a.VFMADD231PD(r.kernel(i), w[i], t)
		}
		a.keep(m, t)
		for c := range 3 {
			u := a.vec()
			a.VMOVUPD(r.colour(c), u)
			a.VFMADD231PD(w[4+c], t, u)
			a.VMOVUPD(u, r.colour(c))
		}
	})
}

func (a *asm) weights(args reg.Register, n int) []reg.VecVirtual {
	var w []reg.VecVirtual
	for i := range n {
		w = append(w, a.broadcast(at(args, argW+8*i)))
	}
	return w
}

// exact adds one event as integers: spec section 7's order, each operation rounded, then q = round(c*2^k) added to int64. The
// colours arrive times 2^k, which changes no rounding. AVX2 has no conversion to int64: adding 1.5*2^52 leaves a value
// below 2^51, rounded to nearest even, in the low bits of the sum (Hacker's Delight, 2nd ed., section 17-3's trick).
func (a *asm) exact() {
	a.function("exact", rowsSignature)
	a.Doc("adds one event to a tile of int64 quanta, each below 2^51.")
	var w []reg.VecVirtual
	var add, bits reg.VecVirtual
	a.rows(func(args reg.Register) {
		w = a.weights(args, 7)
		add = a.constant(math.Float64bits(magic))
		bits = a.constant(magicBits)
	}, func(r *row, m mask) {
		t := a.mixRounded(r, w)
		a.keep(m, t)
		for c := range 3 {
			u := a.vec()
			a.VMULPD(w[4+c], t, u)
			a.VADDPD(add, u, u)
			a.VPSUBQ(bits, u, u)
			a.VPADDQ(r.colour(c), u, u)
			a.VMOVUPD(u, r.colour(c))
		}
	})
}

// mixRounded is ((b00 k00 + b10 k10) + b01 k01) + b11 k11, each operation rounded.
func (a *asm) mixRounded(r *row, w []reg.VecVirtual) reg.VecVirtual {
	t := a.vec()
	a.VMULPD(r.kernel(0), w[0], t)
	for i := 1; i < 4; i++ {
		u := a.vec()
		a.VMULPD(r.kernel(i), w[i], u)
		a.VADDPD(u, t, t)
	}
	return t
}

// exactWide is exact for |q| < 2^62 where VCVTPD2QQ is missing: the value is cut into a multiple of 2^32 and a rest, both
// exact, and each goes through the magic sum. 2^32 is even, so a tie rounds as it would in one piece.
func (a *asm) exactWide() {
	a.function("exactWide", rowsSignature)
	a.Doc("adds one event to a tile of int64 quanta, each below 2^62.")
	args := reg.Register(nil)
	a.rows(func(p reg.Register) { args = p }, func(r *row, m mask) {
		t := a.mixRounded(r, a.weights(args, 4))
		a.keep(m, t)
		add, bits := a.constant(math.Float64bits(magic)), a.constant(magicBits)
		for c := range 3 {
			u, high, q := a.vec(), a.vec(), a.vec()
			a.VMULPD(a.broadcast(at(args, argW+32+8*c)), t, u)
			a.VMULPD(a.constant(math.Float64bits(0x1p-32)), u, high)
			a.VADDPD(add, high, high)
			a.VPSUBQ(bits, high, q)
			a.VPSLLQ(operand.Imm(32), q, q)
			a.VSUBPD(add, high, high)
			a.VMULPD(a.constant(math.Float64bits(0x1p32)), high, high)
			a.VSUBPD(high, u, u)
			a.VADDPD(add, u, u)
			a.VPSUBQ(bits, u, u)
			a.VPADDQ(q, u, u)
			a.VPADDQ(r.colour(c), u, u)
			a.VMOVUPD(u, r.colour(c))
		}
	})
}

// cell adds many events of one pixel and phase at once: each colour has its own four kernel weights, W[4*colour+kernel].
// AVX2 has too few registers for twelve, so the last four are read from the stack, spread over the lanes.
func (a *asm) cell() {
	a.function("cell", rowsSignature)
	a.Doc("adds the coefficients of a cell to a tile in float64, fused.")
	const inRegisters = 8
	spill := a.AllocLocal(4 * 32)
	var w []reg.VecVirtual
	a.rows(func(args reg.Register) {
		w = a.weights(args, inRegisters)
		for i := inRegisters; i < 12; i++ {
			a.VMOVUPD(a.broadcast(at(args, argW+8*i)), spill.Offset(32*(i-inRegisters)))
		}
	}, func(r *row, m mask) {
		var k [4]reg.VecVirtual
		for i := range k {
			k[i] = a.vec()
			a.VMOVUPD(r.kernel(i), k[i])
			a.keep(m, k[i])
		}
		for c := range 3 {
			u := a.vec()
			a.VMOVUPD(r.colour(c), u)
			for i := range k {
				if at := 4*c + i; at < inRegisters {
					a.VFMADD231PD(w[at], k[i], u)
				} else {
					a.VFMADD231PD(spill.Offset(32*(at-inRegisters)), k[i], u)
				}
			}
			a.VMOVUPD(u, r.colour(c))
		}
	})
}
