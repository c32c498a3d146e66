package vulkan

import (
	"math"

	"grsplat/render/event"
	"grsplat/render/mesh"
)

// cellsAcross cuts the frame into at most this many cells along its longer side, to know how events crowd.
const cellsAcross = 64

// density is what a batch's cost and order follow from. It adds up slot by slot.
type density struct {
	n                      int
	minX, minY, maxX, maxY float64 // box of the circles that touch the frame, px
	area                   float64 // summed pi support^2, px
	reach                  float64 // largest support, px
	least, most            float64 // supports of all events, px
	light                  float64 // summed largest component of |flux*colour|
	bound                  float64 // quanta that the sums may gain (exact.go)
	cells                  []uint32
	edge                   int // of a cell, px
	across                 int
}

func newDensity(w, h int) density {
	edge := (max(w, h) + cellsAcross - 1) / cellsAcross
	across := (w + edge - 1) / edge
	d := density{edge: edge, across: across, cells: make([]uint32, across*((h+edge-1)/edge))}
	d.reset()
	return d
}

func (d *density) reset() {
	d.n, d.area, d.reach, d.bound, d.light = 0, 0, 0, 0, 0
	d.least, d.most = math.Inf(1), 0
	d.minX, d.minY, d.maxX, d.maxY = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	clear(d.cells)
}

// add counts an event whose circle of radius s touches a frame of w x h px or not.
func (d *density) add(e *event.Event, s float64, w, h int) {
	d.n++
	d.least, d.most = min(d.least, s), max(d.most, s)
	d.light += mesh.Brightness(e)
	if !(e.X+s >= 0 && e.Y+s >= 0 && e.X-s <= float64(w-1) && e.Y-s <= float64(h-1)) {
		return
	}
	d.minX, d.maxX = min(d.minX, e.X-s), max(d.maxX, e.X+s)
	d.minY, d.maxY = min(d.minY, e.Y-s), max(d.maxY, e.Y+s)
	d.area += math.Pi * s * s
	d.reach = max(d.reach, s)
	cx := int(min(max(e.X, 0), float64(w-1))) / d.edge
	cy := int(min(max(e.Y, 0), float64(h-1))) / d.edge
	d.cells[cy*d.across+cx]++
}

func (d *density) merge(o *density) {
	d.n += o.n
	d.minX, d.maxX = min(d.minX, o.minX), max(d.maxX, o.maxX)
	d.minY, d.maxY = min(d.minY, o.minY), max(d.maxY, o.maxY)
	d.area += o.area
	d.reach = max(d.reach, o.reach)
	d.bound += o.bound
	d.light += o.light
	d.least, d.most = min(d.least, o.least), max(d.most, o.most)
	for i, c := range o.cells {
		d.cells[i] += c
	}
}

// overlap estimates how many stamps lie on a pixel where an average event lies, and longest how many on the most crowded.
func (d *density) overlap() (mean, longest float64) {
	var square, most float64
	for _, c := range d.cells {
		square += float64(c) * float64(c)
		most = max(most, float64(c))
	}
	if d.n == 0 || d.area == 0 {
		return 0, 0
	}
	stamp := d.area / float64(d.n)
	cells := max(1, stamp/float64(d.edge*d.edge)) // that a stamp covers
	n := float64(d.n)
	return min(n, square/n*cells), min(n, most*cells)
}

// window returns the pixels of a band that the batch can light, from a corner of a tile on; false when there are none.
func (d *density) window(f *frame, b *band, tile int) (window, bool) {
	w := window{
		x0: int(max(math.Floor(d.minX), 0)), x1: int(min(math.Ceil(d.maxX)+1, float64(f.w))),
		y0: int(max(math.Floor(d.minY), float64(b.y0))), y1: int(min(math.Ceil(d.maxY)+1, float64(b.y0+b.rows))),
	}
	if w.x0 >= w.x1 || w.y0 >= w.y1 {
		return w, false
	}
	w.x0 -= w.x0 % tile
	w.y0 -= (w.y0 - b.y0) % tile
	return w, true
}
