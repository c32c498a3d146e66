package hip

import (
	"math"

	"grsplat/render/event"
	"grsplat/render/mesh"
)

// classes of brightness, each of a factor of 2.
const classes = 64

// A census is what a batch has in each block of the mesh's grid. The host takes it, since it holds the events.
type census struct {
	mesh.Device
	bx, by int // blocks of the grid
	right  float64
	bottom float64

	block  []int32   // of each event, -1 for one that the mesh cannot take
	light  []float64 // of each event
	counts []uint32  // [block][class]
	blocks []tally
}

// A tally is one block's events.
type tally struct {
	events  int     // that the mesh may take
	highest int     // class of them
	light   float64 // their summed |flux*colour|
	slot    int32   // among the batch's blocks; -1 for none
}

// newCensus returns a census of batches of at most n events on a frame of w x h px.
func newCensus(d mesh.Device, w, h, n int) *census {
	s := &census{Device: d, right: float64(w - d.First), bottom: float64(h - d.First), block: make([]int32, n), light: make([]float64, n)}
	s.bx, s.by = d.Blocks(w, h)
	s.counts, s.blocks = make([]uint32, s.bx*s.by*classes), make([]tally, s.bx*s.by)
	return s
}

// place returns the block of an event, -1 for one outside the grid and one whose circle is not that of the kernels.
func (s *census) place(e *event.Event) int32 {
	left := float64(s.First)
	if !(e.X >= left && e.X < s.right && e.Y >= left && e.Y < s.bottom) || min(e.Support, float64(s.R)) != min(s.Support, float64(s.R)) {
		return -1
	}
	x, y := int(math.Floor(e.X))-s.First, int(math.Floor(e.Y))-s.First
	return int32(y/s.Pitch*s.bx + x/s.Pitch)
}

// take counts the events of a batch.
func (s *census) take(events []event.Event) {
	clear(s.counts)
	total := 0.0
	for i := range events {
		s.block[i], s.light[i] = s.place(&events[i]), mesh.Brightness(&events[i])
		total += s.light[i]
	}
	unit := mesh.Scale(total)
	class := func(i int) int { return max(math.Ilogb(max(s.light[i]*unit, 1)), 0) }
	for i := range events {
		if b := s.block[i]; b >= 0 {
			s.counts[int(b)*classes+class(i)]++
		}
	}
	for b := range s.blocks {
		s.blocks[b] = tally{highest: mesh.BrightClass(s.counts[b*classes:][:classes]), slot: -1}
	}
	for i := range events {
		b := s.block[i]
		if b < 0 {
			continue
		}
		t := &s.blocks[b]
		if class(i) > t.highest {
			s.block[i] = -1
			continue
		}
		t.events++
		t.light += s.light[i]
	}
}

// fullest returns the events of the fullest block.
func (s *census) fullest() int {
	most := 0
	for b := range s.blocks {
		most = max(most, s.blocks[b].events)
	}
	return most
}

// choose gives slots to the blocks of so many events, at least one, and returns them by slot, and the events that they hold.
func (s *census) choose(worth int) (chosen []int, held int) {
	for b := range s.blocks {
		if t := &s.blocks[b]; t.events >= max(worth, 1) {
			t.slot = int32(len(chosen))
			chosen = append(chosen, b)
			held += t.events
		}
	}
	return chosen, held
}

// slot returns the slot of an event's block.
func (s *census) slot(i int) (slot int, ok bool) {
	if b := s.block[i]; b >= 0 && s.blocks[b].slot >= 0 {
		return int(s.blocks[b].slot), true
	}
	return 0, false
}

// first returns the first pixel of a block.
func (s *census) first(block int) (x, y int) {
	return s.First + block%s.bx*s.Pitch, s.First + block/s.bx*s.Pitch
}
