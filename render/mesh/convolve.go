package mesh

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"grsplat/render/event"
	"grsplat/render/hdr"
)

// brightFactor times the mean brightness of the other events is where an event is too bright for its block: it would lift the
// block's peak, to which the mesh's error is relative, far above what the others make.
const brightFactor = 1000

// outcome is what became of a block.
type outcome struct {
	limit   float64 // brighter events are stamped
	bound   float64
	refused bool // the bound is above MeshError: the block is stamped
	bright  []event.Event
}

// convolve runs the blocks on all threads, two at a time each, and returns those that it refused.
func (a *Accumulator) convolve(ctx context.Context, blocks []work) (refused []work, err error) {
	if len(blocks) == 0 {
		return nil, nil
	}
	if a.frame == nil {
		a.frame = hdr.NewFrame(a.cfg.W, a.cfg.H)
	}
	threads := min(a.cfg.Threads, (len(blocks)+1)/2)
	for len(a.workers) < threads {
		a.workers = append(a.workers, a.engine().NewWorker())
	}
	var next atomic.Int64
	var done sync.WaitGroup
	outcomes := make([]outcome, len(blocks))
	for i := range threads {
		done.Go(func() {
			w, spare := a.workers[i], a.engine().NewLattice()
			for ctx.Err() == nil {
				at := int(next.Add(2)) - 2
				if at >= len(blocks) {
					return
				}
				end := min(at+2, len(blocks))
				a.pair(w, blocks[at:end], outcomes[at:end], spare)
			}
		})
	}
	done.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("mesh: %w", err)
	}
	var bright []event.Event
	for i, b := range blocks {
		o := &outcomes[i]
		if o.refused {
			refused = append(refused, b)
			continue
		}
		a.stats.Blocks++
		a.stats.Events += int64(b.events - len(o.bright))
		a.stats.Bound = max(a.stats.Bound, o.bound)
		bright = append(bright, o.bright...)
	}
	if len(bright) > 0 {
		a.stats.Stamped += int64(len(bright))
		if err := a.cfg.Stamp(ctx, slices.Collect(slices.Chunk(bright, pageLen))); err != nil {
			return nil, err
		}
	}
	return refused, nil
}

// pair convolves one or two blocks.
func (a *Accumulator) pair(w *Worker, blocks []work, outcomes []outcome, spare *Lattice) {
	for b := range blocks {
		outcomes[b].limit = a.limit(blocks[b].block)
		a.fill(w, b, blocks[b].block, outcomes[b].limit, spare)
	}
	w.Convolve(len(blocks))
	for b := range blocks {
		o := &outcomes[b]
		o.bound = w.Bound(b)
		if a.cfg.MeshError > 0 && !blocks[b].fixed && !(o.bound <= a.cfg.MeshError) {
			o.refused = true
			continue
		}
		a.paste(w, b, blocks[b].block)
		o.bright = a.drop(blocks[b].block, o.limit)
	}
}

// fill deposits a block's events up to a limit on the planes of block b.
func (a *Accumulator) fill(w *Worker, b, block int, limit float64, spare *Lattice) {
	a.grid.eachTile(block, func(at, tx, ty int) {
		l, used := spare, false
		gather := func(own *Lattice) {
			switch {
			case own == nil:
			case used:
				l.add(own)
			default:
				l, used = own, true
			}
		}
		for _, f := range a.fronts {
			gather(f.tiles[at].lattice)
		}
		if a.crowded(at) {
			for _, own := range a.depositFronts(at, limit) {
				gather(own)
			}
		} else {
			for _, f := range a.fronts {
				for events := range f.tiles[at].paged {
					if !used {
						l.reset(a.grid.pixel(at))
						used = true
					}
					l.deposit(events[:sift(events, limit)])
				}
			}
		}
		if used {
			w.AddTile(b, l, tx, ty)
		}
	})
}

// crowded says whether several fronts have so many events in pages of a tile that each is worth a goroutine and a lattice.
func (a *Accumulator) crowded(at int) bool {
	n := 0
	for _, f := range a.fronts {
		if t := &f.tiles[at]; t.lattice == nil && t.n > a.hot {
			n++
		}
	}
	return n > 1
}

// depositFronts deposits each front's pages of a tile on a lattice of its own, all at a time.
func (a *Accumulator) depositFronts(at int, limit float64) []*Lattice {
	lattices := make([]*Lattice, len(a.fronts))
	var wait sync.WaitGroup
	for i, f := range a.fronts {
		if f.tiles[at].pages == nil {
			continue
		}
		wait.Go(func() {
			lattices[i] = a.engine().NewLattice()
			lattices[i].moveTo(a.grid.pixel(at))
			for events := range f.tiles[at].paged {
				lattices[i].deposit(events[:sift(events, limit)])
			}
		})
	}
	wait.Wait()
	return lattices
}

// sift moves the events above a limit to the end of a page and returns how many stay before them.
func sift(events []event.Event, limit float64) int {
	if math.IsInf(limit, 1) {
		return len(events)
	}
	n := 0
	for i := range events {
		if brightness(&events[i]) <= limit {
			events[i], events[n] = events[n], events[i]
			n++
		}
	}
	return n
}

// drop forgets a block's events and returns those above a limit.
func (a *Accumulator) drop(block int, limit float64) (bright []event.Event) {
	a.dropping.Lock()
	defer a.dropping.Unlock()
	a.grid.eachTile(block, func(at, _, _ int) {
		for _, f := range a.fronts {
			t := &f.tiles[at]
			for events := range t.paged {
				bright = append(bright, events[sift(events, limit):]...)
			}
			f.drop(t)
		}
	})
	return bright
}

// mostBright is the most events that a block can call too bright.
const mostBright = 32

// limit returns the brightness above which a block's events are stamped: the brightest few are, while each outshines the mean
// of all fainter ones by brightFactor. Events on lattices count by their tile's limit.
func (a *Accumulator) limit(block int) float64 {
	var top [mostBright]float64 // the brightest, falling
	sum, n := 0.0, 0
	a.grid.eachTile(block, func(at, _, _ int) {
		for _, f := range a.fronts {
			t := &f.tiles[at]
			paged := 0
			for events := range t.paged {
				paged += len(events)
				for i := range events {
					v := brightness(&events[i])
					sum += v
					for k := mostBright - 1; k >= 0 && v > top[k]; k-- {
						if k < mostBright-1 {
							top[k+1] = top[k]
						}
						top[k] = v
					}
				}
			}
			n += t.n
			if t.lattice != nil {
				sum += float64(t.n-paged) * t.limit / brightFactor
			}
		}
	})
	limit := math.Inf(1)
	for i, v := range top {
		sum -= v
		if rest := n - i - 1; rest > 0 && v > brightFactor*max(sum, 0)/float64(rest) {
			limit = math.Nextafter(v, 0)
		}
	}
	return limit
}

// paste adds a result to the frame.
func (a *Accumulator) paste(w *Worker, b, block int) {
	x0, y0 := a.grid.blockPixel(block)
	a.add(&w.Out[b], w.e.N, x0-a.grid.r, y0-a.grid.r, w.e.N, w.e.N)
}

// add adds w x h pixels, rows stride apart, to the frame from (x0,y0) on; what is outside it does not count.
func (a *Accumulator) add(out *[3][]float64, stride, x0, y0, w, h int) {
	left, right := max(x0, 0), min(x0+w, a.cfg.W)
	if left >= right {
		return
	}
	top, bottom := max(y0, 0), min(y0+h, a.cfg.H)
	for y := top; y < bottom; {
		rows := &a.rows[y/rowsPerLock]
		end := min((y/rowsPerLock+1)*rowsPerLock, bottom)
		rows.Lock()
		rows.lit = true
		for ; y < end; y++ {
			for c := range 3 {
				dst := a.frame.Plane[c][y*a.cfg.W+left : y*a.cfg.W+right]
				src := out[c][(y-y0)*stride+left-x0:][:len(dst)]
				for i, v := range src {
					dst[i] += v
				}
			}
		}
		rows.Unlock()
	}
}
