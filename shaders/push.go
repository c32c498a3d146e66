package shaders

import "encoding/binary"

// Push is the push constants of every kernel, field by field those of common.glsl.
type Push struct {
	W, H                         int32
	BandY, BandRows              int32
	WinX, WinY                   int32
	Stride, Grid, Phases, Radius uint32
	N                            uint32
	First, Count                 uint32
	Listed                       uint32
	Tile                         uint32
	Digits, RootX                uint32
	Parents, Children, Fan, Cell uint32
	IsRoot                       uint32
	Capacity                     uint32
	SplitMin, SplitTarget        uint32
	Quantum                      uint32
}

// The state words of common.glsl, by their index.
const (
	Prepared = iota
	Consumed
	ContribLo
	ContribHi
	Overflow
	Entries
	Items
	Merges
	SegmentsWord
	Cells
	Groups
	Slots
	StateWords = 16
)

// Sizes that the kernels and the host agree on.
const (
	Segment   = 256  // list entries that one work group bins
	ScanBlock = 2048 // counters that one work group scans
	Stars     = 8    // events of a work group of the atomic paths
	RecordF64 = 96   // bytes of a prepared event
	RecordF32 = 64
	NoSlot    = ^uint32(0)
)

// Bytes returns the constants as a device reads them.
func (p Push) Bytes() []byte {
	b, err := binary.Append(nil, binary.LittleEndian, p)
	if err != nil {
		panic(err) // a struct of fixed-size integers has a layout
	}
	return b
}

// PushBytes is the length of the constants.
var PushBytes = binary.Size(Push{})
