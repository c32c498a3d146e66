package vulkan

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/shaders"
	"grsplat/vk"
)

const (
	batchEvents = 1 << 20 // events of a batch, at most
	leastEvents = 4096    // below that a device has too little memory to be of use
	splitFew    = 1024    // list entries of one partial sum, at least, where a batch has less than splitMany
	splitMost   = 256     // and where it has more, so that every part of a large device has work
	splitMany   = 1 << 19
	aligned     = 32      // events at whose multiples a part of a batch may begin: a binding begins at multiples of 256 bytes
	firstBinned = 1 << 16 // events that a device's first submission of binning takes, at most
	orderedMost = 1 << 17 // events of a batch that keeps the order of deposits; larger ones are sorted by phase
	atomicSort  = 4096    // events from which the atomic paths are sorted by phase, so that neighbours read the same weights
)

// batchLimit returns the events of a batch that the device's memory and bindings have room for.
func (c *Canvas) batchLimit() (int, error) {
	edge := c.finest()
	radius := float64(c.cfg.PSF.R)
	perTile, perCell := entries(radius, float64(edge)), 1.1*entries(radius, float64(8*edge))
	binding := float64(c.engine.device.Info().Limits.MaxStorageBufferRange)
	free := 0.8*float64(c.engine.device.Memory().Free) - 1<<27
	room := room(c.record, perTile, perCell)
	if slices.ContainsFunc(c.paths, func(p candidate) bool { return p.path == "mesh" }) {
		room += 56 // an event that it leaves
	}
	n := min(batchEvents, binding/max(4*perTile, float64(c.record)), free/room)
	limit := leastEvents
	for limit*2 <= int(n) {
		limit *= 2
	}
	if n < leastEvents && free < leastEvents*room {
		return 0, fail.Backend("vulkan: memory: %s has %.0f MiB free, a batch of %d events takes %.0f MiB",
			c.engine.info.Name, (free+1<<27)/1e6, leastEvents, (leastEvents*room+1<<27)/1e6)
	}
	if t := c.tuning.BatchEvents; t > 0 {
		limit = min(limit, t)
	}
	return limit, nil
}

// finest is the smallest tile of the canvas's paths and of what may stand in for the mesh, px.
func (c *Canvas) finest() int {
	edge := bandAlign
	for _, p := range c.paths {
		t := tiles[p.path]
		if p.path == "mesh" {
			t = tiles["tile16"]
		}
		if t > 0 {
			edge = min(edge, t)
		}
	}
	return edge
}

// take copies a slot into the batch, which is run first when the slot does not fit.
func (c *Canvas) take(s *slot) error {
	if c.pending.n > 0 && (c.pending.n+s.n > c.limit || c.pending.bound+s.bound > slotQuanta) {
		if err := c.runPending(); err != nil {
			return err
		}
	}
	size := c.eventBytes()
	room := uint64(c.limit) * size
	if c.pending.n == 0 && s.n < c.slotEvents {
		room = uint64(s.n) * size // the last of few
	}
	events, err := c.growEvents(max(room, uint64(c.pending.n+s.n)*size))
	if err != nil {
		return err
	}
	batch := c.engine.device.Batch("upload")
	begin := batch.Stamp()
	batch.Copy(events.At(uint64(c.pending.n)*size, uint64(s.n)*size), s.buffer.At(0, uint64(s.n)*size))
	if err := c.run(batch, func(t clock) { c.stats.Seconds.Upload += t.between(begin, t.last) }); err != nil {
		return err
	}
	c.pending.merge(&s.density)
	if c.pending.n == c.limit {
		return c.runPending()
	}
	return nil
}

func (c *Canvas) eventBytes() uint64 {
	if c.record == shaders.RecordF32 {
		return shaders.RecordF32
	}
	return 56
}

// growEvents returns the buffer of the batch's events with room for bytes, keeping those it holds.
func (c *Canvas) growEvents(bytes uint64) (*vk.Buffer, error) {
	old := c.scratch.all["events"]
	if old != nil && old.Size() >= bytes {
		return old, nil
	}
	delete(c.scratch.all, "events")
	defer old.Free()
	b, err := c.scratch.get("events", bytes, vk.OnDevice)
	if err != nil {
		return nil, deviceError("upload", err)
	}
	if held := uint64(c.pending.n) * c.eventBytes(); old != nil && held > 0 {
		batch := c.engine.device.Batch("upload")
		batch.Copy(b.At(0, held), old.At(0, held))
		if err := c.run(batch, func(clock) {}); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// runPending accumulates the batch gathered so far.
func (c *Canvas) runPending() error {
	if c.pending.n == 0 {
		return nil
	}
	if err := c.reserve(c.pending.bound); err != nil {
		return err
	}
	n := c.pending.n
	p, err := c.choose()
	if err != nil {
		return err
	}
	c.batches++
	if c.warm > 0 && c.batches == 1 {
		if err := c.rehearse(p); err != nil {
			return err
		}
	}
	if err := c.sum(p, n); err != nil {
		return err
	}
	c.stats.Events += int64(n)
	c.pending.reset()
	return nil
}

// sum adds the batch of n events to the frame as planned.
func (c *Canvas) sum(p plan, n int) error {
	if p.path == "mesh" {
		return c.runMesh(p, n)
	}
	c.tally(p.path, n)
	return c.accumulateAll(p.candidate, c.scratch.all["events"], n)
}

func (c *Canvas) tally(path string, n int) {
	if n > 0 {
		c.stats.PathChunks[path] += int64((n + event.ChunkLen - 1) / event.ChunkLen)
		c.stats.PathEvents[path] += int64(n)
	}
}

// rehearse draws the frame's first batch over and over, until for c.warm no drawing was faster by a fiftieth than all before, and
// makes the frame black again, so that what follows is timed with the clocks of a busy device: those of one that waits for its host
// fall to a half, and take a while to rise.
func (c *Canvas) rehearse(p plan) (err error) {
	kept, least := c.stats, math.Inf(1)
	kept.PathChunks, kept.PathEvents = maps.Clone(kept.PathChunks), maps.Clone(kept.PathEvents)
	for start := time.Now(); time.Since(start) < c.warm && err == nil; {
		before := c.busy()
		err = c.sum(p, c.pending.n)
		if took := c.busy() - before; took < 0.98*least {
			least, start = took, time.Now()
		}
	}
	c.stats = kept
	if err == nil {
		err = c.frame.clear(c.engine.device)
	}
	return err
}

// accumulateAll adds n events by a path, in parts whose binning stays within half a submission's budget.
func (c *Canvas) accumulateAll(path candidate, events *vk.Buffer, n int) error {
	for first := 0; first < n; {
		take := c.engine.allowed("bin", c.engine.options.Budget.Seconds()/2, firstBinned)
		take = min(n-first, max(take-take%aligned, aligned))
		if err := c.accumulate(path, events, first, take); err != nil {
			return err
		}
		first += take
	}
	return nil
}

// busy is the device time of binning, accumulating and merging so far, s.
func (c *Canvas) busy() float64 {
	return c.stats.Seconds.Bin + c.stats.Seconds.Accumulate + c.stats.Seconds.Merge
}

// A job is one batch, or a part of it, on one band of the frame.
type job struct {
	c      *Canvas
	path   candidate
	band   *band
	tile   int // edge, px; 0 for the atomic paths
	sorted bool
	events *vk.Buffer
	first  int // of the events
	n      int
	tree   tree
	push   shaders.Push
	buf    map[string]*vk.Buffer
	state  []uint32 // as read back last
}

// accumulate adds events first to first+n-1 to every band. When a list would overflow, the halves are done instead.
func (c *Canvas) accumulate(path candidate, events *vk.Buffer, first, n int) error {
	for _, b := range c.frame.bands {
		if err := c.accumulateBand(path, b, events, first, n); err != nil {
			return err
		}
	}
	return nil
}

func (c *Canvas) accumulateBand(path candidate, b *band, events *vk.Buffer, first, n int) error {
	j := &job{c: c, path: path, band: b, tile: tiles[path.path], events: events, first: first, n: n, buf: map[string]*vk.Buffer{}}
	edge := j.tile
	if edge == 0 {
		edge = bandAlign
	}
	win, lit := c.pending.window(c.frame, b, edge)
	if !lit {
		return nil
	}
	_, longest := c.pending.overlap()
	j.sorted = n >= atomicSort
	if j.tile > 0 {
		j.sorted = n > orderedMost || longest > float64(c.splitMin(n, edge))
	}
	j.tree = newTree(win, edge)
	b.touch(win.y0, win.y1)
	overflow, err := j.run()
	if err != nil || !overflow {
		return err
	}
	half := n / 2
	if half -= half % aligned; half == 0 {
		return deviceError("bin", fmt.Errorf("lists of %d entries do not hold %d events", c.listEntries(n), n))
	}
	if err := c.accumulateBand(path, b, events, first, half); err != nil {
		return err
	}
	return c.accumulateBand(path, b, events, first+half, n-half)
}

// splitMin is the length below which the list of a tile is not cut, in a batch of n events on tiles of an edge, px.
func (c *Canvas) splitMin(n, edge int) uint32 {
	switch {
	case c.tuning.SplitMin > 0:
		return c.tuning.SplitMin
	case float64(n)*entries(c.pending.reach, float64(edge)) < splitMany:
		return splitFew
	}
	return splitMost
}

// run does the job. It adds nothing to the frame when it reports an overflow.
func (j *job) run() (overflow bool, err error) {
	if err := j.allocate(); err != nil {
		return false, deviceError("batch", err)
	}
	if overflow, err = j.bin(); err != nil || overflow {
		return overflow, err
	}
	if j.tile == 0 {
		err = j.splat()
	} else {
		err = j.sumTiles()
	}
	if err == nil {
		j.c.stats.Contributions += int64(j.state[shaders.ContribHi])<<32 + int64(j.state[shaders.ContribLo])
	}
	return false, err
}

// allocate sizes the buffers and fills the constants.
func (j *job) allocate() error {
	c, n := j.c, uint64(j.n)
	j.push = c.push(j.band)
	j.push.WinX, j.push.WinY = int32(j.tree.win.x0), int32(j.tree.win.y0)
	j.push.N, j.push.RootX, j.push.Tile = uint32(j.n), uint32(j.tree.rootX), uint32(j.tree.tile)
	j.push.SplitMin, j.push.SplitTarget = c.splitMin(j.n, j.tree.tile), j.splitTarget()
	sizes := map[string]uint64{
		"records": n * uint64(c.record), "circles": n * 16, "order": n * 4, "state": shaders.StateWords * 4, "args": 64,
		"segments": 8, "counters": 64 * 4 * (n/shaders.Segment + 2),
	}
	if j.tile > 0 {
		cells, parents := c.midEntries(j.n), uint64(1)
		for _, l := range j.tree.levels {
			parents = max(parents, uint64(l.parents))
		}
		sizes["list"] = 4 * c.listEntries(j.n)
		sizes["starts0"], sizes["starts1"] = 4*uint64(j.tree.tiles+1), 4*(parents+1)
		if len(j.tree.levels)%2 == 1 {
			sizes["starts0"], sizes["starts1"] = sizes["starts1"], sizes["starts0"]
		}
		sizes["segments"] = 4 * (parents + 1)
		sizes["counters"] = 64 * 4 * (max(cells, n)/shaders.Segment + parents + 2)
		sizes["mid0"], sizes["mid1"] = 4*cells, 4*cells
	}
	sizes["blocks"] = sizes["counters"]/shaders.ScanBlock + 64
	for name, size := range sizes {
		b, err := c.scratch.get(name, size, vk.OnDevice)
		if err != nil {
			return err
		}
		j.buf[name] = b
	}
	j.buf["events"] = j.events
	if _, err := c.scratch.get("readback", shaders.StateWords*4, vk.Readback); err != nil {
		return err
	}
	return nil
}

// listEntries is the room of the tile lists of n events.
func (c *Canvas) listEntries(n int) uint64 {
	if t := c.tuning.ListEntries; t > 0 {
		return t
	}
	want := uint64(float64(n)*entries(c.pending.reach, float64(c.finest()))) + 4096
	return min(want, c.engine.device.Info().Limits.MaxStorageBufferRange/4)
}

// midEntries is the room of the lists above the tiles.
func (c *Canvas) midEntries(n int) uint64 {
	want := uint64(1.2*float64(n)*entries(c.pending.reach, 128)) + 4096
	return min(want, c.engine.device.Info().Limits.MaxStorageBufferRange/4)
}

// splitTarget is about how many partial sums a batch has: enough to keep a large device busy, and at most 96 MiB.
func (j *job) splitTarget() uint32 {
	if t := j.c.tuning.SplitTarget; t > 0 {
		return t
	}
	slot := uint64(3 * j.c.frame.word * j.tree.tile * j.tree.tile)
	return uint32(max(min(8192, min(96<<20, j.c.scratch.limit)/slot/2), 1))
}
