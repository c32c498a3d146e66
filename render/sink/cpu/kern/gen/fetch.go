package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// fetch asks for n cache lines from each of four addresses.
func (a *asm) fetch() {
	a.Function("fetch")
	a.Attributes(attr.NOSPLIT)
	a.SignatureExpr("func(k *[4]*float64, at int, lines int)")
	a.Doc("asks for lines of each of four grids, from element at on, to come to the second-level cache.")
	k, from, lines := a.pointer("k"), a.pointer("at"), a.pointer("lines")
	loop := a.fresh("loop")
	grids := [4]operand.Mem{}
	for i := range grids {
		g := a.GP64()
		a.MOVQ(at(k, 8*i), g)
		grids[i] = indexed(g, from)
	}
	a.Label(loop)
	for _, g := range grids {
		a.PREFETCHT1(g)
	}
	a.ADDQ(operand.Imm(8), from)
	a.DECQ(lines)
	a.JNE(operand.LabelRef(loop))
	a.RET()
}
