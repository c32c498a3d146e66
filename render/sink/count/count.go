// Package count is the null backend: it checks every event and counts what a real one would have to do, without a frame. Its
// figures are diagnostic: they size chunks and tiles, and time the producers alone.
package count

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"grsplat/render/event"
	"grsplat/render/psf"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu/kern"
)

// TilePx is the side of the tiles whose occupation is counted.
const TilePx = 32

// Percentiles are the p50, p75, p90 and p99 of a distribution over chunks.
type Percentiles struct {
	P50 int `json:"p50"`
	P75 int `json:"p75"`
	P90 int `json:"p90"`
	P99 int `json:"p99"`
}

// Counts is what the producers delivered.
type Counts struct {
	Chunks         int64       `json:"chunks"`
	FullChunks     int64       `json:"full_chunks"`
	EventsPerChunk Percentiles `json:"events_per_chunk"`
	TilesPerFull   Percentiles `json:"tiles32_per_full_chunk"` // tiles whose pixels a full chunk's supports touch
}

// A Sink counts. It is Parallel and not a Canvas.
type Sink struct {
	cfg sink.Config

	mu     sync.Mutex
	fronts []*front
}

// New returns a Sink for frames of cfg's size.
func New(cfg sink.Config) *Sink { return &Sink{cfg: cfg} }

// Front returns a private counter for one worker.
func (s *Sink) Front() (sink.Sink, error) {
	f := newFront(s.cfg)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fronts = append(s.fronts, f)
	return f, nil
}

// Deposit counts a chunk of a producer that asked for no front.
func (s *Sink) Deposit(ctx context.Context, chunk []event.Event) error {
	s.mu.Lock()
	if len(s.fronts) == 0 {
		s.fronts = append(s.fronts, newFront(s.cfg))
	}
	f := s.fronts[0]
	s.mu.Unlock()
	return f.Deposit(ctx, chunk)
}

// Close has nothing to free.
func (s *Sink) Close() error { return nil }

// Stats counts events and what they would light.
func (s *Sink) Stats() sink.Stats {
	st := sink.Stats{Backend: "count", Path: "count", PathChunks: map[string]int64{}, PathEvents: map[string]int64{}}
	for _, f := range s.fronts {
		st.Events += f.events
		st.Direct += f.direct
		st.Contributions += f.contributions
		st.PathChunks["count"] += int64(len(f.perChunk))
		st.PathEvents["count"] += f.events - f.direct
	}
	return st
}

// Counts returns the distributions; it is legal once every front is closed.
func (s *Sink) Counts() Counts {
	var c Counts
	var perChunk, tiles []int
	for _, f := range s.fronts {
		perChunk = append(perChunk, f.perChunk...)
		tiles = append(tiles, f.tilesPerFull...)
	}
	c.Chunks, c.FullChunks = int64(len(perChunk)), int64(len(tiles))
	c.EventsPerChunk, c.TilesPerFull = Of(perChunk), Of(tiles)
	return c
}

// Of returns the percentiles of values by nearest rank, zeros when there are none. It sorts values.
func Of(values []int) Percentiles {
	if len(values) == 0 {
		return Percentiles{}
	}
	slices.Sort(values)
	at := func(p int) int { return values[(len(values)*p+99)/100-1] }
	return Percentiles{at(50), at(75), at(90), at(99)}
}

// A front counts for one worker.
type front struct {
	cfg                           sink.Config
	set                           kern.Set
	spans                         []kern.Span
	columns                       int
	stamp                         int   // number of the current full chunk, marks in seen
	seen                          []int // per tile, the last full chunk that touched it
	perChunk, tilesPerFull        []int
	events, direct, contributions int64
}

func newFront(cfg sink.Config) *front {
	columns := (cfg.W + TilePx - 1) / TilePx
	set, _ := kern.Pick("")
	return &front{cfg: cfg, set: set, spans: make([]kern.Span, spansLen), columns: columns, seen: make([]int, columns*((cfg.H+TilePx-1)/TilePx))}
}

func (f *front) Deposit(ctx context.Context, chunk []event.Event) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("accumulate: %w", err)
	}
	full := len(chunk) == event.ChunkLen
	f.stamp++
	tiles := 0
	for i := range chunk {
		e := &chunk[i]
		if !valid(e) {
			return fmt.Errorf("accumulate: count: event %d of the chunk is not finite: %+v", i, *e)
		}
		f.events++
		if f.cfg.PSF.IsDirect(e.Flux) {
			f.direct++
		}
		d := psf.NewDisc(e.X, e.Y, e.Support, f.cfg.W, f.cfg.H)
		f.contributions += f.pixels(e, &d)
		if full {
			tiles += f.touch(e, &d)
		}
	}
	f.perChunk = append(f.perChunk, len(chunk))
	if full {
		f.tilesPerFull = append(f.tilesPerFull, tiles)
	}
	return nil
}

// spansLen rows are counted at once.
const spansLen = 256

// pixels is d.Pixels() with vectors.
func (f *front) pixels(e *event.Event, d *psf.Disc) (n int64) {
	for j := d.Y0; j <= d.Y1; j += spansLen {
		n += int64(f.set.Spans(f.spans, &kern.Disc{
			X: e.X, Y: e.Y, Support: e.Support, J0: float64(j), J1: float64(min(j+spansLen-1, d.Y1)), X1: float64(f.cfg.W - 1),
		}))
	}
	return n
}

func valid(e *event.Event) bool {
	sum := e.X + e.Y + e.R + e.G + e.B + e.Flux + e.Support
	return !math.IsNaN(sum) && !math.IsInf(sum, 0) && e.Support >= 0 && e.Flux >= 0
}

// touch marks the tiles under e's bounding square and returns how many were new to the chunk.
func (f *front) touch(e *event.Event, d *psf.Disc) int {
	if d.Y1 < d.Y0 {
		return 0
	}
	x0 := int(max(math.Ceil(e.X-e.Support), 0)) / TilePx
	x1 := int(min(math.Floor(e.X+e.Support), float64(f.cfg.W-1))) / TilePx
	fresh := 0
	for ty := d.Y0 / TilePx; ty <= d.Y1/TilePx; ty++ {
		for tx := x0; tx <= x1; tx++ {
			if at := ty*f.columns + tx; f.seen[at] != f.stamp {
				f.seen[at] = f.stamp
				fresh++
			}
		}
	}
	return fresh
}

func (f *front) Close() error { return nil }
