//go:build hip

package hip

// #include "args.h"
import "C"

import (
	"errors"
	"unsafe"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/sink"
)

// Compile-time proof that the Go records are the C ones.
var (
	_ [unsafe.Sizeof(event.Event{})]byte = [8 * C.GRHIP_EVENT]byte{}
	_ [unsafe.Sizeof(item{})]byte        = [C.sizeof_grhip_item]byte{}
	_ [unsafe.Sizeof(merge{})]byte       = [C.sizeof_grhip_merge]byte{}
	_ [cellEdge]byte                     = [C.GRHIP_CELL]byte{}
	_ [tilesOfCell]byte                  = [C.GRHIP_TILES]byte{}
	_ [4]byte                            = [C.sizeof_uint]byte{}
)

const (
	eventBytes = int64(unsafe.Sizeof(event.Event{}))
	slotBytes  = 3 * 8 * C.GRHIP_PIXELS // of one partial sum
)

// memory is what a canvas holds on its device: one set for all slots, since the stream works on one batch at a time.
type memory struct {
	events, lists, items, merges pointer // a batch's
	stars                        pointer // prepared
	weights                      pointer // of the phases
	frame, high                  pointer // sums; high words of exact ones
	partials                     pointer // slots
	partialSlots                 int
}

// slot is one of the two pinned sets that the host fills while the device works on the other.
type slot struct {
	batch
	pinned   [4]pointer // events, lists, items, merges
	counters pointer    // pinned
	device   pointer    // the same counters on the device
	stamps   [7]pointer // events: start, uploaded, prepared, convolved, accumulated, merged, counters back
	busy     bool       // submitted and not yet awaited
	path     string     // that took it
	blocks   int        // that the device must count as done
	meshed   [3]pointer // pinned, of the mesh: slots, places, peaks
	chosen   []int      // blocks of the grid that the mesh takes
	held     int        // events of them
}

// allocate gets all memory of the canvas and clears the sums, or says how much is missing.
func (c *Canvas) allocate() error {
	words := int64(3*c.cfg.W*c.cfg.H) * 8
	exact := c.cfg.Precision == sink.Exact128
	weights := int64(len(c.cfg.PSF.Kernel.W)) * 8
	items := int64(maxItems(c.cfg.W, c.cfg.H))
	n := int64(c.size.events)
	need := words + weights + n*(eventBytes+C.sizeof_grhip_star+4*entriesOfEvent) + items*C.sizeof_grhip_item
	if exact {
		need += words
	}
	free, err := c.freeMemory()
	if err != nil {
		return err
	}
	if need > free {
		return fail.Backend("hip: memory: %s has %d MiB free, the frame and a batch take %d MiB", c.Name, free>>20, need>>20)
	}
	for _, m := range []struct {
		p     *pointer
		bytes int64
	}{
		{&c.mem.events, n * eventBytes}, {&c.mem.lists, n * 4 * entriesOfEvent}, {&c.mem.items, items * C.sizeof_grhip_item},
		{&c.mem.merges, maxMerges * C.sizeof_grhip_merge}, {&c.mem.stars, n * C.sizeof_grhip_star}, {&c.mem.weights, weights}, {&c.mem.frame, words},
	} {
		if *m.p, err = c.malloc(m.bytes); err != nil {
			return err
		}
	}
	if err := c.clear(c.mem.frame, words, c.stream); err != nil {
		return err
	}
	if exact {
		if c.mem.high, err = c.malloc(words); err != nil {
			return err
		}
		if err := c.clear(c.mem.high, words, c.stream); err != nil {
			return err
		}
	}
	c.stats.PeakDeviceBytes = need
	for i := range c.slots {
		if err := c.newSlot(&c.slots[i], items); err != nil {
			return err
		}
	}
	return c.uploadWeights()
}

func (c *Canvas) newSlot(s *slot, items int64) (err error) {
	for i, bytes := range []int64{int64(c.size.events) * eventBytes, int64(c.size.events) * 4 * entriesOfEvent, items * C.sizeof_grhip_item, maxMerges * C.sizeof_grhip_merge} {
		if s.pinned[i], err = c.hostMalloc(bytes); err != nil {
			return err
		}
		c.stats.PeakHostBytes += bytes
	}
	if s.counters, err = c.hostMalloc(8 * C.GRHIP_COUNTERS); err != nil {
		return err
	}
	if s.device, err = c.malloc(8 * C.GRHIP_COUNTERS); err != nil {
		return err
	}
	for i := range s.stamps {
		if s.stamps[i], err = c.newEvent(); err != nil {
			return err
		}
	}
	s.batch = newBatch(c.cfg.W, c.cfg.H, c.cfg.PSF.Kernel, c.size.piece, view[event.Event](s.pinned[0], c.size.events), view[uint32](s.pinned[1], entriesOfEvent*c.size.events),
		view[item](s.pinned[2], int(items)), view[merge](s.pinned[3], maxMerges))
	return nil
}

// view is pinned memory as a slice.
func view[T any](p pointer, n int) []T { return unsafe.Slice((*T)(p), n) }

// uploadWeights copies the kernel by way of a slot's pinned events.
func (c *Canvas) uploadWeights() error {
	s := &c.slots[0]
	words := view[float64](s.pinned[0], c.size.events*event7)
	for at := 0; at < len(c.cfg.PSF.Kernel.W); {
		n := copy(words, c.cfg.PSF.Kernel.W[at:])
		if err := c.toDevice(unsafe.Add(c.mem.weights, 8*at), s.pinned[0], int64(8*n), c.stream); err != nil {
			return err
		}
		if err := c.wait(c.stream); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// event7 is the number of float64 of an event.
const event7 = int(eventBytes / 8)

// needPartials makes room for the slots of a batch. The stream is drained before old ones go.
func (c *Canvas) needPartials(n int) (err error) {
	if n <= c.mem.partialSlots {
		return nil
	}
	if c.mem.partials != nil {
		if err := c.wait(c.stream); err != nil {
			return err
		}
		if err := c.free(c.mem.partials); err != nil {
			return err
		}
		c.stats.PeakDeviceBytes -= int64(c.mem.partialSlots) * slotBytes
		c.mem.partials, c.mem.partialSlots = nil, 0
	}
	if c.mem.partials, err = c.malloc(int64(n) * slotBytes); err != nil {
		return err
	}
	c.mem.partialSlots = n
	c.stats.PeakDeviceBytes += int64(n) * slotBytes
	return nil
}

// release frees everything that allocate got, after an error of it too.
func (c *Canvas) release() error {
	m := &c.mem
	errs := []error{c.closeMesh()}
	for _, p := range []pointer{m.events, m.lists, m.items, m.merges, m.stars, m.weights, m.frame, m.high, m.partials, c.slots[0].device, c.slots[1].device} {
		if p != nil {
			errs = append(errs, c.free(p))
		}
	}
	for i := range c.slots {
		s := &c.slots[i]
		for _, p := range append(s.pinned[:], s.counters) {
			if p != nil {
				errs = append(errs, c.hostFree(p))
			}
		}
		for _, e := range s.stamps {
			if e != nil {
				errs = append(errs, c.freeEvent(e))
			}
		}
	}
	return errors.Join(errs...)
}
