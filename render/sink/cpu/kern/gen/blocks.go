package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// blockRows is how many rows AVX-512 walks at once. Rows of a circle differ in length: one loop over the columns of four rows ends
// once where four loops end four times, each end a branch that is hard to foresee and keeps the next row's loads waiting.
const blockRows = 4

// A block is some rows of the tile under one vector of columns.
type block struct {
	kernels [4]reg.Register // addresses of the first row's weights under, or next to come under, the vector
	stride  reg.Register    // bytes from one row of a grid to the next
	triple  reg.Register    // three of them
	pixel   reg.Register    // address of the first row's red value
}

func (b *block) kernel(grid, row int) operand.Mem {
	m := operand.Mem{Base: b.kernels[grid]}
	switch row {
	case 1, 2:
		m.Index, m.Scale = b.stride, uint8(row)
	case 3:
		m.Index, m.Scale = b.triple, 1
	}
	return m
}

func (b *block) colour(c, row int) operand.Mem { return at(b.pixel, row*rowBytes+c*planeBytes) }

// A blockBody adds the vector of one row of a block. Where there is a mix, weights are read from cache line to cache line, mixed, and the
// mixes of two lines turned into the one that falls on the tile's vector, unlit lanes zero.
type blockBody struct {
	setup func(args reg.Register)
	mix   func(b *block, row int) reg.VecVirtual
	add   func(b *block, row int, lit reg.Register, mixed reg.VecVirtual)
}

// blocks emits the walk over spans, blockRows rows at a time, then one at a time. Every vector lies on a vector boundary of the tile, so that
// stores never cross a cache line; the columns are those of the longest of the rows, and each row masks its own.
func (a *asm) blocks(body blockBody) {
	spans, n, args := a.pointer("spans"), a.pointer("n"), a.pointer("a")
	body.setup(args)
	lanes := a.ZMM()
	a.VMOVDQU64(a.count, lanes)
	w := &blockWalk{asm: a, body: body, spans: spans, args: args, line: a.GP64(), src: a.GP64(), lanes: lanes}
	a.MOVQ(at(args, argDst), w.src)
	a.MOVQ(at(args, argTile), w.line)
	a.LEAQ(indexed(w.line, w.src), w.line)
	a.MOVQ(at(args, argSrc), w.src)
	w.b.stride, w.b.triple = a.GP64(), a.GP64()
	a.MOVQ(at(args, argStride), w.b.stride)
	a.SHLQ(operand.Imm(3), w.b.stride)
	a.LEAQ(operand.Mem{Base: w.b.stride, Index: w.b.stride, Scale: 2}, w.b.triple)

	many, few, done := a.fresh("many"), a.fresh("few"), a.fresh("done")
	a.SUBQ(operand.Imm(blockRows), n)
	a.JL(operand.LabelRef(few))
	a.Label(many)
	w.rows(blockRows)
	a.SUBQ(operand.Imm(blockRows), n)
	a.JGE(operand.LabelRef(many))
	a.Label(few)
	a.ADDQ(operand.Imm(blockRows), n)
	a.JE(operand.LabelRef(done))
	one := a.fresh("one")
	a.Label(one)
	w.rows(1)
	a.DECQ(n)
	a.JNE(operand.LabelRef(one))
	a.Label(done)
	a.VZEROUPPER()
	a.RET()
}

type blockWalk struct {
	*asm
	body        blockBody
	b           block
	spans, args reg.Register
	line, src   reg.Register // the first row's column 0 in the tile (address) and in the grids (element)
	lanes       reg.VecVirtual
}

// rows emits n rows at once.
func (w *blockWalk) rows(n int) {
	a, b := w.asm, &w.b
	skip, loop := a.fresh("skip"), a.fresh("columns")
	lo, count := a.GP64(), a.GP64()
	w.union(n, lo, count)
	a.TESTQ(count, count)
	a.JLE(operand.LabelRef(skip))

	var from, length []reg.VecVirtual // of each row: the vector's columns from the span's first on; the span's length
	for i := range n {
		x, l, v := a.GP64(), a.ZMM(), a.ZMM()
		a.MOVLQSX(at(w.spans, i*spanSize+spanX0), x)
		a.SUBQ(lo, x)
		a.VPBROADCASTQ(x, v)
		a.VPSUBQ(v, w.lanes, v)
		a.MOVLQSX(at(w.spans, i*spanSize+spanN), x)
		a.VPBROADCASTQ(x, l)
		from, length = append(from, v), append(length, l)
	}
	b.pixel = a.GP64()
	a.LEAQ(indexed(w.line, lo), b.pixel)
	element := lo
	a.ADDQ(w.src, element)
	turn := a.ZMM()
	if w.body.mix != nil {
		x := a.GP64()
		a.MOVQ(element, x)
		a.ANDQ(operand.Imm(7), x)
		a.SUBQ(x, element)
		a.VPBROADCASTQ(x, turn)
		a.VPADDQ(w.lanes, turn, turn)
	}
	for g := range b.kernels {
		b.kernels[g] = a.GP64()
		a.MOVQ(at(w.args, argK+8*g), b.kernels[g])
		a.LEAQ(indexed(b.kernels[g], element), b.kernels[g])
	}
	var before []reg.VecVirtual
	if w.body.mix != nil {
		for i := range n {
			before = append(before, w.body.mix(b, i))
		}
		w.advance()
	}
	eight := a.ZMM()
	a.VPBROADCASTQ(w.constant8(), eight)

	a.Label(loop)
	for i := range n {
		lit := a.K()
		a.VPCMPUQ(operand.Imm(1), length[i], from[i], lit) // from < length; columns before the span are large unsigned
		var mixed reg.VecVirtual
		if w.body.mix != nil {
			next := w.body.mix(b, i)
			mixed = a.ZMM()
			a.VMOVAPD(before[i], mixed)
			a.VMOVAPD(next, before[i])
			a.VPERMT2PD_Z(next, turn, lit, mixed)
		}
		w.body.add(b, i, lit, mixed)
		a.VPADDQ(eight, from[i], from[i])
	}
	w.advance()
	a.ADDQ(operand.Imm(64), b.pixel)
	a.SUBQ(operand.Imm(8), count)
	a.JG(operand.LabelRef(loop))

	a.Label(skip)
	a.ADDQ(operand.Imm(uint64(n*spanSize)), w.spans)
	a.ADDQ(operand.U32(n*rowBytes), w.line)
	for range n {
		a.ADDQ(at(w.args, argStride), w.src)
	}
}

func (w *blockWalk) advance() {
	for g := range w.b.kernels {
		w.ADDQ(operand.Imm(64), w.b.kernels[g])
	}
}

func (w *blockWalk) constant8() reg.Register {
	r := w.GP64()
	w.MOVQ(operand.U32(8), r)
	return r
}

// union sets lo to the vector boundary at or before the first column of n spans and count to the columns from there to their last;
// count is not positive when all are empty.
func (w *blockWalk) union(n int, lo, count reg.Register) {
	none, zero := w.GP64(), w.GP64()
	w.MOVQ(operand.U32(1<<30), none)
	w.XORQ(zero, zero)
	w.MOVQ(none, lo)
	w.XORQ(count, count)
	for i := range n {
		x, end := w.GP64(), w.GP64()
		w.MOVLQSX(at(w.spans, i*spanSize+spanX0), x)
		w.MOVLQSX(at(w.spans, i*spanSize+spanN), end)
		w.TESTQ(end, end)
		w.LEAQ(operand.Mem{Base: end, Index: x, Scale: 1}, end)
		w.CMOVQLE(none, x)
		w.CMOVQLE(zero, end)
		w.CMPQ(x, lo)
		w.CMOVQLT(x, lo)
		w.CMPQ(end, count)
		w.CMOVQGT(end, count)
	}
	w.ANDQ(operand.I8(-8), lo)
	w.SUBQ(lo, count)
}
