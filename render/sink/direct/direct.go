// Package direct sums the few events that are too bright for the phase kernels: each is evaluated at its true position, out
// to the radius that its flux asks for. Their sum is kept apart from the stamps and added once at the end, by every backend
// alike, on the CPU.
package direct

import (
	"sync"

	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/sink"
)

// An Adder sums direct events. Add may be called from several goroutines.
type Adder struct {
	cfg sink.Config

	mu            sync.Mutex
	frame         *hdr.Frame // allocated by the first event
	sums          *hdr.Sums
	events        int64
	contributions int64
}

// New returns an Adder without events. It holds no frame until the first one.
func New(cfg sink.Config) *Adder { return &Adder{cfg: cfg} }

// Add sums one event.
func (a *Adder) Add(e *event.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.events++
	if a.cfg.Precision == sink.Exact128 {
		a.addExact(e)
		return
	}
	if a.frame == nil {
		a.frame = hdr.NewFrame(a.cfg.W, a.cfg.H)
	}
	f := e.Colour()
	a.each(e, func(i int, w float64) {
		for c := range f {
			a.frame.Plane[c][i] += float64(w * f[c])
		}
	})
}

func (a *Adder) addExact(e *event.Event) {
	if a.sums == nil {
		a.sums = hdr.NewSums(a.cfg.W, a.cfg.H, a.cfg.QuantumBits)
	}
	f := e.Colour()
	a.each(e, func(i int, w float64) {
		for c := range f {
			hi, lo := hdr.Quantise(w*f[c], a.cfg.QuantumBits)
			a.sums.Add(c, i, hi, lo)
		}
	})
}

// each calls add with the index and weight of every pixel that e lights.
func (a *Adder) each(e *event.Event, add func(i int, w float64)) {
	d := psf.NewDisc(e.X, e.Y, e.Support, a.cfg.W, a.cfg.H)
	for y := d.Y0; y <= d.Y1; y++ {
		x0, x1 := d.Row(y)
		for x := x0; x <= x1; x++ {
			add(y*a.cfg.W+x, a.cfg.PSF.At(float64(x)-e.X, float64(y)-e.Y))
		}
		a.contributions += int64(max(x1-x0+1, 0))
	}
}

// AddTo adds the sum of the direct events to dst.
func (a *Adder) AddTo(dst *hdr.Frame) {
	if a.frame != nil {
		dst.Add(a.frame)
	}
}

// MergeInto adds the exact sum of the direct events to dst.
func (a *Adder) MergeInto(dst *hdr.Sums) {
	if a.sums != nil {
		dst.Merge(a.sums)
	}
}

// Events returns how many events were added, and Contributions how many pixels they lit.
func (a *Adder) Events() int64        { return a.events }
func (a *Adder) Contributions() int64 { return a.contributions }
