package kern

import (
	"unsafe"

	"grsplat/render/psf"
)

// A Table is a copy of the phase grids whose rows begin on cache lines, with Pad elements before and after, so that whole vectors may be
// read around any lit pixel. Base pointers point inside the allocation.
type Table struct {
	*psf.Kernel
	row, grid int // elements from one row, and one grid, to the next
	w         []float64
}

// NewTable copies k's weights.
func NewTable(k *psf.Kernel) *Table {
	t := &Table{Kernel: k, row: (k.Stride + lineLen - 1) / lineLen * lineLen}
	t.grid = k.Stride*t.row + gridGap
	n := (k.P + 1) * (k.P + 1)
	all := make([]float64, n*t.grid+2*Pad+lineLen)
	before := int(uintptr(unsafe.Pointer(&all[0])) % (8 * lineLen) / 8)
	t.w = all[(lineLen-before)%lineLen:][:n*t.grid+2*Pad]
	for g := range n {
		for j := range k.Stride {
			copy(t.w[Pad+g*t.grid+j*t.row:], k.W[g*k.Size+j*k.Stride:][:k.Stride])
		}
	}
	return t
}

const (
	lineLen = 8 // float64 of a cache line
	// gridGap keeps grids that are mixed, whose rows would else lie 18 x 4 KiB apart at radius 47, in cache sets of their own.
	gridGap = 17 * lineLen
)

// A Phase is the four grids that a star of one phase mixes, in the order of Args.K. Its rows lie Stride elements apart from element
// First, that of the kernel's first row, on: backwards where the phase reads its mirror image.
type Phase struct {
	K             [4]*float64
	First, Stride int
}

// Phase returns the grids of phase (px,py). The profile is even, so the grid of phase row P-py is that of py upside down, bit by bit
// (psf.Kernel is made from one octant): phases beyond the middle read their mirror images, and only half the grids are ever
// fetched.
func (t *Table) Phase(px, py int) Phase {
	row, next := py, py+1
	if t.Mirrored(py) {
		row, next = t.P-row, t.P-next
	}
	grid := func(x, y int) *float64 { return &t.w[Pad+(y*(t.P+1)+x)*t.grid] }
	p := Phase{K: [4]*float64{grid(px, row), grid(px+1, row), grid(px, next), grid(px+1, next)}, Stride: t.row}
	if t.Mirrored(py) {
		p.First, p.Stride = (t.Kernel.Stride-1)*t.row, -t.row
	}
	return p
}

// Rows returns the number of rows of a grid and the elements from one to the next.
func (t *Table) Rows() (n, elements int) { return t.Kernel.Stride, t.row }

// Row returns the phase row that reads the same grids as py, in the upper half.
func (t *Table) Row(py int16) int16 {
	if t.Mirrored(int(py)) {
		return int16(t.P-1) - py
	}
	return py
}

// Mirrored says whether phases of row py read their grids upside down.
func (t *Table) Mirrored(py int) bool { return 2*py >= t.P }
