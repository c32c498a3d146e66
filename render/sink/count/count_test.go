package count

import (
	"context"
	"math"
	"testing"

	"grsplat/render/event"
	"grsplat/render/psf"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
)

func config(t *testing.T) sink.Config {
	t.Helper()
	p := psf.Defaults()
	p.CacheRadius = 4
	f, err := psf.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return sink.Config{W: 100, H: 70, PSF: f, Threads: 1}
}

// Two events on opposite sides of a corner of four tiles touch all four; a full chunk of one pixel's events touches one.
func TestCounts(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	s := New(cfg)
	chunk := make([]event.Event, event.ChunkLen)
	for i := range chunk {
		chunk[i] = event.Event{X: 10, Y: 10, R: 1, G: 1, B: 1, Flux: 1, Support: 4}
	}
	spread := append([]event.Event(nil), chunk...)
	spread[5].X, spread[5].Y = 31.5, 31.5
	for _, c := range [][]event.Event{chunk, spread, chunk[:7]} {
		if err := s.Deposit(context.Background(), c); err != nil {
			t.Fatal(err)
		}
	}
	got := s.Counts()
	want := Counts{3, 2, Percentiles{event.ChunkLen, event.ChunkLen, event.ChunkLen, event.ChunkLen}, Percentiles{1, 4, 4, 4}}
	if got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
	ref := cpu.NewReference(cfg)
	for _, c := range [][]event.Event{chunk, spread, chunk[:7]} {
		if err := ref.Deposit(context.Background(), c); err != nil {
			t.Fatal(err)
		}
	}
	if g, w := s.Stats().Contributions, ref.Stats().Contributions; g != w {
		t.Errorf("contributions %d, the reference has %d", g, w)
	}
}

func TestBadEventsAreErrors(t *testing.T) {
	t.Parallel()
	for _, e := range []event.Event{{X: math.NaN()}, {Flux: math.Inf(1)}, {Support: -1}, {Flux: -1}} {
		if err := New(config(t)).Deposit(context.Background(), []event.Event{e}); err == nil {
			t.Errorf("%+v passed", e)
		}
	}
}

func TestPercentilesByNearestRank(t *testing.T) {
	t.Parallel()
	values := make([]int, 100)
	for i := range values {
		values[i] = 100 - i
	}
	if got := Of(values); got != (Percentiles{50, 75, 90, 99}) {
		t.Errorf("%+v", got)
	}
	if got := Of(nil); got != (Percentiles{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

// The compiler keeps count off the image path; this says so where a reader looks for it.
func TestNotACanvas(t *testing.T) {
	t.Parallel()
	if _, ok := any(New(config(t))).(sink.Canvas); ok {
		t.Error("count became a Canvas")
	}
}
