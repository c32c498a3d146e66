package lens

import (
	"slices"
	"sort"

	"grsplat/render/healpix"
)

// classed is a star and its cell, of the order of the classes.
type classed struct {
	cell uint32
	star int32
}

// fewStars is how many stars of a cell are not worth dividing among smaller ones.
const fewStars = 12

// classify lists the stars by cell: of maxCellOrder, or of the given order where it is coarser.
func (w *Worker) classify(given bool) {
	w.class = w.class[:0]
	if given {
		shift := 2 * uint(max(0, w.batch.Order-maxCellOrder))
		for star, cell := range w.batch.Cell {
			w.class = append(w.class, classed{uint32(cell >> shift), int32(star)})
		}
	} else {
		w.batch.Order = maxCellOrder
		for star := range w.batch.Pos {
			w.class = append(w.class, classed{uint32(healpix.Pixel(maxCellOrder, w.batch.Pos[star])), int32(star)})
		}
	}
	w.sortClasses()
}

// sortClasses is a stable radix sort; the usual input, ordered by cell, is left as it is.
func (w *Worker) sortClasses() {
	if slices.IsSortedFunc(w.class, func(a, b classed) int {
		return int(int64(a.cell) - int64(b.cell))
	}) {
		return
	}
	const bits = 11
	w.spare = slices.Grow(w.spare[:0], len(w.class))[:len(w.class)]
	for shift := uint(0); shift < 32; shift += bits {
		var start [1<<bits + 1]int32
		for _, c := range w.class {
			start[c.cell>>shift&(1<<bits-1)+1]++
		}
		for i := range 1 << bits {
			start[i+1] += start[i]
		}
		for _, c := range w.class {
			at := &start[c.cell>>shift&(1<<bits-1)]
			w.spare[*at] = c
			*at++
		}
		w.class, w.spare = w.spare, w.class
	}
}

// walk goes through the cells of the tree that have stars and bounds, and expands the stars.
func (w *Worker) walk() {
	order := min(w.batch.Order, maxCellOrder)
	for classes := w.class; len(classes) > 0; {
		if order < topOrder {
			// Cells too coarse to begin with: only those without bounds are told apart.
			n := 1
			for n < len(classes) && classes[n].cell == classes[0].cell {
				n++
			}
			if w.Occupied(order, uint64(classes[0].cell)) {
				for _, c := range classes[:n] {
					w.lookUp(c.star)
				}
			}
			classes = classes[n:]
			continue
		}
		at, leafOrder := w.leafOf(order, uint64(classes[0].cell))
		shift := 2 * uint(order-leafOrder)
		cell := classes[0].cell >> shift
		n := sort.Search(len(classes), func(i int) bool { return classes[i].cell>>shift > cell })
		switch {
		case w.cell[at].count == quartered:
			for _, c := range classes[:n] {
				w.lookUp(c.star)
			}
		case w.cell[at].count > 0:
			w.group = append(w.group[:0], w.bounds(at)...)
			w.share(leafOrder, cell, classes[:n], 0)
		}
		classes = classes[n:]
	}
}

// share expands the stars of a cell by the bounds group[from:], after dividing them among its quarters if there are many.
func (w *Worker) share(order int, cell uint32, classes []classed, from int) {
	depth := min(w.batch.Order, maxCellOrder) - order
	if len(classes) <= fewStars || depth == 0 {
		for _, c := range classes {
			w.expand(c.star, w.group[from:])
		}
		return
	}
	shift := 2 * uint(depth-1)
	for quarter := cell << 2; quarter < cell<<2+4; quarter++ {
		n := sort.Search(len(classes), func(i int) bool { return classes[i].cell>>shift > quarter })
		if n == 0 {
			continue
		}
		base := len(w.group)
		centre := healpix.Center(order+1, uint64(quarter))
		for _, i := range w.group[from:base] {
			w.group = w.narrow(w.group, order+1, &centre, i)
		}
		if len(w.group) > base {
			w.share(order+1, quarter, classes[:n], base)
		}
		w.group = w.group[:base]
		classes = classes[n:]
	}
}

// lookUp expands a star by its own position.
func (w *Worker) lookUp(star int32) {
	leaf, _ := w.leafOf(w.treeOrder, healpix.Pixel(w.treeOrder, w.batch.Pos[star]))
	w.expand(star, w.bounds(leaf))
}
