package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// poly emits Horner's rule on four vectors at a time, which hides the latency of the fused multiply-adds.
func (a *asm) poly() {
	a.function("poly", "func(w *float64, blocks int, coef *float64, terms int, s0 float64, step float64)")
	a.Doc("evaluates a polynomial at s0, s0+step, ... for blocks of 16 values.")
	w, blocks, coef, terms := a.pointer("w"), a.pointer("blocks"), a.pointer("coef"), a.pointer("terms")
	s0, step := a.spread("s0"), a.spread("step")
	var i [4]reg.VecVirtual
	i[0] = a.vec()
	a.VMOVUPD(a.steps, i[0])
	for n := 1; n < len(i); n++ {
		i[n] = a.vec()
		a.VADDPD(a.constant(math.Float64bits(4)), i[n-1], i[n])
	}
	block, term := a.fresh("block"), a.fresh("term")
	at0, left := a.GP64(), a.GP64()

	a.Label(block)
	var s, v [4]reg.VecVirtual
	a.LEAQ(operand.Mem{Base: coef, Index: terms, Scale: 8, Disp: -8}, at0)
	a.MOVQ(terms, left)
	top := a.broadcast(at(at0, 0))
	sixteen := a.constant(math.Float64bits(16))
	for n := range s {
		s[n], v[n] = a.vec(), a.vec()
		a.VMOVAPD(s0, s[n])
		a.VFMADD231PD(step, i[n], s[n])
		a.VADDPD(sixteen, i[n], i[n])
		a.VMOVAPD(top, v[n])
	}
	a.DECQ(left)
	done := a.fresh("done")
	a.JE(operand.LabelRef(done))
	a.Label(term)
	a.SUBQ(operand.Imm(8), at0)
	c := a.broadcast(at(at0, 0))
	for n := range v {
		a.VFMADD213PD(c, s[n], v[n])
	}
	a.DECQ(left)
	a.JNE(operand.LabelRef(term))
	a.Label(done)
	for n := range v {
		a.VMOVUPD(v[n], at(w, 32*n))
	}
	a.ADDQ(operand.U32(128), w)
	a.DECQ(blocks)
	a.JNE(operand.LabelRef(block))
	a.VZEROUPPER()
	a.RET()
}

// spread broadcasts a float64 parameter.
func (a *asm) spread(name string) reg.VecVirtual {
	x, v := a.XMM(), a.vec()
	a.Load(a.Param(name), x)
	a.VBROADCASTSD(x, v)
	return v
}

// addRow emits row += f*w for three rows, n a multiple of four.
func (a *asm) addRow() {
	a.function("addRow", "func(red *float64, green *float64, blue *float64, w *float64, n int, f *float64)")
	a.Doc("adds multiples of w to three rows.")
	rows := []reg.Register{a.pointer("red"), a.pointer("green"), a.pointer("blue")}
	w, n, f := a.pointer("w"), a.pointer("n"), a.pointer("f")
	var factor []reg.VecVirtual
	for c := range rows {
		factor = append(factor, a.broadcast(at(f, 8*c)))
	}
	i := a.GP64()
	a.XORQ(i, i)
	loop := a.fresh("loop")
	a.Label(loop)
	v := a.vec()
	a.VMOVUPD(indexed(w, i), v)
	for c, row := range rows {
		u := a.vec()
		a.VMOVUPD(indexed(row, i), u)
		a.VFMADD231PD(v, factor[c], u)
		a.VMOVUPD(u, indexed(row, i))
	}
	a.ADDQ(operand.Imm(4), i)
	a.CMPQ(i, n)
	a.JL(operand.LabelRef(loop))
	a.VZEROUPPER()
	a.RET()
}
