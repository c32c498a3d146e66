package mesh

import (
	"math"
	"testing"

	"grsplat/render/event"
	"grsplat/render/mesh/fft"
	"grsplat/render/psf"
)

// newCrowd is an area that decides as auto does, with stamps so dear and an engine so far that crowds become points.
func newCrowd(t testing.TB, f *psf.PSF, w, h int, level fft.Level, limit float64) *area {
	return newArea(t, f, w, h, func(c *Config) {
		c.Level, c.Auto, c.Cells, c.StampSeconds, c.MeshError = level, true, true, 1e-4, limit
	})
}

// crowd is events in squares of a pixel: across the borders of four tiles, at the frame's corners, outside it.
func crowd(f *psf.PSF, w, h int) (events []event.Event) {
	r := float64(-f.R - 1)
	for i, at := range [][2]float64{{r + 63.5, r + 63.5}, {-0.4, -1.2}, {float64(w) - 1.7, 20}, {30, float64(h) + 5}, {r, 40}} {
		n := 2 * crowded
		if i == 0 {
			n *= 2
		}
		events = append(events, scatter(f, n, at[0], at[1], 1, 2, uint64(i))...)
	}
	return events
}

// Crowds become points, in the frame and at its edges, at every level, whatever the phases, and again after a flush.
func TestCrowds(t *testing.T) {
	t.Parallel()
	odd := mustPSF(func(p *psf.Params) { p.Phases = 5 })
	for _, f := range []*psf.PSF{defaultPSF(), odd, steepPSF()} {
		for _, level := range levels() {
			const w, h = 131, 97
			a, events := newCrowd(t, f, w, h, level, 1e-6), crowd(f, w, h)
			again := events[:4*crowded]
			a.image(t, events)
			got := a.image(t, again)
			if s := a.Stats(); s.Points != int64(len(events)+len(again)) || s.Events != 0 || len(a.stamped) != 0 || len(a.rest) != 0 {
				t.Fatalf("%d phases, %v: %+v, %d stamped, %d left of %d events", f.Phases, level, s, len(a.stamped), len(a.rest), len(events))
			}
			a.check(t, got, append(events, again...))
		}
	}
}

// Points keep the flux, and where their bound is above the limit the events are stamped.
func TestCrowdsFluxAndLimit(t *testing.T) {
	t.Parallel()
	f := defaultPSF()
	events := scatter(f, 4000, 80, 80, 1, 1, 5)
	got := newCrowd(t, f, 200, 200, fft.Best(), 1e-6).image(t, events).Total()
	sum, _ := stamps(f, events, 200, 200)
	for c, want := range sum.Total() {
		if !(math.Abs(got[c]-want) <= 1e-12*math.Abs(want)) {
			t.Errorf("colour %d: %g of the flux is lost", c, 1-got[c]/want)
		}
	}
	a := newCrowd(t, f, 200, 200, fft.Best(), 1e-13)
	if dark := a.image(t, events); largest(dark.Plane[0]) != 0 || len(a.stamped) != len(events) || a.Stats().Points != 0 {
		t.Errorf("limit 1e-13: %d of %d events stamped", len(a.stamped), len(events))
	}
}
