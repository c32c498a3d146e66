package main

import "github.com/mmcloughlin/avo/reg"

// stampBlocks is stamp for AVX-512.
func (a *asm) stampBlocks() {
	a.function("stamp", rowsSignature)
	a.Doc("adds one event to a tile in float64, fused.")
	var w []reg.VecVirtual
	a.blocks(blockBody{
		setup: func(args reg.Register) { w = a.weights(args, 7) },
		mix: func(b *block, row int) reg.VecVirtual {
			t := a.vec()
			a.VMULPD(b.kernel(0, row), w[0], t)
			for i := 1; i < 4; i++ {
				a.VFMADD231PD(b.kernel(i, row), w[i], t)
			}
			return t
		},
		add: func(b *block, row int, _ reg.Register, t reg.VecVirtual) {
			for c := range 3 {
				u := a.vec()
				a.VMOVUPD(b.colour(c, row), u)
				a.VFMADD231PD(w[4+c], t, u)
				a.VMOVUPD(u, b.colour(c, row))
			}
		},
	})
}

// exactBlocks is exact for AVX-512, which converts to int64 itself.
func (a *asm) exactBlocks() {
	a.function("exact", rowsSignature)
	a.Doc("adds one event to a tile of int64 quanta.")
	var w []reg.VecVirtual
	a.blocks(blockBody{
		setup: func(args reg.Register) { w = a.weights(args, 7) },
		add: func(b *block, row int, lit reg.Register, _ reg.VecVirtual) {
			t, u := a.vec(), a.vec()
			a.VMULPD(b.kernel(0, row), w[0], t)
			for i := 1; i < 3; i++ {
				a.VMULPD(b.kernel(i, row), w[i], u)
				a.VADDPD(u, t, t)
			}
			a.VMULPD(b.kernel(3, row), w[3], u)
			a.VADDPD_Z(u, t, lit, t)
			for c := range 3 {
				u := a.vec()
				a.VMULPD(w[4+c], t, u)
				a.VCVTPD2QQ(u, u)
				a.VPADDQ(b.colour(c, row), u, u)
				a.VMOVUPD(u, b.colour(c, row))
			}
		},
	})
}

// cellBlocks is cell for AVX-512.
func (a *asm) cellBlocks() {
	a.function("cell", rowsSignature)
	a.Doc("adds the coefficients of a cell to a tile in float64, fused.")
	var w []reg.VecVirtual
	a.blocks(blockBody{
		setup: func(args reg.Register) { w = a.weights(args, 12) },
		add: func(b *block, row int, lit reg.Register, _ reg.VecVirtual) {
			var k [4]reg.VecVirtual
			for i := range k {
				k[i] = a.vec()
				a.VMOVUPD_Z(b.kernel(i, row), lit, k[i])
			}
			for c := range 3 {
				u := a.vec()
				a.VMOVUPD(b.colour(c, row), u)
				for i := range k {
					a.VFMADD231PD(w[4*c+i], k[i], u)
				}
				a.VMOVUPD(u, b.colour(c, row))
			}
		},
	})
}
