package cpu

import (
	"math"

	"grsplat/render/psf"
	"grsplat/render/sink/cpu/kern"
)

// Coalescing. The events of one pixel and phase mix the same four grids, so where a pixel lies inside all their circles their
// sum is 12 coefficients: for each colour and grid, the sum of weight times flux*colour. A cell is stamped once with those
// over the disc common to its events. The rim, pixels that some events may light and others not, is summed event by event with
// the exact test of spec section 6, so the footprint of every event is kept and the sum only regrouped.
//
// Of the 6,900 pixels of the default PSF's circle about 50 are rim, since a cell is 1/8 px wide.
type cell struct {
	box              // of its events' positions, with the largest support
	least    float64 // smallest support, px
	w        [12]float64
	first, n int32
}

// minCell is the fewest events that a cell gains with: its stamp costs about two events' (BenchmarkCell).
const minCell = 2

// maxSupportSpread bounds, in pixels, the difference of supports within a cell, which widens the rim.
const maxSupportSpread = 0.25

// coalesce replaces runs of events of one pixel and phase by cells.
func (s *Stamp) coalesce() {
	b := &s.scratch
	items := b.items[:0]
	for i := 0; i < len(b.keys); {
		n := 1
		for i+n < len(b.keys) && b.keys[i+n].key == b.keys[i].key {
			n++
		}
		if n < minCell || !similar(b.supports[i:i+n]) {
			items = append(items, b.items[i:i+n]...)
		} else {
			it := b.items[i]
			it.n, it.cell = int32(n), int32(len(b.cells))
			b.cells = append(b.cells, cell{first: int32(i), n: int32(n)})
			items = append(items, it)
		}
		i += n
	}
	b.items = items
	s.ranges(len(items), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if it := &items[i]; it.cell >= 0 {
				c := &b.cells[it.cell]
				c.fill(b.stars[c.first:c.first+c.n], b.supports[c.first:c.first+c.n])
				it.tiles = s.grid.touched(c.box)
			}
		}
	})
}

func similar(supports []float64) bool {
	least, most := supports[0], supports[0]
	for _, v := range supports {
		least, most = min(least, v), max(most, v)
	}
	return most-least <= maxSupportSpread
}

// fill sums the coefficients and bounds the positions.
func (c *cell) fill(stars []kern.Star, supports []float64) {
	c.box = box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1), 0}
	c.least = math.Inf(1)
	for i := range stars {
		s := &stars[i]
		c.x0, c.x1 = min(c.x0, s.X), max(c.x1, s.X)
		c.y0, c.y1 = min(c.y0, s.Y), max(c.y1, s.Y)
		c.support, c.least = max(c.support, supports[i]), min(c.least, supports[i])
		for colour, f := range s.F {
			for grid, b := range s.B {
				c.w[4*colour+grid] += b * f
			}
		}
	}
}

// rimSlack, px, keeps pixels near a circle out of the common disc and in the rim, far beyond the rounding of the test.
const rimSlack = 1e-5

// common returns the pixels of row j that every event lights, and reach those that any may light; empty when hi < lo.
func (c *cell) common(j float64) (lo, hi float64) {
	far := max(j-c.y0, c.y1-j)
	h := math.Sqrt(c.least*c.least - far*far)
	if !(h > 0) { // NaN outside the circle
		return 0, -1
	}
	return math.Ceil(c.x1 - h + rimSlack), math.Floor(c.x0 + h - rimSlack)
}

func (c *cell) reach(j float64) (lo, hi float64) {
	near := max(c.y0-j, j-c.y1, 0)
	r := c.support + rimSlack
	h := math.Sqrt(r*r - near*near)
	if !(h >= 0) {
		return 0, -1
	}
	return math.Ceil(c.x0 - h - rimSlack), math.Floor(c.x1 + h + rimSlack)
}

// cell prepares the common disc of a cell, sums its rim in the tile that covers r, and returns the pixels that its events light.
func (w *worker) cell(p *piece, it *item, r rect, target []float64) int {
	c := &w.s.scratch.cells[it.cell]
	p.rows(r, c.y0-c.support, c.y1+c.support)
	p.stamp, p.args.W = w.s.set.Cell, c.w
	rim := rimWalk{w: w, cell: c, mix: it.mix, r: r, target: target}
	lit := 0
	for y := p.y0; y <= p.y1; y++ {
		j := float64(r.y0 + y)
		lo, hi := c.common(j)
		first, last := c.reach(j)
		lo, hi = max(lo, float64(r.x0)), min(hi, float64(r.x1))
		first, last = max(first, float64(r.x0)), min(last, float64(r.x1))
		if lo > hi {
			rim.add(j, first, last)
			p.spans[y-p.y0] = kern.Span{}
			continue
		}
		rim.add(j, first, lo-1)
		rim.add(j, hi+1, last)
		p.spans[y-p.y0] = kern.Span{X0: int32(lo) - int32(r.x0), N: int32(hi-lo) + 1}
		lit += int(hi-lo+1) * int(c.n)
	}
	rim.flush()
	return lit + rim.lit
}

// rimWalk collects rim pixels and sums them when the list is full.
type rimWalk struct {
	w      *worker
	cell   *cell
	mix    place
	r      rect
	target []float64
	n, lit int
}

func (q *rimWalk) add(j, lo, hi float64) {
	rim := q.w.rim
	for i := lo; i <= hi; i++ {
		rim.I[q.n], rim.J[q.n] = i, j
		if q.n++; q.n == kern.RimLen {
			q.flush()
		}
	}
}

func (q *rimWalk) flush() {
	if q.n == 0 {
		return
	}
	rim, k := q.w.rim, q.w.s.cfg.PSF.Kernel
	grids := [4][]float64{}
	grids[0], grids[1], grids[2], grids[3] = k.Grids(&psf.Mix{PX: int(q.mix.px), PY: int(q.mix.py)})
	for i := range q.n {
		at := (int(rim.J[i])-int(q.mix.iy)+k.R)*k.Stride + int(rim.I[i]) - int(q.mix.ix) + k.R
		for g := range grids {
			rim.K[g][i] = 0
			if uint(at) < uint(len(grids[g])) { // a pixel that only rounding brought into the list may lie off the grid
				rim.K[g][i] = grids[g][at]
			}
		}
	}
	n := (q.n + kern.Pad - 1) / kern.Pad * kern.Pad
	for i := q.n; i < n; i++ {
		rim.I[i] = 1e30 // lit by no star
	}
	c := q.cell
	q.lit += q.w.s.set.Rim(rim, n, q.w.s.scratch.stars[c.first:c.first+c.n])
	for i := range q.n {
		at := (int(rim.J[i])-q.r.y0)*kern.RowLen + int(rim.I[i]) - q.r.x0
		for colour := range rim.Out {
			q.target[at+colour*kern.TileW] += rim.Out[colour][i]
		}
	}
	q.n = 0
}
