package cpu

import (
	"math"
	"math/bits"

	"grsplat/render/event"
	"grsplat/render/psf"
	"grsplat/render/sink/cpu/kern"
)

// scratch is one batch on its way to the tiles; its slices are reused.
type scratch struct {
	keys, spare []keyed
	stars       []kern.Star // in sorted order
	supports    []float64   // px, beside stars
	items       []item      // what is stamped: an event or a cell of events
	cells       []cell
	lists       []int32 // items by tile
	starts      []int32 // first entry of lists by tile
	segments    []segment
}

// keyed is an event's place in the order of a batch.
type keyed struct {
	key   uint64
	event int32
}

// A layout packs phase, row and column of an event's pixel into a key, so that sorting brings events together that share
// phase grids, and among those the ones of one pixel.
type layout struct {
	margin         int // pixels that an event may lie outside the frame
	xBits, yBits   int
	phases         int
	xLimit, yLimit int
	ranks          []uint16 // of phases, by row and column
}

func newLayout(w, h, phases, margin int) layout {
	l := layout{margin: margin, phases: phases, xLimit: w + 2*margin - 1, yLimit: h + 2*margin - 1}
	l.xBits, l.yBits = bits.Len(uint(l.xLimit)), bits.Len(uint(l.yLimit))
	for p := range phases * phases {
		l.ranks = append(l.ranks, uint16(l.rank(p%phases, p/phases)))
	}
	return l
}

// key clamps pixels beyond the margin, from which nothing reaches the frame.
func (l *layout) key(m *psf.Mix) uint64 {
	x := min(max(m.IX+l.margin, 0), l.xLimit)
	y := min(max(m.IY+l.margin, 0), l.yLimit)
	return (uint64(l.ranks[m.PY*l.phases+m.PX])<<l.yBits|uint64(y))<<l.xBits | uint64(x)
}

// rank numbers the phases: first by the grids that they read, row upon row, there and back, so that neighbours share grids.
func (l *layout) rank(px, py int) int {
	row, below := py, l.phases-1-py
	if row > below {
		row, below = below, row
	}
	column := px
	if row%2 == 1 {
		column = l.phases - 1 - px
	}
	rank := 2 * (row*l.phases + column)
	if py > row {
		rank++
	}
	return rank
}

// top is above every key.
func (l *layout) top() uint64 { return uint64(2*l.phases*l.phases) << (l.yBits + l.xBits) }

// prepare sorts the batch and makes stars of its events, in sorted order.
func (s *Stamp) prepare(events []event.Event) {
	k := s.cfg.PSF.Kernel
	l, b := &s.layout, &s.scratch
	b.keys, b.spare = resized(b.keys, len(events)), resized(b.spare, len(events))
	s.ranges(len(events), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			m := k.Mix(events[i].X, events[i].Y)
			b.keys[i] = keyed{l.key(&m), int32(i)}
		}
	})
	b.keys, b.spare = sortKeys(b.keys, b.spare, l.top())
	b.stars, b.supports = resized(b.stars, len(events)), resized(b.supports, len(events))
	s.group()
	s.ranges(len(b.items), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s.fill(&b.items[i], events)
		}
	})
}

// group makes an item of every event, or of every run of equal keys where cells are allowed.
func (s *Stamp) group() {
	b := &s.scratch
	b.items, b.cells = b.items[:0], b.cells[:0]
	least := minCell
	if !s.cells {
		least = math.MaxInt
	}
	for i := 0; i < len(b.keys); {
		n := 1
		for i+n < len(b.keys) && b.keys[i+n].key == b.keys[i].key {
			n++
		}
		if n >= least {
			b.items = append(b.items, item{first: int32(i), n: int32(n), cell: int32(len(b.cells))})
			b.cells = append(b.cells, cell{first: int32(i), n: int32(n)})
		} else {
			for k := range n {
				b.items = append(b.items, item{first: int32(i + k), n: 1, cell: -1})
			}
		}
		i += n
	}
}

// fill makes an item's stars and says which tiles they touch.
func (s *Stamp) fill(it *item, events []event.Event) {
	b := &s.scratch
	k := s.cfg.PSF.Kernel
	var m psf.Mix
	var e *event.Event
	for i := it.first; i < it.first+it.n; i++ {
		e = &events[b.keys[i].event]
		m = k.Mix(e.X, e.Y)
		star := &b.stars[i]
		star.X, star.Y, star.S2 = e.X, e.Y, e.Support*e.Support
		star.B = [4]float64{m.B00, m.B10, m.B01, m.B11}
		star.F = s.colour(e)
		b.supports[i] = e.Support
	}
	it.mix = place{int32(m.IX), int32(m.IY), int16(m.PX), int16(m.PY)}
	if it.cell < 0 {
		it.tiles = s.grid.touched(box{e.X, e.Y, e.X, e.Y, e.Support})
		return
	}
	c := &b.cells[it.cell]
	c.fill(b.stars[it.first:it.first+it.n], b.supports[it.first:it.first+it.n])
	it.tiles = s.grid.touched(c.box)
}

// colour is flux*colour times the scale.
func (s *Stamp) colour(e *event.Event) [3]float64 {
	f := e.Colour()
	return [3]float64{f[0] * s.scale, f[1] * s.scale, f[2] * s.scale}
}

// sortKeys sorts by key, stably, below top: a radix sort, lowest digit first, of the digits that vary. It returns the sorted
// slice and the other.
func sortKeys(keys, spare []keyed, top uint64) (sorted, other []keyed) {
	const digit = 11
	var count [1 << digit]int32
	var varying uint64
	for i := range keys {
		varying |= keys[i].key ^ keys[0].key
	}
	for shift := 0; top>>shift > 0; shift += digit {
		if varying>>shift&(1<<digit-1) == 0 {
			continue
		}
		clear(count[:])
		for i := range keys {
			count[keys[i].key>>shift&(1<<digit-1)]++
		}
		var sum int32
		for d, n := range count {
			count[d] = sum
			sum += n
		}
		for _, k := range keys {
			d := k.key >> shift & (1<<digit - 1)
			spare[count[d]] = k
			count[d]++
		}
		keys, spare = spare, keys
	}
	return keys, spare
}

// resized returns a slice of length n, v's memory if it suffices; its values are arbitrary.
func resized[T any](v []T, n int) []T {
	if cap(v) >= n {
		return v[:n]
	}
	return make([]T, n, n+n/4)
}
