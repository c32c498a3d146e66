//go:build hip

package hip

// #include "args.h"
import "C"

import (
	"math"
	"unsafe"

	"grsplat/render/fail"
	"grsplat/render/sink"
	"grsplat/render/sink/quanta"
)

// submit hands the slot that was being filled to the device, and waits for the other one to come back.
func (c *Canvas) submit() error {
	s := &c.slots[c.filling]
	if s.n == 0 {
		return nil
	}
	if err := c.on(func() error { return c.start(s) }); err != nil {
		return err
	}
	c.filling = 1 - c.filling
	return c.await(&c.slots[c.filling])
}

// start chooses how to sum a batch and queues it.
func (c *Canvas) start(s *slot) error {
	s.path = c.costs.choose(c.paths)
	if err := c.plan(s); err != nil {
		return err
	}
	return c.queue(s)
}

// queue queues a batch: upload, prepare, convolve, accumulate, merge, and the counters back. Nothing of it waits.
func (c *Canvas) queue(s *slot) error {
	if s.path == "tile16" {
		s.list()
		if err := c.needPartials(s.partials); err != nil {
			return err
		}
	}
	s.busy, s.blocks = true, 0
	if err := c.record(s.stamps[0], c.stream); err != nil {
		return err
	}
	if err := c.upload(s); err != nil {
		return err
	}
	if err := c.record(s.stamps[1], c.stream); err != nil {
		return err
	}
	args := c.args(s)
	if err := c.run(s, "grhip_prepare", ceil(s.n, C.GRHIP_BLOCK), args); err != nil {
		return err
	}
	if err := c.record(s.stamps[2], c.stream); err != nil {
		return err
	}
	if err := c.reserve(s); err != nil {
		return err
	}
	if err := c.convolve(s, args); err != nil {
		return err
	}
	if err := c.record(s.stamps[3], c.stream); err != nil {
		return err
	}
	if err := c.accumulate(s, args); err != nil {
		return err
	}
	if err := c.record(s.stamps[5], c.stream); err != nil {
		return err
	}
	if err := c.toHost(s.counters, s.device, 8*C.GRHIP_COUNTERS, c.stream); err != nil {
		return err
	}
	return c.record(s.stamps[6], c.stream)
}

func ceil(n, per int) int { return (n + per - 1) / per }

// upload copies the slot's arrays as far as they are used, and clears its counters.
func (c *Canvas) upload(s *slot) error {
	sizes := [4]int64{int64(s.n) * eventBytes, 0, 0, 0}
	if s.path == "tile16" {
		sizes = [4]int64{sizes[0], int64(s.entries) * 4, int64(s.nItems) * C.sizeof_grhip_item, int64(s.nMerges) * C.sizeof_grhip_merge}
	}
	for i, to := range []pointer{c.mem.events, c.mem.lists, c.mem.items, c.mem.merges} {
		if sizes[i] == 0 {
			continue
		}
		if err := c.toDevice(to, s.pinned[i], sizes[i], c.stream); err != nil {
			return err
		}
	}
	return c.clear(s.device, 8*C.GRHIP_COUNTERS, c.stream)
}

// accumulate queues the kernels of the slot's path, stamped between accumulation and merge.
func (c *Canvas) accumulate(s *slot, args *C.grhip_args) error {
	items := unsafe.Pointer(args.items)
	for _, k := range c.sums(s) {
		if k.blocks == 0 {
			continue
		}
		args.items = (*C.grhip_item)(unsafe.Add(items, k.item*C.sizeof_grhip_item))
		if err := c.run(s, k.name, k.blocks, args); err != nil {
			return err
		}
	}
	if err := c.record(s.stamps[4], c.stream); err != nil || s.nMerges == 0 {
		return err
	}
	merge := "grhip_merge_f64"
	if c.cfg.Precision == sink.Exact128 {
		merge = "grhip_merge_i64"
	}
	return c.run(s, merge, s.nMerges*tilesOfCell, args)
}

// A sum is a launch of a kernel that sums, its first item that of the slot.
type sum struct {
	name         string
	item, blocks int
}

// sums returns what sums the slot's batch. In float64 the pieces of cut lists have a kernel of their own.
func (c *Canvas) sums(s *slot) []sum {
	switch {
	case s.path == "atomic":
		return []sum{{"grhip_atomic_i64", 0, ceil(s.n, C.GRHIP_BLOCK/C.GRHIP_LANES)}}
	case c.cfg.Precision == sink.Exact128:
		return []sum{{"grhip_tile16_i64", 0, s.nItems * tilesOfCell}}
	}
	return []sum{{"grhip_tile16_f64", 0, s.nWhole * tilesOfCell}, {"grhip_pieces_f64", s.nWhole, (s.nItems - s.nWhole) * tilesOfCell}}
}

// run launches a kernel and counts its blocks.
func (c *Canvas) run(s *slot, name string, blocks int, args *C.grhip_args) error {
	s.blocks += blocks
	return c.launch(name, c.kernels[name], blocks, c.stream, args)
}

func (c *Canvas) args(s *slot) *C.grhip_args {
	k, m, scale := c.cfg.PSF.Kernel, &c.mem, 1.0
	if c.cfg.Precision == sink.Exact128 {
		scale = math.Ldexp(1, c.cfg.QuantumBits)
	}
	return &C.grhip_args{
		events: (*C.double)(m.events), stars: (*C.grhip_star)(m.stars), weights: (*C.double)(m.weights), lists: (*C.uint32_t)(m.lists),
		items: (*C.grhip_item)(m.items), merges: (*C.grhip_merge)(m.merges), frame: m.frame, high: (*C.int64_t)(m.high),
		partials: m.partials, counters: (*C.ulonglong)(s.device), scale: C.double(scale), peak: C.double(c.peak),
		w: C.int32_t(c.cfg.W), h: C.int32_t(c.cfg.H), cells: C.uint32_t(s.across),
		stride: C.int32_t(k.Stride), grid: C.int32_t(k.Size), phases: C.int32_t(k.P), radius: C.int32_t(k.R), n: C.uint32_t(s.n),
	}
}

// await waits for a slot's batch, checks that the device did all of it, and empties the slot. What the mesh refused is queued again.
func (c *Canvas) await(s *slot) error {
	for s.busy {
		s.busy = false
		if err := c.waitEvent(s.stamps[6]); err != nil {
			return err
		}
		again, err := c.settle(s)
		if err != nil {
			return err
		}
		if again {
			if err := c.on(func() error { return c.queue(s) }); err != nil {
				return err
			}
		}
	}
	s.reset()
	return nil
}

// settle reads a finished slot's counters and times, and says whether lists are left to sum.
func (c *Canvas) settle(s *slot) (again bool, err error) {
	counters := view[uint64](s.counters, C.GRHIP_COUNTERS)
	if done := counters[C.GRHIP_DONE]; done != uint64(s.blocks) {
		return false, fail.Device("hip: accumulate: %s finished %d of %d blocks: the driver stopped the work", c.Name, done, s.blocks)
	}
	var seconds [5]float64
	for i := range seconds {
		t, err := c.elapsed(s.stamps[i], s.stamps[i+1])
		if err != nil {
			return false, err
		}
		seconds[i] = t
	}
	t := &c.stats.Seconds
	t.Upload += seconds[0]
	t.Bin += seconds[1]
	t.Accumulate += seconds[2] + seconds[3]
	t.Merge += seconds[4]
	if s.listed > 0 {
		pairs := counters[C.GRHIP_PAIRS]
		c.stats.Contributions += int64(pairs)
		c.stats.PathChunks[s.path]++
		c.stats.PathEvents[s.path] += int64(s.listed)
		if 2*s.listed >= s.n { // what the mesh leaves may be too little to tell
			c.costs.add(s.path, seconds[3]+seconds[4], pairs)
		}
		c.spent += seconds[3] + seconds[4]
	}
	if s.held == 0 {
		return false, nil
	}
	return c.settleMesh(s, seconds[2], counters[C.GRHIP_MESHED])
}

// reserve makes room for the slot's quanta in the first words, by a carry where they could pass their limit.
func (c *Canvas) reserve(s *slot) error {
	if c.total += s.bound; c.total > quanta.Total {
		return fail.Device("hip: accumulate: the sums could pass their second words")
	}
	if c.inWord+s.bound > quanta.Word {
		args, words := c.args(s), 3*c.cfg.W*c.cfg.H
		args.n = C.uint32_t(words)
		if err := c.run(s, "grhip_carry", ceil(words, C.GRHIP_BLOCK), args); err != nil {
			return err
		}
		c.inWord = quanta.Carried
	}
	c.inWord += s.bound
	return nil
}
