package main

import (
	"bytes"
	"fmt"
	"log"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// Byte offsets of the fields of kern.Args and kern.Span, and the distance between the colours of a tile row.
const (
	argTile   = 0
	argDst    = 8
	argSrc    = 16
	argStride = 24
	argK      = 32
	argW      = 64

	spanSize = 8
	spanX0   = 0
	spanN    = 4

	planeBytes = (256 + 8) * 8    // kern.PlaneLen
	rowBytes   = 3 * planeBytes   // kern.RowLen
	magic      = 0x1.8p52         // x + magic rounds x to an integer, held in the low bits
	magicBits  = 0x4338 << 48     // its bits
	leOrdered  = operand.U8(0x12) // VCMPPD predicate LE_OQ
)

// asm emits functions for vectors of lanes float64.
type asm struct {
	*build.Context
	lanes int
	masks operand.Mem // lanes zeros, lanes ones, lanes zeros; for AVX2 only
	steps operand.Mem // 0, 1, 2, 3
	count operand.Mem // 0 to 7, integers
	label int
}

func newAsm() *asm {
	a := &asm{Context: build.NewContext()}
	a.ConstraintExpr("amd64")
	a.lanes = 4
	a.masks = a.StaticGlobal("masks")
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 12 {
		v := uint64(0)
		if i >= 4 && i < 8 {
			v = ^uint64(0)
		}
		a.AddDatum(8*i, operand.U64(v))
	}
	a.steps = a.StaticGlobal("steps")
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 4 {
		a.AddDatum(8*i, operand.F64(float64(i)))
	}
	a.count = a.StaticGlobal("count")
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 8 {
		a.AddDatum(8*i, operand.U64(uint64(i)))
	}
	return a
}

// text prints the assembly.
func (a *asm) text() ([]byte, error) {
	f, err := a.Result()
	if err != nil {
		build.LogError(log.Default(), err, 0)
		return nil, err
	}
	if err := pass.Compile.Execute(f); err != nil {
		return nil, err
	}
	out, err := printer.NewGoAsm(printer.Config{Name: "render/sink/cpu/kern/gen"}).Print(f)
	if err != nil {
		return nil, err
	}
	return bytes.TrimLeft(out, "\n"), nil
}

// function starts a function of the given suffix-free name; the level is appended.
func (a *asm) function(name, signature string) {
	level := map[int]string{4: "AVX2", 8: "AVX512"}[a.lanes]
	a.Function(name + level)
	a.Attributes(attr.NOSPLIT)
	a.SignatureExpr(signature)
}

func (a *asm) vec() reg.VecVirtual {
	if a.lanes == 8 {
		return a.ZMM()
	}
	return a.YMM()
}

func (a *asm) fresh(name string) string {
	a.label++
	return fmt.Sprintf("%s_%d", name, a.label)
}

func (a *asm) broadcast(m operand.Mem) reg.VecVirtual {
	v := a.vec()
	a.VBROADCASTSD(m, v)
	return v
}

// constant broadcasts a float64 or its bits.
func (a *asm) constant(bits uint64) reg.VecVirtual {
	g, x, v := a.GP64(), a.XMM(), a.vec()
	a.MOVQ(operand.U64(bits), g)
	a.VMOVQ(g, x)
	a.VBROADCASTSD(x, v)
	return v
}

func (a *asm) pointer(name string) reg.Register { return a.Load(a.Param(name), a.GP64()) }

func at(base reg.Register, disp int) operand.Mem { return operand.Mem{Base: base, Disp: disp} }

func indexed(base, index reg.Register) operand.Mem {
	return operand.Mem{Base: base, Index: index, Scale: 8}
}

// A mask keeps some lanes of a vector; the zero mask keeps all.
type mask struct {
	lanes reg.VecVirtual    // AVX2: all ones where kept
	bits  reg.OpmaskVirtual // AVX-512
}

// keep zeroes the lanes of v that m does not keep. The lanes' values may be anything, NaN too.
func (a *asm) keep(m mask, v reg.VecVirtual) {
	switch {
	case m.bits != nil:
		a.VMOVAPD_Z(v, m.bits, v)
	case m.lanes != nil:
		a.VANDPD(m.lanes, v, v)
	}
}
