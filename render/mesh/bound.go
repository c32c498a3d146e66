package mesh

import (
	"math"

	"grsplat/render/psf"
)

// The error bound of a block, over its peak, is
//
//	grid + ring/peak,  ring = max over pixels of sum over events of |flux*colour| E(pixel - event).
//
// grid, 1e-14, covers rounding and the filter (spec section 7). E bounds how an event's stamp differs from the reference's near
// its circle; it is below I(support) and vanishes 2 px from the circle, so ring is below section 7's own
// 2 I(support) times the summed |flux*colour| of the events whose rim lies within 2 px.
//
// ring is a convolution too: |flux*colour| is spread with bilinear weights over the nodes of a grid of half a pixel, which is
// convolved with the V of nodes.go, whose bilinear mix is at least E everywhere between the nodes. The nodes are lattice points,
// so the lattice's own bilinear weights, spread on, are those of the event. A node of a tile sums each colour before it takes
// the largest modulus, so a colour of both signs counts by what is left of it; for starlight another channel is then larger.
const gridError = 1e-14

// nodesPerPixel along an axis; 1 when P is odd.
func (s *shape) nodesPerPixel() int {
	if s.P%2 == 0 {
		return 2
	}
	return 1
}

// difference returns the largest E among the distances lo..hi from an event, px.
func (m *rim) difference(f *psf.PSF, lo, hi float64, p int) float64 {
	h := 1 / float64(p)
	at := f.Profile(lo * lo) // falls with distance
	if m.sigma == 0 {
		// the four lattice points around the event lie within a diagonal of it
		if lo-h*math.Sqrt2 <= m.support && hi+h*math.Sqrt2 >= m.support {
			return at
		}
		return 0
	}
	// T between lattice points differs from its bilinear mix by h^2/8 max|T''| along each axis, max|T''| = 0.242/sigma^2
	mix := 0.0
	if hi > m.r0-fadeReach-h && lo < m.r0+fadeReach+h {
		mix = h * h / 4 * 0.242 / (m.sigma * m.sigma)
	}
	switch {
	case hi < m.support:
		return at * (1 - m.at(hi) + mix)
	case lo > m.support:
		return at * (m.at(lo) + mix)
	}
	return at * (math.Max(m.at(m.support), 1-m.at(m.support)) + mix)
}

// ringSpectra transforms V for the nodes of a pixel, [ny*nodes+nx].
func ringSpectra(s *shape, f *psf.PSF, m *rim, t *transformer) [][]float64 {
	c := s.nodesPerPixel()
	v := newNodes(f, m, s.P, c)
	out, block := spectra(s, c*c), make([]float64, s.N*s.N)
	for i := range out {
		s.place(block, v.grid(i%c, i/c, f.R), f.R+1)
		t.spectrum(out[i], block)
	}
	return out
}

// addNodes spreads a lattice over the nodes of block b.
func (w *Worker) addNodes(b int, l *Lattice, tx, ty int) {
	e := w.e
	c := e.nodesPerPixel()
	per := e.P / c // lattice points from node to node
	row, last := w.rows[:l.Stride], e.Tile*c
	for y := 0; y <= last; y++ {
		from, to := 1-per, per // lattice rows around the node's, as far as the tile has them
		if y == 0 {
			from = 0
		}
		if y == last {
			to = 1
		}
		w.k.Combine(&row[0], &l.data[l.first+(y*per+from)*l.Stride], &w.pointOff[0], &w.hat[from+per-1], to-from, l.Stride, 1, 0, 0)
		line := (ty*e.Tile+y/c+e.Margin)*e.Cols + tx*e.Tile + e.Margin
		kinds := w.nodes[b][y%c*c:][:c]
		var r, g, u float64 // what the points before a node give it
		for x := range last {
			ownR, ownG, ownB := r, g, u
			r, g, u = 0, 0, 0
			seg := row[3*x*per:][:3*per]
			for i, h := range w.hat[per-1:] {
				v := seg[3*i : 3*i+3 : 3*i+3]
				ownR, ownG, ownB = ownR+h*v[0], ownG+h*v[1], ownB+h*v[2]
				h = 1 - h
				r, g, u = r+h*v[0], g+h*v[1], u+h*v[2]
			}
			kinds[x%c][line+x/c] += max(math.Abs(ownR), math.Abs(ownG), math.Abs(ownB))
		}
		end := row[3*last*per:][:3]
		kinds[0][line+last/c] += max(math.Abs(r+end[0]), math.Abs(g+end[1]), math.Abs(u+end[2]))
	}
}

// ring convolves the nodes of the first one or two blocks into w.Ring and empties them.
func (w *Worker) ring(blocks int) {
	e := w.e
	acc := w.acc[0]
	clear(acc)
	for i, s := range e.ringSpectra {
		var second []float64
		if blocks > 1 {
			second = w.nodes[1][i]
		}
		w.multiply(w.nodes[0][i], second, e.Cols, s, acc)
	}
	w.undo(acc, w.Out[0][0], w.Out[0][1])
	for b := range blocks {
		w.Ring[b] = largest(w.Out[0][b])
		for i := range w.nodes[b] {
			clear(w.nodes[b][i])
		}
	}
}

// largest returns the largest modulus.
func largest(v []float64) float64 {
	most, least := 0.0, 0.0
	for _, x := range v {
		if x > most {
			most = x
		}
		if x < least {
			least = x
		}
	}
	return max(most, -least)
}

// Bound returns the error bound of block b after Convolve, over its peak.
func (w *Worker) Bound(b int) float64 {
	return Bound(max(largest(w.Out[b][0]), largest(w.Out[b][1]), largest(w.Out[b][2])), w.Ring[b])
}
