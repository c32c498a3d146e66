package cpu

import (
	"math"

	"grsplat/render/sink/cpu/kern"
)

// A grid cuts the frame into tiles of kern.TileW x kern.TileH pixels, row by row.
type grid struct{ w, h, nx, ny int }

func newGrid(w, h int) grid {
	return grid{w, h, (w + kern.TileW - 1) / kern.TileW, (h + kern.TileH - 1) / kern.TileH}
}

// A rect is pixels x0..x1, y0..y1, inclusive.
type rect struct{ x0, y0, x1, y1 int }

// rect returns tile t's part of the frame.
func (g grid) rect(t int) rect {
	x, y := t%g.nx*kern.TileW, t/g.nx*kern.TileH
	return rect{x, y, min(x+kern.TileW, g.w) - 1, min(y+kern.TileH, g.h) - 1}
}

// A tileRange is tiles x0..x1, y0..y1, inclusive; empty when x1 < x0.
type tileRange struct{ x0, y0, x1, y1 int32 }

// touched returns the tiles that may hold lit pixels of circles of radius support around points of the box; a pixel of slack
// covers the rounding of the footprint.
func (g grid) touched(b box) tileRange {
	x0, x1 := max(math.Floor(b.x0-b.support), 0), min(math.Ceil(b.x1+b.support), float64(g.w-1))
	y0, y1 := max(math.Floor(b.y0-b.support), 0), min(math.Ceil(b.y1+b.support), float64(g.h-1))
	if !(x0 <= x1 && y0 <= y1) {
		return tileRange{x1: -1, y1: -1}
	}
	return tileRange{int32(x0) / kern.TileW, int32(y0) / kern.TileH, int32(x1) / kern.TileW, int32(y1) / kern.TileH}
}

// A box bounds the positions of events and their largest support, px.
type box struct{ x0, y0, x1, y1, support float64 }
