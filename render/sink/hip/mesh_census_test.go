package hip

import (
	"testing"

	"grsplat/render/event"
	"grsplat/render/mesh"
	"grsplat/render/mesh/fft"
	"grsplat/render/psf"
)

// Every event is counted in the block that holds its pixel, but for those that are too bright for it, outside the grid or of another circle.
func TestCensus(t *testing.T) {
	t.Parallel()
	p := psf.Defaults()
	p.Phases, p.CacheRadius = 4, 4
	f, err := psf.New(p)
	if err != nil {
		t.Fatal(err)
	}
	e, err := mesh.NewEngine(f, fft.Best())
	if err != nil {
		t.Fatal(err)
	}
	const w, h, n = 200, 90, 600
	s := newCensus(e.Device(), w, h, n)
	_, support := f.Classify(1)
	var events []event.Event
	add := func(x, y, flux, support float64) {
		events = append(events, event.Event{X: x, Y: y, R: 0.5, G: -1, B: 0.2, Flux: flux, Support: support})
	}
	for i := range n - 4 {
		add(float64(i%w)+0.5, float64(i/w), 1, support)
	}
	add(3, 1, 1e5, support) // in the first block, whose others have 1
	add(3, 1, 1, support/1e3)
	add(float64(s.First)-0.1, 1, 1, support)
	add(1, float64(h-s.First), 1, support)
	s.take(events)
	chosen, held := s.choose(1)
	if held != n-4 {
		t.Errorf("%d events of %d", held, n-4)
	}
	for i := range events {
		slot, ok := s.slot(i)
		if ok != (i < n-4) {
			t.Fatalf("event %d: %v", i, ok)
		}
		if !ok {
			continue
		}
		x, y := s.first(chosen[slot])
		if u, v := events[i].X-float64(x), events[i].Y-float64(y); !(u >= 0 && v >= 0 && u < float64(s.Pitch) && v < float64(s.Pitch)) {
			t.Fatalf("event %d lies %g,%g from its block's first pixel", i, u, v)
		}
	}
	for _, b := range chosen {
		if c := s.blocks[b]; c.light != float64(c.events) {
			t.Errorf("block %d: %d events of 1, light %g", b, c.events, c.light)
		}
	}
	s.take(events)
	full := s.fullest()
	if most, held := s.choose(full); len(most) == 0 || held != full*len(most) || len(most) == len(chosen) {
		t.Errorf("%d blocks of %d events hold %d", len(most), full, held)
	}
}
