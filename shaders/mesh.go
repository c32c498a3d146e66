package shaders

import "encoding/binary"

// MeshPush is the push constants of the mesh's kernels, field by field those of mesh_common.glsl.
type MeshPush struct {
	W, H             int32
	BandY, BandRows  int32
	First            int32
	BlocksX, BlocksY uint32
	Pitch, Margin    uint32
	P, Q, D, Taps    uint32
	N, Lines         uint32
	Rows, Cols       uint32
	Edge             uint32
	Events           uint32
	Blocks           uint32
	Nodes            uint32
}

// MeshPoints is how many points a work group transforms; a transform may not be longer.
const MeshPoints = 2048

// Limits of the mesh's filters, in a shared array each: the taps and seven times D zeros on either side, and 255 D points.
const (
	MeshTaps  = 128
	MeshRatio = 8 // D
)

// Bytes returns the constants as a device reads them, as long as those of every kernel.
func (p MeshPush) Bytes() []byte {
	b, err := binary.Append(nil, binary.LittleEndian, p)
	if err != nil {
		panic(err) // a struct of fixed-size integers has a layout
	}
	return append(b, make([]byte, PushBytes-len(b))...)
}
