package vulkan

import (
	"errors"
	"fmt"

	"grsplat/shaders"
	"grsplat/vk"
)

// part is the range of a buffer that belongs to the job's events, each of size bytes.
func (j *job) part(name string, size int) vk.Slice {
	return j.buf[name].At(uint64(j.first*size), uint64(j.n*size))
}

// bin prepares the events, sorts them by phase if asked to, lists them by tile and plans the work, in one submission.
func (j *job) bin() (overflow bool, err error) {
	c := j.c
	batch := c.engine.device.Batch("bin")
	begin := batch.Stamp()
	batch.Fill(j.buf["state"].All(), 0)
	batch.Barrier()
	if err := j.prepare(batch); err != nil {
		batch.Discard()
		return false, err
	}
	if j.sorted {
		err = j.sortByPhase(batch)
	}
	if err == nil && j.tile > 0 {
		err = j.list(batch)
	}
	if err != nil {
		batch.Discard()
		return false, err
	}
	batch.Copy(c.scratch.all["readback"].All(), j.buf["state"].All())
	var seconds float64
	if err := c.run(batch, func(t clock) { seconds = t.between(begin, t.last) }); err != nil {
		return false, err
	}
	c.stats.Seconds.Bin += seconds
	c.engine.took("bin", j.n, seconds)
	if j.state, err = c.state(); err != nil {
		return false, err
	}
	if got := int(j.state[shaders.Prepared]); got != j.n {
		return false, deviceError("bin", fmt.Errorf("%w: %d of %d prepared", errLost, got, j.n))
	}
	return j.state[shaders.Overflow] != 0, nil
}

func (j *job) prepare(batch *vk.Batch) error {
	c := j.c
	p, err := c.engine.pipeline("prepare-" + suffix(c.engine.precision))
	if err != nil {
		return err
	}
	push := j.push
	if c.lose == c.batches {
		push.N--
	}
	records := j.buf["records"].At(0, uint64(j.n*c.record))
	events := j.part("events", int(c.eventBytes()))
	if c.record == shaders.RecordF32 {
		records = events // they came ready
	}
	err = c.dispatch(batch, p, push, uint64(j.n+255)/256, events, records, j.buf["circles"].All(), j.buf["state"].All())
	batch.Barrier()
	return err
}

// records is what the accumulating kernels read.
func (j *job) records() vk.Slice {
	if j.c.record == shaders.RecordF32 {
		return j.part("events", shaders.RecordF32)
	}
	return j.buf["records"].At(0, uint64(j.n*j.c.record))
}

// sortByPhase writes the order list: the events by class of phase, each class in the order of deposits.
func (j *job) sortByPhase(batch *vk.Batch) error {
	l := level{parents: 1, children: 64, fan: 8, cell: 1}
	push := l.push(j.push, true)
	push.Capacity = uint32(j.n)
	order := j.buf["order"].All()
	return j.sortLevel(batch, "phase", push, order, j.buf["segments"].All(), order)
}

// list takes the events down the tree to tile lists and plans the work items.
func (j *job) list(batch *vk.Batch) error {
	c := j.c
	parent, starts := j.buf["order"].All(), j.buf["segments"].All() // the root has neither list nor starts of its own
	push := j.push
	for i, l := range j.tree.levels {
		last := i == len(j.tree.levels)-1
		child := j.buf[fmt.Sprintf("mid%d", i%2)]
		if last {
			child = j.buf["list"]
		}
		push = l.push(j.push, i == 0)
		push.Capacity = uint32(child.Size() / 4)
		if last {
			push.Capacity = uint32(c.listEntries(j.n))
		}
		push.Listed = 0
		if i == 0 && j.sorted {
			push.Listed = 1
		}
		if err := j.sortLevel(batch, "cell", push, parent, starts, child.All()); err != nil {
			return err
		}
		next := j.buf[fmt.Sprintf("starts%d", (i+1)%2)].All()
		p, err := c.engine.pipeline("starts")
		if err != nil {
			return err
		}
		n := uint64(l.parents*l.children + 1)
		if err := c.dispatch(batch, p, push, (n+255)/256, j.buf["segments"].All(), j.buf["counters"].All(), j.buf["state"].All(), next); err != nil {
			return err
		}
		batch.Barrier()
		parent, starts = child.All(), next
	}
	return j.plan(batch, starts)
}

// sortLevel distributes the entries of every parent over its children: plan the segments, count, scan, scatter.
func (j *job) sortLevel(batch *vk.Batch, kind string, push shaders.Push, parent, starts, child vk.Slice) error {
	c, state, args := j.c, j.buf["state"].All(), j.buf["args"]
	counters, blocks, segments := j.buf["counters"].All(), j.buf["blocks"].All(), j.buf["segments"].All()
	circles := j.buf["circles"].All()
	steps := []struct {
		kernel string
		groups vk.Slice // indirect, or none for one group
		bind   []vk.Slice
	}{
		{"plan-segments", vk.Slice{}, []vk.Slice{starts, state, segments, args.All()}},
		{kind + "-count", args.At(0, 12), []vk.Slice{circles, parent, starts, segments, counters, state}},
		{"scan-reduce", args.At(12, 12), []vk.Slice{counters, blocks, state}},
		{"scan-spine", vk.Slice{}, []vk.Slice{counters, blocks, state}},
		{"scan-down", args.At(12, 12), []vk.Slice{counters, blocks, state}},
		{kind + "-scatter", args.At(0, 12), []vk.Slice{circles, parent, starts, segments, counters, state, child}},
	}
	for _, s := range steps {
		p, err := c.engine.pipeline(s.kernel)
		if err != nil {
			return err
		}
		if s.groups.Buffer == nil {
			batch.Dispatch(p, push.Bytes(), 1, 1, 1, s.bind...)
		} else {
			batch.DispatchIndirect(p, push.Bytes(), s.groups, s.bind...)
		}
		batch.Barrier()
	}
	return nil
}

// plan turns the tile lists into work items and merges.
func (j *job) plan(batch *vk.Batch, starts vk.Slice) error {
	c := j.c
	p, err := c.engine.pipeline("plan-items")
	if err != nil {
		return err
	}
	pieces := 2 * uint64(j.push.SplitTarget)
	items, err := c.scratch.get("items", 16*(uint64(j.tree.tiles)+pieces), vk.OnDevice)
	if err != nil {
		return deviceError("bin", err)
	}
	merges, err := c.scratch.get("merges", 16*(uint64(min(j.tree.tiles, int(pieces)))+1), vk.OnDevice)
	if err != nil {
		return deviceError("bin", err)
	}
	j.buf["items"], j.buf["merges"] = items, merges
	push := j.push
	push.Parents = uint32(j.tree.tiles)
	batch.Dispatch(p, push.Bytes(), 1, 1, 1, starts, j.buf["state"].All(), items.All(), merges.All())
	batch.Barrier()
	return nil
}

var errCounts = errors.New("the device's counts disagree")
