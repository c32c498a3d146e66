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
// ring is a convolution too: of |flux*colour|, summed in cells of half a pixel, with the largest E over a cell. A cell sums
// each colour before it takes the largest modulus, so a colour of both signs counts by what is left of it; for starlight another
// channel is then larger.
const gridError = 1e-14

// cellsPerPixel along an axis; 1 when P is odd.
func (s *shape) cellsPerPixel() int {
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

// ringGrid returns E for the cells (cx,cy) of an event's pixel, by offsets -R..R+1 of the lit pixel, like a phase grid.
func (s *shape) ringGrid(f *psf.PSF, m *rim, cx, cy int) []float64 {
	k := f.Kernel
	c := float64(s.cellsPerPixel())
	g := make([]float64, k.Size)
	near := func(offset, cell int) (lo, hi float64) { // of the distance along an axis
		a, b := float64(offset)-float64(cell+1)/c, float64(offset)-float64(cell)/c
		hi = math.Max(math.Abs(a), math.Abs(b))
		if a < 0 && b > 0 {
			return 0, hi
		}
		return math.Min(math.Abs(a), math.Abs(b)), hi
	}
	for j := range k.Stride {
		y0, y1 := near(j-k.R, cy)
		for i := range k.Stride {
			x0, x1 := near(i-k.R, cx)
			g[j*k.Stride+i] = m.difference(f, math.Hypot(x0, y0), math.Hypot(x1, y1), s.P)
		}
	}
	return g
}

// ringSpectra transforms E of all cells, [cy*cells+cx].
func ringSpectra(s *shape, f *psf.PSF, m *rim, t *transformer) [][]float64 {
	c := s.cellsPerPixel()
	out, block := spectra(s, c*c), make([]float64, s.N*s.N)
	for i := range out {
		s.place(block, s.ringGrid(f, m, i%c, i/c), f.Kernel.Stride)
		t.spectrum(out[i], block)
	}
	return out
}

// addCells sums a lattice into the cells of block b.
func (w *Worker) addCells(b int, l *Lattice, tx, ty int) {
	e := w.e
	c := e.cellsPerPixel()
	per := e.P / c // lattice points along a cell
	row := w.rows[:l.Stride]
	for y := 0; y <= e.Tile*c; y++ {
		taps := per
		if y == e.Tile*c { // the next pixel's first points
			taps = 1
		}
		w.k.Combine(&row[0], &l.data[l.first+y*per*l.Stride], &w.pointOff[0], &w.ones[0], taps, l.Stride, 1, 0, 0)
		line := (ty*e.Tile+y/c+e.Margin)*e.Cols + tx*e.Tile + e.Margin
		for x := 0; x <= e.Tile*c; x++ {
			var sum [3]float64
			for i := 3 * x * per; i < min(3*(x+1)*per, 3*(e.Tile*e.P+1)); i += 3 {
				sum[0] += row[i]
				sum[1] += row[i+1]
				sum[2] += row[i+2]
			}
			w.cells[b][y%c*c+x%c][line+x/c] += math.Max(math.Abs(sum[0]), math.Max(math.Abs(sum[1]), math.Abs(sum[2])))
		}
	}
}

// ring convolves the cells of the first one or two blocks into w.Ring and empties them.
func (w *Worker) ring(blocks int) {
	e := w.e
	acc := w.acc[0]
	clear(acc)
	for i, s := range e.ringSpectra {
		var second []float64
		if blocks > 1 {
			second = w.cells[1][i]
		}
		w.multiply(w.cells[0][i], second, e.Cols, s, acc)
	}
	w.undo(acc, w.Out[0][0], w.Out[0][1])
	for b := range blocks {
		w.Ring[b] = largest(w.Out[0][b])
		for i := range w.cells[b] {
			clear(w.cells[b][i])
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
