package mesh

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"grsplat/render/event"
	"grsplat/render/hdr"
)

// Other supports and what nothing of reaches the frame come back; a lone event far brighter than the rest of its block is stamped.
func TestWhatIsNotConvolved(t *testing.T) {
	t.Parallel()
	f := smallPSF()
	events := scatter(f, 600, 0, 0, 60, 0, 2)
	events[10].Flux = 1e6
	events[20].Support--
	events[30].X = -100
	a := newArea(t, f, 60, 60, nil)
	got := a.image(t, events)
	if len(a.rest) != 2 || len(a.stamped) != 1 || a.stamped[0].Flux != 1e6 {
		t.Fatalf("%d events refused, %d stamped", len(a.rest), len(a.stamped))
	}
	kept := append(append(append([]event.Event{}, events[:10]...), events[11:20]...), events[21:]...)
	a.check(t, got, kept)
	if s := a.Stats(); s.Events != 597 || s.Stamped != 1 {
		t.Errorf("stats: %+v", s)
	}
}

// Blocks whose bound is above the limit are stamped, all of them and once.
func TestErrorLimit(t *testing.T) {
	t.Parallel()
	events := scatter(smallPSF(), 600, 0, 0, 60, 0, 2)
	a := newArea(t, smallPSF(), 60, 60, func(c *Config) { c.MeshError = 1e-9 })
	got := a.image(t, events)
	if len(a.stamped) != len(events) || largest(got.Plane[0]) != 0 {
		t.Errorf("%d of %d events stamped", len(a.stamped), len(events))
	}
	b := newArea(t, defaultPSF(), 60, 60, func(c *Config) { c.MeshError = 1e-9 })
	events = scatter(defaultPSF(), 600, 0, 0, 60, 0, 2)
	b.check(t, b.image(t, events), events)
	if len(b.stamped) != 0 {
		t.Errorf("%d events stamped, bound %g", len(b.stamped), b.Stats().Bound)
	}
}

// A block is convolved where stamps cost more, and the engine is made only if that pays for it.
func TestCosts(t *testing.T) {
	t.Parallel()
	events := scatter(smallPSF(), 2000, 0, 0, 60, 0, 2)
	for _, c := range []struct {
		seconds     float64
		auto, cells bool
		stamped     bool
	}{{1e-9, false, false, true}, {1e-2, false, false, false}, {1e-5, true, false, true}, {1e-2, true, true, false}} {
		a := newArea(t, smallPSF(), 60, 60, func(cfg *Config) { cfg.StampSeconds, cfg.Auto, cfg.Cells = c.seconds, c.auto, c.cells })
		a.image(t, events)
		if stamped := len(a.stamped) > 0; stamped != c.stamped {
			t.Errorf("%+v: %d of %d events stamped", c, len(a.stamped), len(events))
		}
		if c.auto && c.stamped && a.made.Load() != nil {
			t.Errorf("%+v: an engine was made for nothing", c)
		}
	}
}

// A hot tile keeps a lattice instead of events, and two fronts' lattices add up with their pages. Where a block may be refused, the
// events are kept, and the fronts deposit theirs at the flush.
func TestHotTile(t *testing.T) {
	t.Parallel()
	f := smallPSF()
	const per = 40
	for _, limit := range []float64{0, 1} {
		lot := scatter(f, 1000, 10, 10, 9, 1, 4)
		a := newArea(t, f, 60, 60, func(c *Config) { c.MeshError = limit })
		fronts := []*Front{a.Front(), a.Front()}
		for _, front := range fronts {
			for range per {
				a.rest = front.Deposit(lot, a.rest)
			}
			if hot := front.tiles[a.grid.tile(15, 15)].lattice != nil; hot != (limit == 0) {
				t.Errorf("limit %g: a lattice in a tile of 40,000 events: %v", limit, hot)
			}
		}
		if used := a.used.Load(); limit == 0 && used > 8<<20 {
			t.Errorf("80,000 events of one tile take %d bytes", used)
		}
		if at := a.grid.tile(15, 15); a.crowded(at) != (limit > 0) {
			t.Errorf("limit %g: crowded is %v", limit, a.crowded(at))
		}
		got := a.image(t, nil)
		for i := range lot {
			lot[i].Flux *= 2 * per
		}
		a.check(t, got, lot)
		if a.used.Load() != 0 {
			t.Errorf("%d bytes in use after a flush", a.used.Load())
		}
	}
}

// Full asks for a flush at the memory limit, after which sums go on.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	f := smallPSF()
	events := scatter(f, 3000, 0, 0, 60, 0, 2)
	a := newArea(t, f, 60, 60, func(c *Config) { c.Memory = 1 << 17 })
	front, flushes := a.Front(), 0
	for i := 0; i < len(events); i += 100 {
		a.rest = front.Deposit(events[i:i+100], a.rest)
		if a.Full() {
			if err := a.Flush(context.Background()); err != nil {
				t.Fatal(err)
			}
			flushes++
		}
	}
	a.check(t, a.image(t, nil), events)
	if flushes == 0 || a.Stats().Peak > 1<<18 {
		t.Errorf("%d flushes, peak %d bytes", flushes, a.Stats().Peak)
	}
}

// Where the engine cannot be made a named mesh is an error; auto stamps instead.
func TestNoEngine(t *testing.T) {
	t.Parallel()
	none := errors.New("no engine")
	for _, auto := range []bool{false, true} {
		a := newArea(t, steepPSF(), 60, 60, func(c *Config) { c.Auto, c.StampSeconds = auto, 1 })
		a.once = sync.Once{}
		a.made.Store(nil)
		a.once.Do(func() { a.failure = none })
		a.Front().Deposit(scatter(steepPSF(), 10, 0, 0, 60, 0, 2), nil)
		if err := a.Flush(context.Background()); auto != (err == nil) || !auto && !errors.Is(err, none) || auto && len(a.stamped) != 10 {
			t.Errorf("auto %v: %v, %d events stamped", auto, err, len(a.stamped))
		}
	}
}

func TestCancelledFlush(t *testing.T) {
	t.Parallel()
	a := newArea(t, smallPSF(), 60, 60, nil)
	a.Front().Deposit(scatter(smallPSF(), 10, 0, 0, 60, 0, 2), nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := a.Flush(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// BenchmarkAccumulate is ten million events in one block, and over a 4K frame, on two cores.
func BenchmarkAccumulate(b *testing.B) {
	f := defaultPSF()
	const n = 10_000_000
	for _, side := range []float64{16, 3840} {
		b.Run(fmt.Sprintf("%gpx", side), func(b *testing.B) {
			chunks := make([][]event.Event, 16)
			for i := range chunks {
				chunks[i] = scatter(f, event.ChunkLen, 0, 0, 1, 0, uint64(i))
				for j := range chunks[i] {
					e := &chunks[i][j]
					e.X, e.Y = 0.25*3840+e.X*side/2, e.Y*min(side, 2160)
				}
			}
			for b.Loop() {
				a := newArea(b, f, 3840, 2160, nil)
				done := make(chan bool)
				for worker := range 2 {
					front := a.Front()
					go func() {
						for i := worker; i < n/event.ChunkLen; i += 2 {
							front.Deposit(chunks[i%len(chunks)], nil)
						}
						done <- true
					}()
				}
				<-done
				<-done
				deposited := time.Now()
				if err := a.Flush(context.Background()); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(time.Since(deposited).Seconds(), "flush-s")
				a.AddTo(hdr.NewFrame(3840, 2160))
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/n*1e9, "ns/event")
		})
	}
}

// BenchmarkBlock is one block's transforms, products and inverses at every level, two blocks at a time, and a tile's filter.
func BenchmarkBlock(b *testing.B) {
	for _, level := range levels() {
		e, err := NewEngine(defaultPSF(), level)
		if err != nil {
			b.Fatal(err)
		}
		w, l := e.NewWorker(), e.NewLattice()
		b.Run(level.String()+"/block", func(b *testing.B) {
			for b.Loop() {
				w.Convolve(2)
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(2*b.N)*1e3, "ms/block")
		})
		b.Run(level.String()+"/tile", func(b *testing.B) {
			for b.Loop() {
				w.AddTile(0, l, 1, 1)
			}
		})
	}
}
