// Package spirv reads the few facts of a compiled module that tests and the generator need: capabilities, bindings, the work
// group, and which arithmetic a driver would be free to fuse. Words are those of the SPIR-V specification, sections 2.3 and 3.
package spirv

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// A Module is what Parse found.
type Module struct {
	Capabilities []uint32
	Bindings     []int     // descriptor bindings, ascending
	LocalSize    [3]uint32 // invocations of a work group by axis
	Double       []uint32  // GLSL.std.450 instructions whose result is 64-bit floating point
	Loose        int       // 64-bit floating point sums and products without NoContraction
	Sized        bool      // the work group is a specialization constant
	SharedBytes  int       // of Workgroup variables, arrays and vectors of 32- and 64-bit scalars
}

const (
	opExtInst       = 12
	opExecutionMode = 16
	opCapability    = 17
	opTypeInt       = 21
	opTypeFloat     = 22
	opTypeVector    = 23
	opTypeArray     = 28
	opTypePointer   = 32
	opConstant      = 43
	opVariable      = 59
	opDecorate      = 71
	opFAdd          = 129
	opFSub          = 131
	opFMul          = 133
	opFDiv          = 136

	decorationNoContraction = 42
	decorationBinding       = 33
	decorationBuiltIn       = 11
	builtInWorkgroupSize    = 25
	modeLocalSize           = 17
	storageWorkgroup        = 4
)

type parser struct {
	m        Module
	bytes    map[uint32]int    // of a type
	constant map[uint32]uint32 // 32-bit values
	pointee  map[uint32]uint32
	double   map[uint32]bool // types of 64-bit floats and their vectors
	tight    map[uint32]bool // results with NoContraction
	arith    []uint32        // results of 64-bit sums and products
}

// Parse reads a little-endian module.
func Parse(code []byte) (Module, error) {
	if len(code) < 20 || len(code)%4 != 0 || binary.LittleEndian.Uint32(code) != 0x07230203 {
		return Module{}, fmt.Errorf("spirv: not a little-endian module")
	}
	words := make([]uint32, len(code)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	p := parser{bytes: map[uint32]int{}, constant: map[uint32]uint32{}, pointee: map[uint32]uint32{}, double: map[uint32]bool{}, tight: map[uint32]bool{}}
	for at := 5; at < len(words); {
		n := int(words[at] >> 16)
		if n == 0 || at+n > len(words) {
			return Module{}, fmt.Errorf("spirv: instruction of %d words at word %d of %d", n, at, len(words))
		}
		p.instruction(words[at]&0xffff, words[at+1:at+n])
		at += n
	}
	for _, id := range p.arith {
		if !p.tight[id] {
			p.m.Loose++
		}
	}
	slices.Sort(p.m.Bindings)
	return p.m, nil
}

// minWords is the number of operands that instruction reads.
var minWords = map[uint32]int{
	opExtInst: 4, opExecutionMode: 2, opCapability: 1, opTypeInt: 2, opTypeFloat: 2, opTypeVector: 3, opTypeArray: 3,
	opTypePointer: 3, opConstant: 3, opVariable: 3, opDecorate: 2, opFAdd: 2, opFSub: 2, opFMul: 2, opFDiv: 2,
}

func (p *parser) instruction(op uint32, w []uint32) {
	if n, known := minWords[op]; !known || len(w) < n {
		return
	}
	switch op {
	case opCapability:
		p.m.Capabilities = append(p.m.Capabilities, w[0])
	case opExecutionMode:
		if w[1] == modeLocalSize && len(w) == 5 {
			p.m.LocalSize = [3]uint32(w[2:5])
		}
	case opTypeInt, opTypeFloat:
		p.bytes[w[0]] = int(w[1] / 8)
		p.double[w[0]] = op == opTypeFloat && w[1] == 64
	case opTypeVector:
		p.bytes[w[0]] = p.bytes[w[1]] * int(min(w[2], 4))
		p.double[w[0]] = p.double[w[1]]
	case opTypeArray:
		p.bytes[w[0]] = int(min(int64(p.bytes[w[1]])*int64(p.constant[w[2]]), math.MaxInt32))
	case opTypePointer:
		p.pointee[w[0]] = w[2]
	case opConstant:
		p.constant[w[1]] = w[2]
	case opVariable:
		if w[2] == storageWorkgroup {
			p.m.SharedBytes += p.bytes[p.pointee[w[0]]]
		}
	case opDecorate:
		p.decorate(w)
	case opExtInst:
		if p.double[w[0]] {
			p.m.Double = append(p.m.Double, w[3])
		}
	default:
		if p.double[w[0]] {
			p.arith = append(p.arith, w[1])
		}
	}
}

func (p *parser) decorate(w []uint32) {
	switch {
	case w[1] == decorationNoContraction:
		p.tight[w[0]] = true
	case w[1] == decorationBinding && len(w) == 3:
		p.m.Bindings = append(p.m.Bindings, int(w[2]))
	case w[1] == decorationBuiltIn && len(w) == 3 && w[2] == builtInWorkgroupSize:
		p.m.Sized = true
	}
}
