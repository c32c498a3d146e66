package mesh

import (
	"math"
	"time"

	"grsplat/render/psf"
)

// A Worker convolves blocks, one goroutine at a time. It holds the planes of two blocks, since two real planes make one
// complex transform: red and green of a block share one, and the blues of two blocks another.
type Worker struct {
	*transformer
	e      *Engine
	planes [2][]float64
	acc    [3][]float64
	rows   []float64 // filtered rows of a tile
	line   []float64 // one of them, de-interleaved
	// Out[b][c] is the N x N result of block b, colour c; element (0,0) is the pixel (-R,-R) from the block's first.
	Out [2][3][]float64
	// Ring[b] bounds the error at block b's rims; see bound.go.
	Ring [2]float64

	nodes    [2][][]float64 // |flux*colour| by node of a pixel, planes of Rows x Cols
	pointOff []int64        // offsets of lattice rows
	hat      []float64      // weights of the lattice points around a node
}

// NewWorker returns a worker with empty planes.
func (e *Engine) NewWorker() *Worker {
	w := &Worker{e: e, transformer: newTransformer(&e.shape, e.k, e.plan)}
	for b := range w.planes {
		w.planes[b] = make([]float64, e.planes()*e.planeLen())
		for c := range w.Out[b] {
			w.Out[b][c] = make([]float64, e.N*e.N)
		}
	}
	for i := range w.acc {
		w.acc[i] = make([]float64, e.spectrumLen())
	}
	c := e.nodesPerPixel()
	for b := range w.nodes {
		for range c * c {
			w.nodes[b] = append(w.nodes[b], make([]float64, e.Rows*e.Cols))
		}
	}
	per := e.P / c
	for i := range 2*per - 1 {
		w.pointOff = append(w.pointOff, int64(i*up8(3*(e.Tile*e.P+1))))
		w.hat = append(w.hat, 1-math.Abs(float64(i+1-per))/float64(per))
	}
	w.rows = make([]float64, e.V*up8(3*(e.Tile*e.P+1)))
	w.line = make([]float64, 3*e.P*e.Line)
	return w
}

// AddTile filters a lattice onto the planes of block b; the tile is tx, ty tiles from the block's first.
func (w *Worker) AddTile(b int, l *Lattice, tx, ty int) {
	e := w.e
	w.addNodes(b, l, tx, ty)
	// down the columns, a few vectors of columns at a time so that the rows they span stay in the first-level cache
	const chunk = 64
	for x := 0; x < l.Stride; x += chunk {
		n := min(chunk, l.Stride-x)
		src := l.first + (e.D*e.V0-e.Half)*l.Stride + x
		w.k.Combine(&w.rows[x], &l.data[src], &e.rowOff[0], &e.taps[0], len(e.taps), n, e.V, l.Stride, e.D*l.Stride)
	}
	for v := range e.V {
		w.separate(w.rows[v*l.Stride:])
		y := v + e.V0 + e.Margin*e.Q // plane rows from the margin on
		qy, my := y%e.Q, y/e.Q+ty*e.Tile
		for qx := range e.Q {
			at := (qy*e.Q+qx)*e.planeLen() + my*3*e.Cols + tx*e.Tile
			w.k.CombineAdd(&w.planes[b][at], &w.line[0], &e.lineOff[qx][0], &e.taps[0], len(e.taps), e.Out, 3, e.Cols, e.Line)
		}
	}
}

// separate de-interleaves a row of RGB points into w.line, a line for each phase and colour, from element 2 Margin on.
func (w *Worker) separate(row []float64) {
	e := w.e
	n, first := 3*e.P, 2*e.Margin
	if n < 8 {
		for i, v := range row[:n*e.Tile] {
			w.line[i%n*e.Line+first+i/n] = v
		}
	} else {
		for i := 0; i < n; i += 8 {
			i := min(i, n-8)
			w.k.Transpose(&w.line[i*e.Line+first], &row[i], e.Line, n, 8, 8*n, e.Tile/8)
		}
	}
	for c := range 3 {
		w.line[c*e.Line+first+e.Tile] = row[n*e.Tile+c]
	}
}

// Convolve turns the planes of the first one or two blocks into Out and empties them.
func (w *Worker) Convolve(blocks int) {
	e := w.e
	w.ring(blocks)
	for i := range w.acc {
		clear(w.acc[i])
	}
	for q := range e.planes() {
		plane := func(b, c int) []float64 {
			if b >= blocks {
				return nil
			}
			return w.planes[b][q*e.planeLen()+c*e.Cols:]
		}
		w.multiply(plane(0, 0), plane(0, 1), 3*e.Cols, e.spectra[q], w.acc[0])
		if blocks > 1 {
			w.multiply(plane(1, 0), plane(1, 1), 3*e.Cols, e.spectra[q], w.acc[1])
		}
		w.multiply(plane(0, 2), plane(1, 2), 3*e.Cols, e.spectra[q], w.acc[2])
	}
	w.undo(w.acc[0], w.Out[0][0], w.Out[0][1])
	if blocks > 1 {
		w.undo(w.acc[1], w.Out[1][0], w.Out[1][1])
	}
	w.undo(w.acc[2], w.Out[0][2], w.Out[1][2])
	for b := range blocks {
		clear(w.planes[b])
	}
}

// multiply transforms planes a and b, rows stride apart, as one complex grid and adds its product with a spectrum to acc.
func (w *Worker) multiply(a, b []float64, stride int, spectrum, acc []float64) {
	e := w.e
	for x := 0; x < e.Cols; x += 8 {
		w.columns(from(a, x), from(b, x), stride, e.Rows, x)
	}
	for g := range e.N / 8 {
		w.rowGroup(g, e.Cols)
		w.k.MultiplyAdd(&acc[g*16*e.N], &spectrum[g*16*e.N], &w.re[0], &w.im[0], e.N)
	}
}

func from(plane []float64, x int) []float64 {
	if plane == nil {
		return nil
	}
	return plane[x:]
}

// undo transforms acc back into two real grids.
func (w *Worker) undo(acc, re, im []float64) {
	e := w.e
	inverse := func() { w.k.Inverse(&w.re[0], &w.im[0], e.N, &e.plan.Inverse[0]) }
	for g := range e.N / 8 {
		a := acc[g*16*e.N:]
		w.k.CopyRows(&w.re[0], &a[0], 8, 16, e.N)
		w.k.CopyRows(&w.im[0], &a[8], 8, 16, e.N)
		inverse()
		w.k.Transpose(&w.mre[8*g*e.Mid], &w.re[0], e.Mid, 8, 8, 64, e.N/8)
		w.k.Transpose(&w.mim[8*g*e.Mid], &w.im[0], e.Mid, 8, 8, 64, e.N/8)
	}
	for x := 0; x < e.N; x += 8 {
		w.k.CopyRows(&w.re[0], &w.mre[x], 8, e.Mid, e.N)
		w.k.CopyRows(&w.im[0], &w.mim[x], 8, e.Mid, e.N)
		inverse()
		w.k.CopyRows(&re[x], &w.re[0], e.N, 8, e.N)
		w.k.CopyRows(&im[x], &w.im[0], e.N, 8, e.N)
	}
}

// residual convolves lone events of unit flux at three phases and returns the largest difference from the grids, over the
// kernel's peak. It times the engine meanwhile and keeps the least.
func (w *Worker) residual(grids [][]float64, k *psf.Kernel) float64 {
	e := w.e
	worst := 0.0
	l, want := e.NewLattice(), make([]float64, e.N*e.N)
	const x, y = 5, 3 // the event's pixel
	for _, p := range [][2]int{{0, 0}, {1 % e.P, e.P - 1}, {e.P / 2, e.P / 2}} {
		l.reset(0, 0)
		l.data[l.first+(y*e.P+p[1])*l.Stride+3*(x*e.P+p[0])+1] = 1
		start := time.Now()
		w.AddTile(0, l, 0, 0)
		filtered := time.Now()
		w.Convolve(2)
		tile, block := filtered.Sub(start).Seconds(), time.Since(filtered).Seconds()/2
		if e.BlockSeconds == 0 || block < e.BlockSeconds {
			e.TileSeconds, e.BlockSeconds = tile, block
		}
		clear(want)
		for j := range k.Stride {
			copy(want[(y+j)*e.N+x:], grids[p[1]*e.P+p[0]][j*k.Stride:(j+1)*k.Stride])
		}
		for i, v := range w.Out[0][1] {
			worst = math.Max(worst, math.Abs(v-want[i]))
		}
		worst = max(worst, largest(w.Out[0][0]), largest(w.Out[0][2]))
	}
	return worst / k.Peak()
}
