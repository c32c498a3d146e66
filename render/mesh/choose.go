package mesh

import (
	"math"
	"math/bits"
	"sync"
)

// Costs in seconds on one core until the engine is made and has measured its own: of a block of 256^2 with 16 planes, an
// occupied tile, an event's deposit, and the engine.
const (
	guessBlock   = 12e-3
	guessTile    = 0.5e-3
	depositCost  = 20e-9
	guessEngine  = 0.3
	cellStamps   = 1.4 // events' stamps that a cell's costs
	eventsToRims = 32  // events of a cell that cost another, for their rims
)

// choose splits blocks by cost: stamped, a block costs StampSeconds an event, or less where events share cells; convolved, its
// transforms, its tiles' filters and its deposits. The engine's own time counts while there is none.
func (a *Accumulator) choose(all []work) (mesh, stamps []work) {
	if a.made.Load() == nil && a.cfg.Auto && !a.worthMaking(all) {
		return nil, all
	}
	e := a.engine()
	if e == nil {
		return nil, all
	}
	for _, w := range all {
		if w.fixed || a.saved(w, e.BlockSeconds, e.TileSeconds) > 0 {
			mesh = append(mesh, w)
		} else {
			stamps = append(stamps, w)
		}
	}
	return mesh, stamps
}

// worthMaking says whether the engine repays its making: at the first flush, which is the only one of most renders, if these blocks alone
// do; later, where more can be expected, as soon as what it would have saved is a part of its cost.
func (a *Accumulator) worthMaking(all []work) bool {
	size := float64(a.grid.pitch+2*a.grid.r) / 256
	for _, w := range all {
		if w.fixed {
			return true
		}
		a.missed += max(0, a.saved(w, guessBlock*size*size, guessTile))
	}
	if a.stats.Flushes == 1 {
		return a.missed > guessEngine
	}
	return a.missed > guessEngine/8
}

// saved is the time that convolving a block saves.
func (a *Accumulator) saved(w work, block, tile float64) float64 {
	if a.cfg.StampSeconds == 0 {
		return math.Inf(1)
	}
	mesh := block + float64(w.tiles)*tile + float64(w.events)*depositCost
	stamps := float64(w.events)
	if a.cfg.Cells && stamps*a.cfg.StampSeconds > mesh {
		// where the rims alone decide, the sign is enough
		if stamps /= eventsToRims; stamps*a.cfg.StampSeconds <= mesh || a.made.Load() == nil {
			stamps = a.stampsWithCells(w.block)
		}
	}
	return stamps*a.cfg.StampSeconds - mesh
}

// stampsWithCells returns the cost of a block's events in stamps when those of one pixel and phase are summed first. Fronts look at their
// events at the same time.
func (a *Accumulator) stampsWithCells(block int) float64 {
	edge := a.cfg.PSF.Phases << a.grid.shift
	maps := make([]cellMap, len(a.fronts))
	for i := range maps {
		maps[i] = newCellMap(edge)
	}
	total := 0.0
	a.grid.eachTile(block, func(at, _, _ int) {
		events := 0
		var wait sync.WaitGroup
		for i, f := range a.fronts {
			if n := f.tiles[at].n; n > 0 {
				events += n
				wait.Go(func() { maps[i].count(a, f, at) })
			}
		}
		wait.Wait()
		if events == 0 {
			return
		}
		for i := range maps[1:] {
			maps[0].merge(&maps[i+1])
		}
		cells, shared := maps[0].take()
		alone := cells - shared
		total += float64(alone) + cellStamps*float64(shared) + float64(events-alone)/eventsToRims
	})
	return total
}

// A cellMap holds a bit for each pair of pixel and phase of a tile that has one event or more, and another for two or more.
type cellMap struct {
	edge       int
	once, more []uint64
}

func newCellMap(edge int) cellMap {
	words := (edge*edge + 63) / 64
	return cellMap{edge, make([]uint64, words), make([]uint64, words)}
}

// count notes a front's events of a tile.
func (m *cellMap) count(a *Accumulator, f *Front, at int) {
	p := float64(a.cfg.PSF.Phases)
	x0, y0 := a.grid.pixel(at)
	left, top, last := float64(x0), float64(y0), m.edge-1
	for page := range f.tiles[at].paged {
		for i := range page {
			e := &page[i]
			u, v := int((e.X-left)*p), int((e.Y-top)*p)
			cell := min(v, last)*m.edge + min(u, last)
			word, bit := cell/64, uint64(1)<<(cell%64)
			m.more[word] |= m.once[word] & bit
			m.once[word] |= bit
		}
	}
}

// merge adds another map's events and empties it.
func (m *cellMap) merge(o *cellMap) {
	for i, v := range o.once {
		m.more[i] |= o.more[i] | m.once[i]&v
		m.once[i] |= v
	}
	clear(o.once)
	clear(o.more)
}

// take returns how many cells have events, and how many more than one, and empties the map.
func (m *cellMap) take() (cells, shared int) {
	for i, v := range m.once {
		cells += bits.OnesCount64(v)
		shared += bits.OnesCount64(m.more[i])
	}
	clear(m.once)
	clear(m.more)
	return cells, shared
}
