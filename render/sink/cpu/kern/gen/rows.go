package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A row is one vector's worth of the inner loop: where the kernels and the tile are.
type row struct {
	k     []reg.Register // kernel grids
	ko    reg.Register   // element index into them
	pixel reg.Register   // address of the red value
}

func (r *row) kernel(i int) operand.Mem { return indexed(r.k[i], r.ko) }
func (r *row) colour(c int) operand.Mem { return at(r.pixel, c*planeBytes) }

const rowsSignature = "func(spans *byte, n int, a *byte)"

// rows emits the walk over spans for AVX2, row by row. Every vector lies on a vector boundary of the tile: lanes before the first pixel of a
// span and after its last are masked, so that stores never cross a cache line.
func (a *asm) rows(setup func(args reg.Register), body func(r *row, m mask)) {
	spans, n, args := a.pointer("spans"), a.pointer("n"), a.pointer("a")
	setup(args)
	line, src := a.GP64(), a.GP64()
	a.MOVQ(at(args, argDst), src)
	a.MOVQ(at(args, argTile), line)
	a.LEAQ(indexed(line, src), line)
	a.MOVQ(at(args, argSrc), src)
	r := &row{ko: a.GP64(), pixel: a.GP64()}
	for i := range 4 {
		k := a.GP64()
		a.MOVQ(at(args, argK+8*i), k)
		r.k = append(r.k, k)
	}
	next, loop, tail, last, done := a.fresh("row"), a.fresh("loop"), a.fresh("tail"), a.fresh("last"), a.fresh("next")
	x, count, head := a.GP64(), a.GP64(), a.GP64()
	step := 8 * a.lanes

	a.Label(next)
	a.MOVLQSX(at(spans, spanX0), x)
	a.MOVLQSX(at(spans, spanN), count)
	a.TESTQ(count, count)
	a.JLE(operand.LabelRef(done))
	a.MOVQ(x, head)
	a.ANDQ(operand.Imm(uint64(a.lanes-1)), head)
	a.SUBQ(head, x)
	a.ADDQ(head, count)
	a.LEAQ(operand.Mem{Base: src, Index: x, Scale: 1}, r.ko)
	a.LEAQ(indexed(line, x), r.pixel)

	first := a.headMask(head)
	a.SUBQ(operand.Imm(uint64(a.lanes)), count)
	a.JL(operand.LabelRef(last))
	body(r, first)
	a.advance(r, step)
	a.SUBQ(operand.Imm(uint64(a.lanes)), count)
	a.JL(operand.LabelRef(tail))
	a.Label(loop)
	body(r, mask{})
	a.advance(r, step)
	a.SUBQ(operand.Imm(uint64(a.lanes)), count)
	a.JGE(operand.LabelRef(loop))
	a.Label(tail)
	a.ADDQ(operand.Imm(uint64(a.lanes)), count)
	a.JE(operand.LabelRef(done))
	body(r, a.tailMask(count))
	a.JMP(operand.LabelRef(done))

	a.Label(last) // the span ends in its first vector
	a.ADDQ(operand.Imm(uint64(a.lanes)), count)
	body(r, a.both(first, a.tailMask(count)))

	a.Label(done)
	a.ADDQ(operand.Imm(spanSize), spans)
	a.ADDQ(operand.U32(rowBytes), line)
	a.ADDQ(at(args, argStride), src)
	a.DECQ(n)
	a.JNE(operand.LabelRef(next))
	a.VZEROUPPER()
	a.RET()
}

func (a *asm) advance(r *row, step int) {
	a.ADDQ(operand.Imm(uint64(step)), r.pixel)
	a.ADDQ(operand.Imm(uint64(step/8)), r.ko)
}

// headMask keeps the lanes from n on, 0 <= n < lanes.
func (a *asm) headMask(n reg.Register) mask {
	neg := a.GP64()
	a.MOVQ(n, neg)
	a.NEGQ(neg)
	return a.window(neg)
}

// tailMask keeps the first n lanes, 0 < n <= lanes.
func (a *asm) tailMask(n reg.Register) mask {
	back := a.GP64()
	a.MOVQ(operand.U32(4), back)
	a.SUBQ(n, back)
	return a.window(back)
}

// window loads four lanes of the mask table, shift elements from its ones.
func (a *asm) window(shift reg.Register) mask {
	base, v := a.GP64(), a.YMM()
	a.LEAQ(a.masks, base)
	a.VMOVUPD(operand.Mem{Base: base, Index: shift, Scale: 8, Disp: 32}, v)
	return mask{lanes: v}
}

func (a *asm) both(m, n mask) mask {
	v := a.YMM()
	a.VANDPD(m.lanes, n.lanes, v)
	return mask{lanes: v}
}
