package mesh

import (
	"unsafe"

	"grsplat/render/event"
	"grsplat/render/mesh/fft"
)

// A Lattice sums events on the phase lattice of a square of pixels: lattice point (u,v) is 1/P px from its neighbours, and an
// event adds its flux*colour to the four points around it with its bilinear weights, so that the event's stamp is the sum of
// its points' stamps but for the circle, which is then centred on the point.
//
// The points' colours lie interleaved, rows of Stride float64, with halo rows of zeros around them for the filter that follows.
// The square owns T x T pixels; the lattice has T*P+1 points along an axis, the last of which belong to the next pixel.
type Lattice struct {
	P, T   int
	Stride int
	halo   int
	data   []float64
	first  int // of point (0,0)
	par    [8]float64
	k      fft.Kernels
}

// newLattice returns an empty lattice of t px at the origin with halo rows above and below.
func newLattice(p, t, halo int, k fft.Kernels) *Lattice {
	l := &Lattice{P: p, T: t, halo: halo, k: k, Stride: up8(3 * (t*p + 1))}
	l.data = make([]float64, l.Stride*(t*p+1+2*halo)+8)
	l.first = halo * l.Stride
	l.reset(0, 0)
	return l
}

// reset empties the lattice and moves it to pixel (x0,y0).
func (l *Lattice) reset(x0, y0 int) {
	clear(l.data)
	l.moveTo(x0, y0)
}

func (l *Lattice) moveTo(x0, y0 int) {
	p := float64(l.P)
	l.par = [8]float64{p, p, p - 1, p - 1, 1, 1, float64(x0), float64(y0)}
}

// deposit adds events, all of which lie in the lattice's pixels.
func (l *Lattice) deposit(events []event.Event) {
	if len(events) > 0 {
		first := (*float64)(unsafe.Pointer(&events[0]))
		l.k.Deposit(&l.data[l.first], first, len(events), l.Stride, &l.par[0])
	}
}

// add adds another lattice of the same pixels.
func (l *Lattice) add(o *Lattice) {
	for i, v := range o.data {
		l.data[i] += v
	}
}

// bytes is the memory of a lattice.
func (l *Lattice) bytes() int64 { return int64(len(l.data)) * 8 }
