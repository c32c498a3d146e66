package quanta_test

import (
	"math"
	"testing"

	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/sink/quanta"
	"grsplat/render/sink/sinktest"
)

// No pixel gains more quanta from an event than its bound, rounding included.
func TestBound(t *testing.T) {
	t.Parallel()
	f := sinktest.PSF(func(p *psf.Params) { p.Tail = 1e-3 })
	peak := f.Kernel.Peak()
	for _, e := range []event.Event{
		{X: 20, Y: 20, R: 1, G: 0.5, B: -3, Flux: 1e-12, Support: 5}, {X: 20.5, Y: 20.1, R: 1, G: 2, B: 1, Flux: 1, Support: 5},
		{X: 20, Y: 20, R: -1e3, G: 1, B: 1, Flux: 7e3, Support: 5},
	} {
		bound := quanta.Bound(&e, peak, hdr.DefaultQuantumBits)
		k := f.Kernel
		m := k.Mix(e.X, e.Y)
		k00, k10, k01, k11 := k.Grids(&m)
		for q := range k00 {
			w := m.B00*k00[q] + m.B10*k10[q] + m.B01*k01[q] + m.B11*k11[q]
			for _, c := range e.Colour() {
				if got := math.Abs(math.RoundToEven(math.Ldexp(w*c, hdr.DefaultQuantumBits))); !(got <= bound) {
					t.Fatalf("%+v adds %g quanta, bound %g", e, got, bound)
				}
			}
		}
	}
}
