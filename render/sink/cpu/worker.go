package cpu

import "grsplat/render/sink/cpu/kern"

// A worker sums segments. Items of a tile that read the same grids are prepared together and then added a few rows of the grids at a time:
// those rows, 12 KiB, stay in the first-level cache while all of them read them, the tile in the second level, and a tile fetches
// every grid once.
type worker struct {
	s             *Stamp
	pieces        []piece
	spans         []kern.Span
	reaches       []kern.Span
	rim           *kern.Rim
	contributions int64
}

// A piece is an item's rows in a tile.
type piece struct {
	args   kern.Args
	stamp  func([]kern.Span, *kern.Args)
	y0, y1 int // rows of the tile, inclusive
	spans  []kern.Span
	cell   *cell       // nil for a single event
	reach  []kern.Span // of a cell: the pixels that any of its events may light
	mix    place
	first  int // row of the tile on which the grids' first row falls
	origin int // element of the grids that falls on column 0 of row 0 of the tile
}

const (
	groupLen  = 24 // items prepared at once
	stripRows = 4
	spansLen  = kern.TileH + kern.SpanPad
)

func newWorker(s *Stamp) *worker {
	return &worker{
		s: s, pieces: make([]piece, 0, groupLen), rim: new(kern.Rim),
		spans: make([]kern.Span, groupLen*spansLen), reaches: make([]kern.Span, groupLen*spansLen)}
}

// sum adds a segment's items.
func (w *worker) sum(g *segment) {
	s := w.s
	target := s.tiles[g.tile]
	if g.buffer != nil {
		target = g.buffer
		clear(target)
	}
	r := s.grid.rect(g.tile)
	for rest := g.items; len(rest) > 0; {
		group := rest[:s.alike(rest)]
		rest = rest[len(group):]
		if s.isExact() {
			s.makeRoom(g, group)
		}
		w.pieces = w.pieces[:0]
		for _, i := range group {
			w.add(&s.scratch.items[i], r, target)
		}
		w.strips()
		for i := range w.pieces {
			if p := &w.pieces[i]; p.cell != nil {
				w.contributions += int64(w.rimOf(p, r, target)) // its grids are near by now
			}
		}
	}
}

// alike returns how many of the first items, groupLen at most, read the same grids.
func (s *Stamp) alike(items []int32) int {
	first := s.scratch.items[items[0]].mix
	first.py = s.table.Row(first.py)
	n := 1
	for ; n < min(len(items), groupLen); n++ {
		m := s.scratch.items[items[n]].mix
		if m.px != first.px || s.table.Row(m.py) != first.py {
			break
		}
	}
	return n
}

// add prepares the rows of an item in the tile that covers r.
func (w *worker) add(it *item, r rect, target []float64) {
	s := w.s
	w.pieces = w.pieces[:len(w.pieces)+1]
	p := &w.pieces[len(w.pieces)-1]
	at := (len(w.pieces) - 1) * spansLen
	p.spans, p.reach = w.spans[at:at+spansLen], w.reaches[at:at+spansLen]
	p.mix, p.cell = it.mix, nil
	k := s.table
	phase := k.Phase(int(it.mix.px), int(it.mix.py))
	p.args.Tile, p.args.K, p.args.Stride = &target[0], phase.K, phase.Stride
	p.first = int(it.mix.iy) - k.R - r.y0
	p.origin = phase.First - p.first*phase.Stride + r.x0 - int(it.mix.ix) + k.R
	lit := 0
	if it.cell < 0 {
		lit = w.single(p, it, r)
	} else {
		lit = w.cell(p, it, r)
	}
	w.contributions += int64(lit)
	if p.y1 < p.y0 {
		w.pieces = w.pieces[:len(w.pieces)-1]
	}
}

// single prepares one star and returns the pixels that it lights.
func (w *worker) single(p *piece, it *item, r rect) int {
	s := w.s
	star, support := &s.scratch.stars[it.first], s.scratch.supports[it.first]
	p.rows(r, star.Y-support, star.Y+support)
	if p.y1 < p.y0 {
		return 0
	}
	copy(p.args.W[:], star.B[:])
	copy(p.args.W[4:], star.F[:])
	p.stamp = s.set.Stamp
	if s.isExact() {
		p.stamp = s.set.Exact
		if s.quanta(star) >= narrow {
			p.stamp = s.set.ExactWide
		}
	}
	return s.set.Spans(p.spans, &kern.Disc{
		X: star.X, Y: star.Y, Support: support,
		J0: float64(r.y0 + p.y0), J1: float64(r.y0 + p.y1), X0: float64(r.x0), X1: float64(r.x1),
	})
}

// rows sets the rows of the tile between y0 and y1 px, a row of slack for the rounding of the footprint.
func (p *piece) rows(r rect, y0, y1 float64) {
	p.y0 = max(int(max(y0, float64(r.y0)))-1-r.y0, 0)
	p.y1 = min(int(min(y1, float64(r.y1)))+1, r.y1) - r.y0
}

// strips adds the prepared pieces, a few rows of their grids at a time. Cells, of which few read a grid, have the next rows fetched
// meanwhile; single events, whose tile takes the second-level cache, are slower with it.
func (w *worker) strips() {
	if len(w.pieces) == 0 {
		return
	}
	rows, row := w.s.table.Rows()
	first := &w.pieces[0]
	for top := 0; top < rows; top += stripRows {
		if first.cell != nil && top+2*stripRows <= rows {
			w.s.set.Fetch(&first.args.K, (top+stripRows)*row, stripRows*row)
		}
		for i := range w.pieces {
			p := &w.pieces[i]
			y0 := p.first + top
			if p.args.Stride < 0 {
				y0 = p.first + rows - top - stripRows
			}
			y0, y1 := max(p.y0, y0), min(p.y1, y0+stripRows-1)
			if y0 > y1 {
				continue
			}
			p.args.Dst = y0 * kern.RowLen
			p.args.Src = p.origin + y0*p.args.Stride
			p.stamp(p.spans[y0-p.y0:y1-p.y0+1], &p.args)
		}
	}
}
