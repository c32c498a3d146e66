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
// Supports within a cell are equal but for wing-clipped captures; where they differ the rim is wider, no less exact. Of the 6,900 pixels of the default PSF's circle about 50 are rim, since a cell is 1/8 px wide.
type cell struct {
	box              // of its events' positions, with the largest support
	least    float64 // smallest support, px
	w        [12]float64
	first, n int32
}

// minCell is the fewest events that a cell gains with: its stamp costs about two events' (BenchmarkCell).
const minCell = 2

// fill sums the coefficients and bounds the positions. The sums are variables of their own and the bounds plain comparisons, because the
// compiler keeps only those in registers.
func (c *cell) fill(stars []kern.Star, supports []float64) {
	var r0, r1, r2, r3, g0, g1, g2, g3, b0, b1, b2, b3 float64
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	least, most := math.Inf(1), 0.0
	supports = supports[:len(stars)]
	for i := range stars {
		s := &stars[i]
		if s.X < x0 {
			x0 = s.X
		}
		if s.X > x1 {
			x1 = s.X
		}
		if s.Y < y0 {
			y0 = s.Y
		}
		if s.Y > y1 {
			y1 = s.Y
		}
		if v := supports[i]; v != most || v != least {
			least, most = min(least, v), max(most, v)
		}
		f := s.F[0]
		r0, r1, r2, r3 = r0+s.B[0]*f, r1+s.B[1]*f, r2+s.B[2]*f, r3+s.B[3]*f
		f = s.F[1]
		g0, g1, g2, g3 = g0+s.B[0]*f, g1+s.B[1]*f, g2+s.B[2]*f, g3+s.B[3]*f
		f = s.F[2]
		b0, b1, b2, b3 = b0+s.B[0]*f, b1+s.B[1]*f, b2+s.B[2]*f, b3+s.B[3]*f
	}
	c.box, c.least = box{x0, y0, x1, y1, most}, least
	c.w = [12]float64{r0, r1, r2, r3, g0, g1, g2, g3, b0, b1, b2, b3}
}

// rimSlack, px, keeps pixels near a circle out of the common disc and in the rim, far beyond the rounding of the test.
const rimSlack = 1e-5

// cell prepares the common disc of a cell and what its events may reach, and returns the pixels of the disc times its events.
func (w *worker) cell(p *piece, it *item, r rect) int {
	c := &w.s.scratch.cells[it.cell]
	p.cell = c
	p.rows(r, c.y0-c.support, c.y1+c.support)
	p.stamp, p.args.W = w.s.set.Cell, c.w
	return int(c.n) * w.s.set.Ring(p.spans, p.reach, &kern.Ring{
		X0: c.x0, Y0: c.y0, X1: c.x1, Y1: c.y1, Least: c.least, Most: c.support, Slack: rimSlack,
		J0: float64(r.y0 + p.y0), J1: float64(r.y0 + p.y1), C0: float64(r.x0), C1: float64(r.x1),
	})
}

// rimOf sums a cell's rim in the tile that covers r and returns the pixels that its events light there.
func (w *worker) rimOf(p *piece, r rect, target []float64) int {
	rim := rimWalk{w: w, cell: p.cell, mix: p.mix, r: r, target: target}
	for y := p.y0; y <= p.y1; y++ {
		in, out := p.spans[y-p.y0], p.reach[y-p.y0]
		switch {
		case in.N == 0:
			rim.add(y, out.X0, out.X0+out.N)
		case in.N < out.N:
			rim.add(y, out.X0, in.X0)
			rim.add(y, in.X0+in.N, out.X0+out.N)
		}
	}
	rim.flush()
	return rim.lit
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

// add lists columns lo..hi-1 of row y of the tile.
func (q *rimWalk) add(y int, lo, hi int32) {
	rim := q.w.rim
	for x := lo; x < hi; x++ {
		rim.I[q.n], rim.J[q.n] = float64(q.r.x0+int(x)), float64(q.r.y0+y)
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
			q.target[at+colour*kern.PlaneLen] += rim.Out[colour][i]
		}
	}
	q.n = 0
}
