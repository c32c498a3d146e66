package shaders

import "encoding/binary"

// MeshPush is the push constants of the mesh's kernels, field by field those of mesh_common.glsl.
type MeshPush struct {
	Unit, Room       float64
	W, H             int32
	BandY, BandRows  int32
	AreaX, AreaY     int32
	AreaW            int32
	First            int32
	BlocksX, BlocksY uint32
	Pitch, Margin    uint32
	P, Q, Taps       uint32
	N                uint32
	Rows, Cols       uint32
	Events           uint32
	Blocks           uint32
	Nodes            uint32
}

// Sizes that the mesh's kernels and the host agree on.
const (
	MeshPoints   = 2048 // that a work group transforms
	MeshShortest = 32   // a transform; mesh_fft.glsl takes up to 1024
	MeshLongest  = 1024
	MeshClasses  = 64 // of brightness, each of a factor of 2
	MeshApart    = 16 // words from the light of one block to that of the next
	MeshGroup    = 16 // blocks, at most: a whole number of pairs
	MeshWide     = 48 // filtered points along a row of a tile
)

// Limits of the mesh's filter: its tile's shared memory holds rows of at most 48 points.
const (
	MeshTaps  = 128
	MeshRatio = 8 // P/Q
)

// MeshHigh is how many filtered rows a tile has when P/Q is d.
func MeshHigh(d int) int { return min(max(32/d, 1), 16) }

// Bytes returns the constants as a device reads them, as long as those of every kernel.
func (p MeshPush) Bytes() []byte {
	b, err := binary.Append(nil, binary.LittleEndian, p)
	if err != nil {
		panic(err) // a struct of fixed-size integers has a layout
	}
	return append(b, make([]byte, PushBytes-len(b))...)
}
