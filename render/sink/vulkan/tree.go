package vulkan

import "grsplat/shaders"

// A window is the part of a band that a batch can light, px of the frame, its origin on a tile's corner.
type window struct{ x0, y0, x1, y1 int } // x1 and y1 exclusive

// A tree sorts the events of a batch into the tiles of a window: the root is the window, every cell holds 8 x 8 cells, and
// the smallest cells are tiles. The root has as few children as the window needs.
type tree struct {
	win    window
	tile   int
	rootX  int // cells across the root
	levels []level
	tiles  int // ids of tiles, those outside the window included
}

// A level takes the lists of its parents to the lists of their children.
type level struct {
	parents, children, fan int
	cell                   int // edge of a child, px
	digits                 int // base-64 digits of a parent's id after the root's
}

func newTree(win window, tile int) tree {
	t := tree{win: win, tile: tile}
	w, h := win.x1-win.x0, win.y1-win.y0
	cell, depth := tile, 1
	for 8*cell < max(w, h) {
		cell *= 8
		depth++
	}
	t.rootX = (w + cell - 1) / cell
	l := level{parents: 1, children: t.rootX * ((h + cell - 1) / cell), fan: t.rootX, cell: cell}
	t.levels = append(t.levels, l)
	for i := 1; i < depth; i++ {
		l = level{parents: l.parents * l.children, children: 64, fan: 8, cell: l.cell / 8, digits: i - 1}
		t.levels = append(t.levels, l)
	}
	t.tiles = l.parents * l.children
	return t
}

// entries is the number of cells of an edge that a circle of a radius enters, on the average over its position: its
// bounding square counts, so that the estimate is a little high.
func entries(radius, cell float64) float64 {
	across := (2*radius+2)/cell + 1
	return across * across
}

// push fills the constants of one level.
func (l level) push(p shaders.Push, root bool) shaders.Push {
	p.Parents, p.Children, p.Fan, p.Cell = uint32(l.parents), uint32(l.children), uint32(l.fan), uint32(l.cell)
	p.Digits = uint32(l.digits)
	p.IsRoot = 0
	if root {
		p.IsRoot = 1
	}
	return p
}
