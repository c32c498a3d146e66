package hip

import (
	"math"
	"slices"

	"grsplat/render/event"
	"grsplat/render/psf"
)

// Sizes of a batch. args.h repeats the first two for the kernels.
const (
	cellEdge       = 128 // px: a cell has one list of stars
	tilesOfCell    = 32  // of 16 x 32 px: the blocks of an item, and the slots of a partial sum
	entriesOfEvent = 16  // list entries that a batch has room for, for each event
	piecesMost     = 192 // pieces that the lists of a batch are cut into, about
	whole          = math.MaxUint32
)

// sizes of batches that self-tests and tests choose smaller.
type sizes struct {
	events int
	piece  int // entries of a piece of a list, at least
}

var usual = sizes{events: 1 << 16, piece: 1024}

// An item is a piece of a cell's list, a merge the pieces of a cell: grhip_item and grhip_merge of args.h.
type item struct{ Cell, First, Count, Slot uint32 }
type merge struct{ Cell, First, Count uint32 }

// A batch gathers events in the slices that it was made with, which are pinned memory, and the lists of the cells that they
// reach.
type batch struct {
	w, h, across int
	kernel       *psf.Kernel
	pieceMin     int

	events []event.Event
	lists  []uint32 // entriesOfEvent for each
	items  []item   // of maxItems
	merges []merge  // of maxMerges

	n, nItems, nMerges int // in use
	listed             int // events that the lists are made of
	nWhole             int // items that are whole lists; they come first
	entries            int // of the lists that the events will make
	partials           int // slots of partial sums
	bound              float64
	spans              []span   // of the events
	counts             []uint32 // entries of each cell, while gathering
	next               []uint32 // next entry of each cell, while listing
	phases             []uint32 // of the events, and the events by phase, where lists are cut
	order              []uint32
}

// newBatch makes a batch of pinned, or in tests other, memory.
func newBatch(w, h int, k *psf.Kernel, pieceMin int, events []event.Event, lists []uint32, items []item, merges []merge) batch {
	cells := cellCount(w, h)
	return batch{w: w, h: h, across: (w + cellEdge - 1) / cellEdge, kernel: k, pieceMin: pieceMin, events: events, lists: lists, items: items, merges: merges,
		spans: make([]span, len(events)), counts: make([]uint32, cells), next: make([]uint32, cells), phases: make([]uint32, len(events)), order: make([]uint32, len(events))}
}

// maxMerges bounds the cells whose lists are cut: each holds more than a 192nd of all entries.
const maxMerges = piecesMost

// maxItems bounds the pieces: one for a cell, and one more for each 192nd of all entries.
func maxItems(w, h int) int { return cellCount(w, h) + 2*piecesMost }

func cellCount(w, h int) int {
	return ((w + cellEdge - 1) / cellEdge) * ((h + cellEdge - 1) / cellEdge)
}

// reset empties the batch.
func (b *batch) reset() {
	b.n, b.bound = 0, 0
	b.unlist()
}

// unlist empties the lists.
func (b *batch) unlist() {
	b.nItems, b.nMerges, b.nWhole, b.listed, b.entries, b.partials = 0, 0, 0, 0, 0, 0
	clear(b.counts)
}

// only makes the lists those of the events that keep accepts.
func (b *batch) only(keep func(i int) bool) {
	b.unlist()
	for i := range b.n {
		b.spans[i] = span{0, 0, -1, -1}
		if keep(i) {
			b.spans[i], _ = b.reach(&b.events[i])
			b.count(b.spans[i])
		}
	}
}

// span is the run of cells that a star reaches, inclusive. The largest frame has fewer than 2^15 cells a side.
type span struct{ x0, y0, x1, y1 int16 }

func (s span) cells() int { return int(s.x1-s.x0+1) * int(s.y1-s.y0+1) }

// reach returns the cells that the circle of e may light, generously by a pixel; none when it is off the frame.
func (b *batch) reach(e *event.Event) (span, bool) {
	s := min(e.Support, float64(b.kernel.R)) + 1
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

// crowd returns the entries of the longest list.
func (b *batch) crowd() int { return int(slices.Max(b.counts)) }

// full says whether there is no room for an event that reaches so many cells.
func (b *batch) full(cells int) bool { return b.n == len(b.events) || b.entries+cells > len(b.lists) }

// add appends an event whose cells are s.
func (b *batch) add(e *event.Event, s span) {
	b.events[b.n], b.spans[b.n] = *e, s
	b.n++
	b.count(s)
}

// count makes room in the lists for an event whose cells are s.
func (b *batch) count(s span) {
	b.listed++
	b.entries += s.cells()
	for y := int(s.y0); y <= int(s.y1); y++ {
		row := b.counts[y*b.across:]
		for x := s.x0; x <= s.x1; x++ {
			row[x]++
		}
	}
}

// list writes the lists, cell by cell, and cuts long ones into items. The sums of a cell whose list is cut go to slots of their
// own, and a merge adds them in order. Lists hold events in the order of their deposits, or, where one is cut, by phase: the
// stars that a tile sums one after another then read the same weights, which its first cache holds.
func (b *batch) list() {
	piece := max(b.pieceMin, (b.entries+piecesMost-1)/piecesMost)
	first := uint32(0)
	for cell, n := range b.counts {
		b.next[cell] = first
		if n > 0 && int(n) <= piece {
			b.items[b.nItems] = item{uint32(cell), first, n, whole}
			b.nItems++
		}
		first += n
	}
	b.nWhole = b.nItems
	for cell, n := range b.counts {
		if int(n) > piece {
			b.cut(uint32(cell), b.next[cell], int(n), piece)
		}
	}
	if b.nMerges == 0 {
		for i := range b.n {
			b.enter(uint32(i))
		}
		return
	}
	for _, i := range b.byPhase() {
		b.enter(i)
	}
}

// cut makes the items of one cell's list of n entries.
func (b *batch) cut(cell, first uint32, n, piece int) {
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

// enter appends event i to the lists of its cells.
func (b *batch) enter(i uint32) {
	s := b.spans[i]
	for y := int(s.y0); y <= int(s.y1); y++ {
		row := b.next[y*b.across:]
		for x := s.x0; x <= s.x1; x++ {
			b.lists[row[x]] = i
			row[x]++
		}
	}
}

// byPhase returns the events sorted by phase, those of one phase in the order of their deposits.
func (b *batch) byPhase() []uint32 {
	p := b.kernel.P
	next := make([]uint32, p*p+1)
	for i := range b.n {
		m := b.kernel.Mix(b.events[i].X, b.events[i].Y)
		b.phases[i] = uint32(m.PY*p + m.PX)
		next[b.phases[i]+1]++
	}
	for c := range p * p {
		next[c+1] += next[c]
	}
	for i, c := range b.phases[:b.n] {
		b.order[next[c]] = uint32(i)
		next[c]++
	}
	return b.order[:b.n]
}
