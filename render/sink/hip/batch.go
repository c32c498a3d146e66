package hip

import (
	"math"

	"grsplat/render/event"
)

// Sizes of a batch. args.h repeats the first two for the kernels.
const (
	cellEdge       = 128     // px: a cell has one list of stars
	tilesOfCell    = 64      // of 16 x 16 px: the blocks of an item, and the slots of a partial sum
	batchEvents    = 1 << 16 // events, unless a test wants fewer
	entriesOfEvent = 16      // list entries that a batch has room for, for each event
	pieceMin       = 1024    // entries of a piece of a list, at least
	piecesMost     = 96      // pieces that the lists of a batch are cut into, about
	whole          = math.MaxUint32
)

// An item is a piece of a cell's list, a merge the pieces of a cell: grhip_item and grhip_merge of args.h.
type item struct{ Cell, First, Count, Slot uint32 }
type merge struct{ Cell, First, Count uint32 }

// A batch gathers events in the slices that it was made with, which are pinned memory, and the lists of the cells that they
// reach.
type batch struct {
	w, h, across int
	radius       float64

	events []event.Event
	lists  []uint32 // entriesOfEvent for each
	items  []item   // of maxItems
	merges []merge  // of maxMerges

	n, nItems, nMerges int // in use
	entries            int // of the lists that the events will make
	partials           int // slots of partial sums
	bound              float64
	spans              []span   // of the events
	counts             []uint32 // entries of each cell, while gathering
	next               []uint32 // next entry of each cell, while listing
}

// maxMerges bounds the cells whose lists are cut: each holds more than a 96th of all entries.
const maxMerges = piecesMost

// maxItems bounds the pieces: one for a cell, and one more for each 96th of all entries.
func maxItems(w, h int) int { return cellCount(w, h) + 2*piecesMost }

func cellCount(w, h int) int {
	return ((w + cellEdge - 1) / cellEdge) * ((h + cellEdge - 1) / cellEdge)
}

// reset empties the batch.
func (b *batch) reset() {
	b.n, b.nItems, b.nMerges, b.entries, b.partials, b.bound = 0, 0, 0, 0, 0, 0
	clear(b.counts)
}

// span is the run of cells that a star reaches, inclusive. The largest frame has fewer than 2^15 cells a side.
type span struct{ x0, y0, x1, y1 int16 }

func (s span) cells() int { return int(s.x1-s.x0+1) * int(s.y1-s.y0+1) }

// reach returns the cells that the circle of e may light, generously by a pixel; none when it is off the frame.
func (b *batch) reach(e *event.Event) (span, bool) {
	s := min(e.Support, b.radius) + 1
	x0, x1, y0, y1 := e.X-s, e.X+s, e.Y-s, e.Y+s
	w, h := float64(b.w-1), float64(b.h-1)
	if !(x1 >= 0 && x0 <= w && y1 >= 0 && y0 <= h) {
		return span{}, false
	}
	return span{cell(x0, w), cell(y0, h), cell(x1, w), cell(y1, h)}, true
}

// cell returns the cell of the pixel nearest to v along one axis.
func cell(v, last float64) int16 {
	if v <= 0 {
		return 0
	}
	if v >= last {
		v = last
	}
	return int16(int(v) / cellEdge)
}

// full says whether there is no room for an event that reaches so many cells.
func (b *batch) full(cells int) bool { return b.n == len(b.events) || b.entries+cells > len(b.lists) }

// add appends an event whose cells are s.
func (b *batch) add(e *event.Event, s span) {
	b.events[b.n], b.spans[b.n] = *e, s
	b.n++
	b.entries += s.cells()
	for y := int(s.y0); y <= int(s.y1); y++ {
		row := b.counts[y*b.across:]
		for x := s.x0; x <= s.x1; x++ {
			row[x]++
		}
	}
}

// list writes the lists, cell by cell, events in the order of their deposits, and cuts long ones into items. The sums of a
// cell whose list is cut go to slots of their own, and a merge adds them in order.
func (b *batch) list() {
	piece := max(pieceMin, (b.entries+piecesMost-1)/piecesMost)
	first := uint32(0)
	for cell, n := range b.counts {
		b.next[cell] = first
		b.cut(uint32(cell), first, int(n), piece)
		first += n
	}
	for i, s := range b.spans[:b.n] {
		for y := int(s.y0); y <= int(s.y1); y++ {
			row := b.next[y*b.across:]
			for x := s.x0; x <= s.x1; x++ {
				b.lists[row[x]] = uint32(i)
				row[x]++
			}
		}
	}
}

// cut makes the items of one cell's list of n entries.
func (b *batch) cut(cell, first uint32, n, piece int) {
	if n == 0 {
		return
	}
	if n <= piece {
		b.items[b.nItems] = item{cell, first, uint32(n), whole}
		b.nItems++
		return
	}
	pieces := (n + piece - 1) / piece
	b.merges[b.nMerges] = merge{cell, uint32(b.partials), uint32(pieces)}
	b.nMerges++
	for k := range pieces {
		from, to := n*k/pieces, n*(k+1)/pieces
		b.items[b.nItems] = item{cell, first + uint32(from), uint32(to - from), uint32(b.partials)}
		b.nItems++
		b.partials += tilesOfCell
	}
}
