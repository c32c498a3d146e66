package mesh

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/mesh/fft"
	"grsplat/render/psf"
)

// Config says what an Accumulator is to do.
type Config struct {
	W, H    int // frame, px
	PSF     *psf.PSF
	Level   fft.Level
	Threads int
	// Stamp takes the events that cost less stamped, after the blocks of a flush: many slices of pageLen events or fewer.
	Stamp func(ctx context.Context, pages [][]event.Event) error
	// StampSeconds is what Stamp takes for an event on one core, as its owner measured it; 0 keeps every block in the mesh.
	StampSeconds float64
	// Cells says that Stamp sums events of one pixel and phase first.
	Cells bool
	// Auto weighs the time that the engine takes to make, too.
	Auto bool
	// MeshError is the bound over a block's peak above which a block is stamped; 0 for no such limit.
	MeshError float64
	// Memory bounds pages and lattices, in bytes; beyond it everything is convolved and forgotten.
	Memory int64
}

// An Accumulator is the mesh over one frame: Fronts collect events by tile, and a flush convolves or stamps them block by block.
type Accumulator struct {
	cfg     Config
	grid    grid
	support float64
	hot     int // events of a tile that outweigh its lattice
	frame   *hdr.Frame
	rows    []frameRows
	points  points

	flushing sync.RWMutex // held for reading by deposits
	fronts   []*Front
	used     atomic.Int64
	dropping sync.Mutex // guards the fronts' free pages during a flush

	once    sync.Once
	made    atomic.Pointer[Engine] // nil until it was made, or where it cannot be
	failure error                  // why it cannot
	missed  float64                // s that an engine would have saved so far
	workers []*Worker
	stats   Stats
}

// frameRows guards rowsPerLock rows of the frame and says whether anything was added to them.
type frameRows struct {
	sync.Mutex
	lit bool
}

const rowsPerLock = 16

// Stats counts an Accumulator's work.
type Stats struct {
	Events  int64 // convolved
	Points  int64 // events stamped as lattice points
	Blocks  int64 // convolved, each time it was flushed
	Stamped int64 // events handed to Stamp by flushes
	Flushes int64
	Bound   float64 // largest error bound of a block over its peak
	Peak    int64   // bytes

	StampSeconds, BlockSeconds, TileSeconds float64 // costs chosen by, on one core; 0 where none was measured
}

// New returns an empty Accumulator. It fails when the PSF's kernels are too wide for the mesh.
func New(cfg Config) (*Accumulator, error) {
	s, ok := newShape(cfg.PSF.Kernel, cfg.PSF.Phases, 0)
	if !ok {
		return nil, fmt.Errorf("mesh: kernels of radius %d px are too wide", cfg.PSF.R)
	}
	a := &Accumulator{cfg: cfg, grid: newGrid(&s, cfg.W, cfg.H), support: support(cfg.PSF)}
	edge := s.Tile*s.P + 1
	a.hot = 8 * edge * up8(3*edge) / 56
	a.rows = make([]frameRows, (cfg.H+rowsPerLock-1)/rowsPerLock)
	return a, nil
}

// support returns the support of every cached event.
func support(f *psf.PSF) float64 {
	_, s := f.Classify(f.MinY)
	return s
}

// engine makes the engine on first use; nil when it cannot be made.
func (a *Accumulator) engine() *Engine {
	a.once.Do(func() {
		var e *Engine
		if e, a.failure = NewEngine(a.cfg.PSF, a.cfg.Level); a.failure == nil {
			a.made.Store(e)
		}
	})
	return a.made.Load()
}

// Prepare makes the engine in the background, for an owner who knows that it will be used.
func (a *Accumulator) Prepare() { go a.engine() }

// Front returns a collector for one goroutine.
func (a *Accumulator) Front() *Front {
	a.flushing.Lock()
	defer a.flushing.Unlock()
	f := &Front{a: a, tiles: make([]tile, a.grid.nx*a.grid.ny)}
	a.fronts = append(a.fronts, f)
	return f
}

// Full says that the memory limit is passed and Flush is due.
func (a *Accumulator) Full() bool { return a.used.Load() > a.cfg.Memory }

// work is one block's share of a flush.
type work struct {
	block  int
	events int
	fixed  bool // a lattice holds events of it, which can no longer be stamped
	tiles  int  // occupied
}

// Flush convolves or stamps everything collected so far. Deposits wait meanwhile.
func (a *Accumulator) Flush(ctx context.Context) error {
	a.flushing.Lock()
	defer a.flushing.Unlock()
	all := a.survey()
	if len(all) == 0 {
		return nil
	}
	a.stats.Flushes++
	a.stats.Peak = max(a.stats.Peak, a.used.Load())
	mesh, crowds, stamps := a.choose(all)
	if !a.cfg.Auto && a.failure != nil {
		return a.failure
	}
	tooDim, err := a.crowds(ctx, crowds)
	if err != nil {
		return err
	}
	slices.SortFunc(mesh, func(x, y work) int { return cmp.Compare(y.events, x.events) })
	refused, err := a.convolve(ctx, mesh)
	if err != nil {
		return err
	}
	if err := a.stamp(ctx, slices.Concat(stamps, tooDim, refused)); err != nil {
		return err
	}
	for _, f := range a.fronts {
		f.touched = f.touched[:0]
	}
	return nil
}

// survey returns the blocks that have events.
func (a *Accumulator) survey() []work {
	all := make([]work, a.grid.bx*a.grid.by)
	for i, f := range a.fronts {
		for _, at := range f.touched {
			w, t := &all[a.grid.block(int(at))], &f.tiles[at]
			w.events += t.n
			w.fixed = w.fixed || t.lattice != nil
			if !slices.ContainsFunc(a.fronts[:i], func(o *Front) bool { return o.tiles[at].n > 0 }) {
				w.tiles++
			}
		}
	}
	var occupied []work
	for b, w := range all {
		if w.block = b; w.events > 0 {
			occupied = append(occupied, w)
		}
	}
	return occupied
}

// stamp hands the events of blocks to the sink.
func (a *Accumulator) stamp(ctx context.Context, blocks []work) error {
	var pages [][]event.Event
	each := func(visit func(f *Front, t *tile)) {
		for _, w := range blocks {
			a.grid.eachTile(w.block, func(tile, _, _ int) {
				for _, f := range a.fronts {
					visit(f, &f.tiles[tile])
				}
			})
		}
	}
	events := 0
	each(func(_ *Front, t *tile) {
		for page := range t.paged {
			pages = append(pages, page)
			events += len(page)
		}
	})
	if events == 0 {
		return nil
	}
	a.stats.Stamped += int64(events)
	err := a.cfg.Stamp(ctx, pages)
	each(func(f *Front, t *tile) { f.drop(t) })
	return err
}

// AddTo adds what was convolved to dst.
func (a *Accumulator) AddTo(dst *hdr.Frame) {
	a.eachLit(func(row, from []float64) {
		row = row[:len(from)]
		for i, v := range from {
			row[i] += v
		}
	}, dst)
}

// eachLit calls f with every part of dst where the frame may have light, and with that part of the frame.
func (a *Accumulator) eachLit(f func(dst, src []float64), dst *hdr.Frame) {
	for i := range a.rows {
		if !a.rows[i].lit {
			continue
		}
		from, to := i*rowsPerLock*a.cfg.W, min((i+1)*rowsPerLock, a.cfg.H)*a.cfg.W
		for c := range dst.Plane {
			f(dst.Plane[c][from:to], a.frame.Plane[c][from:to])
		}
	}
}

// Reset forgets all events; engine and memory are kept.
func (a *Accumulator) Reset() {
	a.flushing.Lock()
	defer a.flushing.Unlock()
	for _, f := range a.fronts {
		for _, at := range f.touched {
			f.drop(&f.tiles[at])
		}
		f.touched = f.touched[:0]
	}
	if a.frame != nil {
		a.eachLit(func(row, _ []float64) { clear(row) }, a.frame)
		for i := range a.rows {
			a.rows[i].lit = false
		}
	}
	a.stats = Stats{Flushes: a.stats.Flushes}
}

// Stats returns the counts so far; legal between calls.
func (a *Accumulator) Stats() Stats {
	s := a.stats
	s.StampSeconds = a.cfg.StampSeconds
	if e := a.made.Load(); e != nil {
		s.BlockSeconds, s.TileSeconds = e.BlockSeconds, e.TileSeconds
	}
	return s
}
