package mesh

import "math"

// Costs in seconds on one core until the engine is made and has measured its own: of a block of 256^2 with 16 planes, an
// occupied tile, an event's deposit, and the engine.
const (
	guessBlock   = 12e-3
	guessTile    = 0.5e-3
	depositCost  = 20e-9
	guessEngine  = 0.35
	cellStamps   = 2  // a cell's stamp costs about two events'
	eventsToRims = 16 // and this many of its events' rims another
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

func (a *Accumulator) worthMaking(all []work) bool {
	size := float64(a.grid.pitch+2*a.grid.r) / 256
	total := 0.0
	for _, w := range all {
		if w.fixed {
			return true
		}
		total += max(0, a.saved(w, guessBlock*size*size, guessTile))
	}
	return total > guessEngine
}

// saved is the time that convolving a block saves.
func (a *Accumulator) saved(w work, block, tile float64) float64 {
	if a.cfg.StampSeconds == 0 {
		return math.Inf(1)
	}
	mesh := block + float64(w.tiles)*tile + float64(w.events)*depositCost
	stamps := float64(w.events)
	if a.cfg.Cells && stamps*a.cfg.StampSeconds > mesh {
		if stamps /= eventsToRims; stamps*a.cfg.StampSeconds <= mesh { // the rims alone do not decide
			stamps = a.stampsWithCells(w.block)
		}
	}
	return stamps*a.cfg.StampSeconds - mesh
}

// stampsWithCells returns the cost of a block's events in stamps when those of one pixel and phase are summed first.
func (a *Accumulator) stampsWithCells(block int) float64 {
	p := float64(a.cfg.PSF.Phases)
	edge := a.cfg.PSF.Phases << a.grid.shift
	words := (edge*edge + 63) / 64
	once, more := make([]uint64, words), make([]uint64, words)
	total := 0.0
	a.grid.eachTile(block, func(at, _, _ int) {
		x0, y0 := a.grid.pixel(at)
		cells, shared, events := 0, 0, 0
		for _, f := range a.fronts {
			for page := range f.tiles[at].paged {
				events += len(page)
				for i := range page {
					e := &page[i]
					u, v := int((e.X-float64(x0))*p), int((e.Y-float64(y0))*p)
					cell := min(v, edge-1)*edge + min(u, edge-1)
					word, bit := cell/64, uint64(1)<<(cell%64)
					switch {
					case once[word]&bit == 0:
						once[word] |= bit
						cells++
					case more[word]&bit == 0:
						more[word] |= bit
						shared++
					}
				}
			}
		}
		alone := cells - shared
		total += float64(alone) + cellStamps*float64(shared) + float64(events-alone)/eventsToRims
		if events > 0 {
			clear(once)
			clear(more)
		}
	})
	return total
}
