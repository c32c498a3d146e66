package lens

import (
	"context"
	"math"

	"grsplat/render/healpix"
)

// The tree of sky cells.

const (
	quartered = -1
	topOrder  = 4
	maxTree   = 7  // finest order of the tree, cells of half a degree
	fullList  = 16 // bounds that a cell may list without being quartered
)

// A twig is the subtree of one cell of topOrder while it grows, with numbers of its own.
type twig struct {
	cell []cellNode
	list []int32
	// group is a stack of lists of bounds, one for each cell on the way down.
	group []int32
}

// tile builds the tree, the cells of topOrder side by side. It has no more cells than there are triangles, about.
func (l *Locator) tile(ctx context.Context, threads int) error {
	l.treeOrder = topOrder
	for l.treeOrder < maxTree && healpix.Cells(l.treeOrder+1) <= uint64(len(l.m.Triangle)) {
		l.treeOrder++
	}
	twigs := make([]twig, healpix.Cells(topOrder))
	err := spreadBlocks(ctx, threads, len(twigs), 16, func(pix int) {
		w := &twigs[pix]
		w.cell = make([]cellNode, 1)
		l.tileCell(w, 0, topOrder, uint64(pix), l.top)
		w.group = nil
	})
	if err != nil {
		return err
	}
	l.join(twigs)
	return nil
}

// tileCell fills in cell at with those of the bounds in that touch it.
func (l *Locator) tileCell(w *twig, at, order int, pix uint64, in []int32) {
	base := len(w.group)
	centre := healpix.Center(order, pix)
	for _, i := range in {
		w.group = l.narrow(w.group, order, &centre, i)
	}
	group := w.group[base:]
	if len(group) <= fullList || order == l.treeOrder {
		w.cell[at] = cellNode{int32(len(w.list)), int32(len(group))}
		w.list = append(w.list, group...)
	} else {
		first := len(w.cell)
		w.cell[at] = cellNode{int32(first), quartered}
		w.cell = append(w.cell, make([]cellNode, 4)...)
		for k := range 4 {
			l.tileCell(w, first+k, order+1, pix<<2|uint64(k), group)
		}
	}
	w.group = w.group[:base]
}

// join puts the subtrees into one array, their roots first.
func (l *Locator) join(twigs []twig) {
	cells, entries := 0, 0
	for i := range twigs {
		cells += len(twigs[i].cell)
		entries += len(twigs[i].list)
	}
	l.cell = make([]cellNode, len(twigs), cells)
	l.list = make([]int32, 0, entries)
	for i := range twigs {
		// A twig's cell k > 0 becomes cell base+k.
		base, first := int32(len(l.cell))-1, int32(len(l.list))
		for k, c := range twigs[i].cell {
			if c.count == quartered {
				c.first += base
			} else {
				c.first += first
			}
			if k == 0 {
				l.cell[i] = c
			} else {
				l.cell = append(l.cell, c)
			}
		}
		l.list = append(l.list, twigs[i].list...)
		twigs[i] = twig{}
	}
}

// leafOf returns the cell of the tree that holds a HEALPix cell of topOrder or finer, and its order. It may be a quartered one
// if the given one is coarser than its leaves.
func (l *Locator) leafOf(order int, pix uint64) (at int32, leafOrder int) {
	shift := 2 * uint(order-topOrder)
	at, leafOrder = int32(pix>>shift), topOrder
	for l.cell[at].count == quartered && shift > 0 {
		shift -= 2
		leafOrder++
		at = l.cell[at].first + int32(pix>>shift&3)
	}
	return at, leafOrder
}

// bounds lists the bounds of a leaf.
func (l *Locator) bounds(at int32) []int32 {
	c := l.cell[at]
	return l.list[c.first : c.first+c.count]
}

// Occupied reports whether a triangle may touch a HEALPix cell (nested); false means that no star in it has an image.
func (l *Locator) Occupied(order int, pix uint64) bool {
	if order < topOrder {
		for k := range uint64(4) {
			if l.Occupied(order+1, pix<<2|k) {
				return true
			}
		}
		return false
	}
	at, _ := l.leafOf(order, pix)
	if l.cell[at].count <= 0 {
		return l.cell[at].count == quartered
	}
	if order > maxCellOrder {
		return true
	}
	centre := healpix.Center(order, pix)
	for _, i := range l.bounds(at) {
		if l.occupied(order, &centre, i) {
			return true
		}
	}
	return false
}

// occupied reports whether a leaf under a bound may touch a cell.
func (l *Locator) occupied(order int, centre *Vec, i int32) bool {
	p := &l.bound[i]
	if !l.touches(order, centre, p) {
		return false
	}
	if i < l.leaves {
		return true
	}
	for k := p.first; k < p.first+p.count; k++ {
		if l.occupied(order, centre, k) {
			return true
		}
	}
	return false
}

// narrow adds a bound that touches a cell to a list, or, where it is wider than the cell, those under it that do.
func (l *Locator) narrow(list []int32, order int, centre *Vec, i int32) []int32 {
	p := &l.bound[i]
	if !l.touches(order, centre, p) {
		return list
	}
	if i < l.leaves || p.box.high[0]-p.box.low[0] < l.shape[order].chord {
		return append(list, i)
	}
	for k := p.first; k < p.first+p.count; k++ {
		list = l.narrow(list, order, centre, k)
	}
	return list
}

// touches reports whether a bound may touch the cell of an order with the given centre. It errs on the side of yes.
func (l *Locator) touches(order int, centre *Vec, p *bound) bool {
	c := &l.shape[order]
	if d := dot(p.across, *centre); d < p.box.low[0]-c.chord || d > p.box.high[0]+c.chord {
		return false
	}
	if d := dot(p.along, *centre); d < p.box.low[1]-c.chord || d > p.box.high[1]+c.chord {
		return false
	}
	if p.cos < 0 {
		return true
	}
	// The sum of the radii is below 180 degrees.
	sin := math.Sqrt(math.Max(0, 1-p.cos*p.cos))
	return dot(p.axis, *centre) >= c.cos*p.cos-c.sin*sin-boundSlack
}
