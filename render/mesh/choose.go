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
	guessPoints  = 0.2e-3 // a tile in points, its memory
	pointStamps  = 1      // events' stamps that a point costs
	crowded      = 512    // fewest events a tile that are looked at one by one
	cellStamps   = 1.4    // events' stamps that a cell's costs
	eventsToRims = 32     // events of a cell that cost another, for their rims
)

// choose splits blocks by cost. The engine's own time counts while there is none.
func (a *Accumulator) choose(all []work) (mesh, points, stamps []work) {
	costs := make([]costs, len(all))
	for i, w := range all {
		costs[i] = a.costs(w)
	}
	convolving := !a.cfg.Auto || a.made.Load() != nil || a.worthMaking(all, costs)
	convolving = convolving && a.engine() != nil
	for i, w := range all {
		c := &costs[i]
		switch {
		case convolving && (w.fixed || c.mesh < min(c.stamps, c.points)):
			mesh = append(mesh, w)
		case c.points < c.stamps:
			points = append(points, w)
		default:
			stamps = append(stamps, w)
		}
	}
	return mesh, points, stamps
}

// worthMaking says whether the engine repays its making: at the first flush, which is the only one of most renders, if these blocks alone
// do; later, where more can be expected, as soon as what it would have saved is a part of its cost.
func (a *Accumulator) worthMaking(all []work, costs []costs) bool {
	for i, w := range all {
		if w.fixed {
			return true
		}
		c := &costs[i]
		a.missed += max(0, min(c.stamps, c.points)-c.mesh)
	}
	if a.stats.Flushes == 1 {
		return a.missed > guessEngine
	}
	return a.missed > guessEngine/8
}

// costs of a block in seconds on one core: convolved, its transforms, its tiles' filters and its deposits; in points, those that
// its events make, and the deposits; stamped, StampSeconds an event, or less where events share cells.
type costs struct{ mesh, points, stamps float64 }

func (a *Accumulator) costs(w work) costs {
	one := a.cfg.StampSeconds
	if one == 0 {
		return costs{points: math.Inf(1), stamps: math.Inf(1)}
	}
	size := float64(a.grid.pitch+2*a.grid.r) / 256
	block, tile := guessBlock*size*size, guessTile
	if e := a.made.Load(); e != nil {
		block, tile = e.BlockSeconds, e.TileSeconds
	}
	deposits := float64(w.events) * depositCost
	c := costs{block + float64(w.tiles)*tile + deposits, math.Inf(1), float64(w.events) * one}
	switch {
	case !a.cfg.Cells || w.fixed || w.events < crowded*w.tiles:
		return c
	case a.made.Load() != nil && deposits > block && c.stamps/eventsToRims > c.mesh:
		return c // the mesh wins over cells, and points could hardly win over it
	}
	stamps, points := a.census(w.block)
	c.stamps = stamps * one
	if a.cfg.MeshError > 0 && a.points.fit(a.cfg.PSF) {
		c.points = points*pointStamps*one + float64(w.tiles)*guessPoints + deposits
	}
	return c
}

// census returns the cost of a block's events in stamps when those of one pixel and phase are summed first, and the lattice points on
// which they are deposited. Fronts look at their events at the same time.
func (a *Accumulator) census(block int) (stamps, points float64) {
	edge := a.cfg.PSF.Phases << a.grid.shift
	maps := make([]cellMap, len(a.fronts))
	for i := range maps {
		maps[i] = newCellMap(edge)
	}
	a.grid.eachTile(block, func(at, _, _ int) {
		events := 0
		var wait sync.WaitGroup
		for i, f := range a.fronts {
			switch n := f.tiles[at].n; {
			case n > crowded: // worth a goroutine
				wait.Go(func() { maps[i].count(a, f, at) })
				events += n
			case n > 0:
				maps[i].count(a, f, at)
				events += n
			}
		}
		wait.Wait()
		if events == 0 {
			return
		}
		for i := range maps[1:] {
			maps[0].merge(&maps[i+1])
		}
		points += float64(maps[0].points())
		cells, shared := maps[0].take()
		alone := cells - shared
		stamps += float64(alone) + cellStamps*float64(shared) + float64(events-alone)/eventsToRims
	})
	return stamps, points
}

// A cellMap holds a bit for each pair of pixel and phase of a tile that has one event or more, and another for two or more.
type cellMap struct {
	edge, words int // cells, and words, of a row
	once, more  []uint64
}

func newCellMap(edge int) cellMap {
	words := (edge + 63) / 64
	return cellMap{edge, words, make([]uint64, edge*words), make([]uint64, edge*words)}
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
			u = min(u, last)
			word, bit := min(v, last)*m.words+u/64, uint64(1)<<(u%64)
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

// points returns how many lattice points the cells touch: their own corners and those of the next columns and rows.
func (m *cellMap) points() (n int) {
	for y := range m.edge + 1 {
		left := uint64(0) // whether the column before the word is occupied
		for i := range m.words {
			row := uint64(0)
			if y < m.edge {
				row = m.once[y*m.words+i]
			}
			if y > 0 {
				row |= m.once[(y-1)*m.words+i]
			}
			n += bits.OnesCount64(row | row<<1 | left)
			left = row >> 63
		}
		n += int(left)
	}
	return n
}
