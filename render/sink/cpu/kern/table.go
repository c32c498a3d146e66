package kern

import "grsplat/render/psf"

// A Table is a copy of the phase grids with Pad elements before and after, so that whole vectors may be read around any lit
// pixel. Base pointers point inside the allocation.
type Table struct {
	*psf.Kernel
	w []float64
}

// NewTable copies k's weights.
func NewTable(k *psf.Kernel) *Table {
	t := &Table{Kernel: k, w: make([]float64, len(k.W)+2*Pad)}
	copy(t.w[Pad:], k.W)
	return t
}

// Grids returns the first elements of the four grids of phase (px,py), in the order of Args.K.
func (t *Table) Grids(px, py int) [4]*float64 {
	at := Pad + (py*(t.P+1)+px)*t.Size
	below := at + (t.P+1)*t.Size
	return [4]*float64{&t.w[at], &t.w[at+t.Size], &t.w[below], &t.w[below+t.Size]}
}
