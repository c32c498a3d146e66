package cpu

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/hdr"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu/kern"
	"grsplat/render/sink/direct"
)

// batchLen is how many events are collected before they are sorted and summed: enough that a tile's events share phase
// grids, few enough to stay a small part of a render's memory (136 bytes an event).
const batchLen = 16 * event.ChunkLen

// Stamp is the production canvas: events are collected into batches, sorted by phase and pixel, listed by the tiles that they
// touch, and every tile is summed by one goroutine with the kernels of package kern. Where Config.Coalesce allows, the events
// of one pixel and phase are summed first and stamped once (cells.go).
//
// The result does not depend on the number of threads: a tile's events are added in sorted order, a hot tile is cut into
// segments by its work alone, and segments are merged in order. Exact sums do not depend on the order of events either.
type Stamp struct {
	cfg     sink.Config
	set     kern.Set
	table   *kern.Table
	peak    float64 // largest weight
	scale   float64 // of flux*colour: 1, or in exact mode 2^k, which changes no rounding of what follows
	threads int
	cells   bool // sum events of equal pixel and phase first
	grid    grid
	layout  layout

	convolveAll bool // of the Mesh around it

	mu      sync.Mutex // held while a batch grows or is summed; all threads sum
	pending []event.Event
	scratch scratch
	workers []*worker
	buffers [][]float64 // for segments of hot tiles
	tiles   [][]float64 // by tile: nil until touched; float64, or int64 quanta in exact mode
	exact   exactSums
	direct  *direct.Adder
	stats   counts
}

// counts is what Stats tells.
type counts struct {
	events, contributions, stamped, coalesced int64
	chunks                                    int64
	seconds                                   sink.Seconds
}

// An Option changes how a Stamp computes, never what.
type Option func(*Stamp) error

// Level chooses the kernels by name: generic, avx2 or avx512. The default is the fastest that the processor has.
func Level(name string) Option {
	return func(s *Stamp) error {
		set, ok := kern.Pick(name)
		if !ok {
			return fail.Backend("cpu: level: this processor has no %q", name)
		}
		s.set = set
		return nil
	}
}

// NewStamp returns a black canvas. Precision F32 is summed in float64, which is within its tolerance.
func NewStamp(cfg sink.Config, options ...Option) (*Stamp, error) {
	s := &Stamp{
		cfg: cfg, table: kern.NewTable(cfg.PSF.Kernel), peak: cfg.PSF.Kernel.Peak(), scale: 1, threads: cfg.Threads,
		cells: cfg.Coalesce && cfg.Precision != sink.Exact128,
		grid:  newGrid(cfg.W, cfg.H), layout: newLayout(cfg.W, cfg.H, cfg.PSF.Phases, cfg.PSF.R+2), direct: direct.New(cfg),
	}
	if s.isExact() {
		s.scale = math.Ldexp(1, cfg.QuantumBits)
	}
	s.set, _ = kern.Pick("")
	for _, option := range options {
		if err := option(s); err != nil {
			return nil, err
		}
	}
	if s.threads <= 0 {
		s.threads = runtime.GOMAXPROCS(0)
	}
	s.tiles = make([][]float64, s.grid.nx*s.grid.ny)
	s.exact.bound = make([]float64, len(s.tiles))
	for range s.threads {
		s.workers = append(s.workers, newWorker(s))
	}
	return s, nil
}

func (s *Stamp) isExact() bool { return s.cfg.Precision == sink.Exact128 }

// Front returns another way in for one more producer; all fronts fill the same batch, one chunk at a time.
func (s *Stamp) Front() (sink.Sink, error) { return front{s}, nil }

type front struct{ s *Stamp }

func (f front) Deposit(ctx context.Context, chunk []event.Event) error {
	return f.s.Deposit(ctx, chunk)
}
func (f front) Close() error { return nil }

// Deposit copies a chunk's cached events and sums its direct ones. The goroutine that completes a batch sums it.
func (s *Stamp) Deposit(ctx context.Context, chunk []event.Event) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("accumulate: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.events += int64(len(chunk))
	s.stats.chunks++
	for len(chunk) > 0 {
		if s.cfg.PSF.IsDirect(chunk[0].Flux) {
			if err := s.direct.Add(ctx, &chunk[0]); err != nil {
				return fmt.Errorf("accumulate: %w", err)
			}
			chunk = chunk[1:]
			continue
		}
		n := 1
		for n < min(len(chunk), batchLen-len(s.pending)) && !s.cfg.PSF.IsDirect(chunk[n].Flux) {
			n++
		}
		s.pending = append(s.pending, chunk[:n]...)
		chunk = chunk[n:]
		if len(s.pending) == batchLen {
			if err := s.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// depositPages copies slices of cached events, on all threads.
func (s *Stamp) depositPages(ctx context.Context, pages [][]event.Event) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("accumulate: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(pages) > 0 {
		n, end := 0, len(s.pending)
		for n < len(pages) && end+len(pages[n]) <= batchLen {
			end += len(pages[n])
			n++
		}
		s.copyPages(pages[:n], end)
		if pages = pages[n:]; len(pages) == 0 && end < batchLen {
			return nil
		}
		if err := s.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// copyPages appends pages to the batch, which then has length end.
func (s *Stamp) copyPages(pages [][]event.Event, end int) {
	at := len(s.pending)
	s.stats.events += int64(end - at)
	s.pending = slices.Grow(s.pending, end-at)[:end]
	starts := make([]int, len(pages))
	for i, p := range pages {
		starts[i] = at
		at += len(p)
	}
	s.ranges(len(pages), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(s.pending[starts[i]:], pages[i])
		}
	})
}

// Flush sums what Deposit has collected so far; Resolve does so itself.
func (s *Stamp) Flush(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flush(ctx)
}

// flush sums the pending events.
func (s *Stamp) flush(ctx context.Context) error {
	if len(s.pending) == 0 {
		return nil
	}
	start := time.Now()
	events := s.pending
	s.pending = s.pending[:0]
	if s.isExact() {
		var err error
		if events, err = s.addBright(ctx, events); err != nil {
			return err
		}
	}
	s.prepare(events)
	s.plan()
	planned := time.Now()
	s.stats.seconds.Bin += planned.Sub(start).Seconds()
	if err := s.run(ctx); err != nil {
		return fmt.Errorf("accumulate: %w", err)
	}
	s.stats.seconds.Accumulate += time.Since(planned).Seconds()
	return nil
}

// Resolve overwrites dst with the sums, the direct events' added once.
func (s *Stamp) Resolve(ctx context.Context, dst *hdr.Frame) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("resolve: %w", err)
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	if err := s.direct.Flush(ctx); err != nil {
		return fmt.Errorf("resolve: %w", err)
	}
	start := time.Now()
	defer func() { s.stats.seconds.Merge += time.Since(start).Seconds() }()
	if s.isExact() {
		s.totalSums().Resolve(dst)
		return nil
	}
	s.parallel(len(s.tiles), func(_ *worker, t int) { s.copyTile(t, dst) })
	s.direct.AddTo(dst)
	return nil
}

func (s *Stamp) copyTile(t int, dst *hdr.Frame) {
	r := s.grid.rect(t)
	for c := range dst.Plane {
		for y := r.y0; y <= r.y1; y++ {
			row := dst.Plane[c][y*dst.W+r.x0 : y*dst.W+r.x1+1]
			if tile := s.tiles[t]; tile != nil {
				copy(row, tile[(y-r.y0)*kern.RowLen+c*kern.PlaneLen:])
			} else {
				clear(row)
			}
		}
	}
}

// Sums returns the exact sums, direct events included, or nil in float64.
func (s *Stamp) Sums() *hdr.Sums {
	if !s.isExact() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.totalSums()
}

// Reset makes the canvas black again, its memory kept.
func (s *Stamp) Reset(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = s.pending[:0]
	s.parallel(len(s.tiles), func(_ *worker, t int) { clear(s.tiles[t]) })
	clear(s.exact.bound)
	s.exact.bright = nil
	if s.exact.sums != nil {
		*s.exact.sums = *hdr.NewSums(s.cfg.W, s.cfg.H, s.cfg.QuantumBits)
	}
	s.direct, s.stats = direct.New(s.cfg), counts{}
	return ctx.Err()
}

// Close frees the tiles.
func (s *Stamp) Close() error {
	s.tiles, s.buffers, s.pending, s.workers = nil, nil, nil, nil
	return nil
}

// Stats counts the work.
func (s *Stamp) Stats() sink.Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	contributions := s.stats.contributions + s.direct.Contributions()
	if s.exact.bright != nil {
		contributions += s.exact.bright.contributions
	}
	seconds := s.stats.seconds
	seconds.Direct = s.direct.Seconds()
	st := sink.Stats{
		Backend: "cpu", Device: s.set.Name, Path: "stamp", Events: s.stats.events, Direct: s.direct.Events(),
		Contributions: contributions,
		PathChunks:    map[string]int64{"stamp": s.stats.chunks},
		PathEvents:    map[string]int64{"stamp": s.stats.stamped},
		Seconds:       seconds,
	}
	if s.cells {
		st.Path = "auto"
		st.PathEvents["cell"] = s.stats.coalesced
	}
	return st
}
