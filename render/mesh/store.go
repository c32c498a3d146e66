package mesh

import (
	"math"

	"grsplat/render/event"
)

// pageLen is the events of a page: 8 KiB, a size that the allocator has, so that a 4K frame's 9,000 tiles hold 74 MB of pages at least.
const pageLen = 146

type page struct {
	next   *page
	events [pageLen]event.Event
}

const pageBytes = pageLen*56 + 8

// A tile keeps one front's events of a tile: in pages, until a lattice takes less memory than they do; from then on full
// pages are deposited and reused. Where a block may still be refused for its bound, events stay in pages.
type tile struct {
	pages   *page // the newest first
	fill    int   // events of the newest; the others are full
	n       int   // events, deposited ones included
	lattice *Lattice
	limit   float64 // brighter events are not taken, once there is a lattice
	refused int
}

// paged yields the events in pages.
func (t *tile) paged(yield func([]event.Event) bool) {
	n := t.fill
	for p := t.pages; p != nil && yield(p.events[:n]); p = p.next {
		n = pageLen
	}
}

// A Front collects the events of one goroutine.
type Front struct {
	a       *Accumulator
	tiles   []tile
	touched []int32 // tiles that have events
	free    *page
}

// Deposit takes the events of a chunk that the mesh can convolve and returns the others appended to rest: those that have
// another support than the mesh's, are direct or too bright for their tile, or lie where nothing reaches the frame.
func (f *Front) Deposit(chunk []event.Event, rest []event.Event) []event.Event {
	a := f.a
	a.flushing.RLock()
	defer a.flushing.RUnlock()
	for i := range chunk {
		e := &chunk[i]
		t := a.grid.tile(e.X, e.Y)
		if t < 0 || e.Support != a.support || a.cfg.PSF.IsDirect(e.Flux) || !f.put(t, e) {
			rest = append(rest, *e)
		}
	}
	return rest
}

func (f *Front) put(at int, e *event.Event) bool {
	t := &f.tiles[at]
	p := t.pages
	if p == nil {
		f.touched = append(f.touched, int32(at))
	}
	if p == nil || t.fill == pageLen {
		p = f.room(t, at)
	}
	if t.lattice != nil && brightness(e) > t.limit && t.refused < maxRefused {
		t.refused++
		return false
	}
	p.events[t.fill] = *e
	t.fill++
	t.n++
	return true
}

// maxRefused is how many bright events a tile refuses before it takes its limit for a mistake.
const maxRefused = 4096

// room makes a page with room the tile's newest.
func (f *Front) room(t *tile, at int) *page {
	if t.lattice == nil && t.n >= f.a.hot && f.a.cfg.MeshError == 0 {
		f.heat(t, at)
	}
	if t.lattice != nil && t.pages != nil {
		t.lattice.deposit(t.pages.events[:])
		t.fill = 0
		return t.pages
	}
	p := f.free
	if p == nil {
		p = new(page)
	} else {
		f.free = p.next
	}
	f.a.used.Add(pageBytes)
	p.next, t.pages, t.fill = t.pages, p, 0
	return p
}

// heat gives a tile a lattice, unless the mesh is not available, and sets its limit from its mean brightness.
func (f *Front) heat(t *tile, at int) {
	e := f.a.engine()
	if e == nil {
		return
	}
	sum := 0.0
	for events := range t.paged {
		for i := range events {
			sum += brightness(&events[i])
		}
	}
	t.limit = brightFactor * sum / float64(t.n)
	t.lattice = e.NewLattice()
	f.a.used.Add(t.lattice.bytes())
	t.lattice.moveTo(f.a.grid.pixel(at))
	for t.pages.next != nil { // all are full; the caller empties the last
		p := t.pages
		t.lattice.deposit(p.events[:])
		t.pages = p.next
		f.recycle(p)
	}
}

func (f *Front) recycle(p *page) {
	p.next, f.free = f.free, p
	f.a.used.Add(-pageBytes)
}

// drop returns a tile's pages and forgets its events.
func (f *Front) drop(t *tile) {
	for t.pages != nil {
		p := t.pages
		t.pages = p.next
		f.recycle(p)
	}
	if t.lattice != nil {
		f.a.used.Add(-t.lattice.bytes())
	}
	*t = tile{}
}

// brightness is the largest component of flux*colour.
func brightness(e *event.Event) float64 {
	return math.Abs(e.Flux) * max(math.Abs(e.R), math.Abs(e.G), math.Abs(e.B))
}
