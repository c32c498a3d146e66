package vulkan

import (
	"fmt"

	"grsplat/shaders"
	"grsplat/vk"
)

const firstUnits = 512 // of the first submission of a variant

// slices cuts units of work into submissions that stay within the budget by what the last ones took.
func (j *job) slices(units int, submit func(first, count int) (seconds float64, err error)) error {
	e, name := j.c.engine, j.path.variant.Name
	for first := 0; first < units; {
		count := min(units-first, e.allowed(name, e.options.Budget.Seconds(), firstUnits))
		seconds, err := submit(first, count)
		if err != nil {
			return err
		}
		e.took(name, count, seconds)
		first += count
	}
	return nil
}

// splat runs the atomic paths; a unit is an event.
func (j *job) splat() error {
	c := j.c
	p, err := c.engine.pipeline(j.path.variant.Name)
	if err != nil {
		return err
	}
	return j.slices(j.n, func(first, count int) (float64, error) {
		push := j.push
		push.First, push.Count = uint32(first), uint32(count)
		if j.sorted {
			push.Listed = 1
		}
		groups := uint64(count+shaders.Stars-1) / shaders.Stars
		seconds, err := j.submit(p, push, groups, nil, j.records(), c.kernel.All(), j.buf["order"].All(), j.band.sum.All(), j.buf["state"].All())
		if err == nil && int(j.state[shaders.Consumed]) != first+count {
			err = deviceError("accumulate", fmt.Errorf("%w: %d of %d", errLost, j.state[shaders.Consumed], first+count))
		}
		return seconds, err
	})
}

// sumTiles runs the tile paths; a unit is a work item. The last submission merges split lists.
func (j *job) sumTiles() error {
	c := j.c
	items, merges, entries := int(j.state[shaders.Items]), int(j.state[shaders.Merges]), j.state[shaders.Entries]
	partials, err := c.scratch.get("partials", uint64(max(1, j.state[shaders.Slots]))*uint64(3*c.frame.word*j.tile*j.tile), vk.OnDevice)
	if err != nil {
		return deviceError("accumulate", err)
	}
	p, err := c.engine.pipeline(j.path.variant.Name)
	if err != nil {
		return err
	}
	push := j.push
	push.Digits = uint32(len(j.tree.levels) - 1)
	err = j.slices(items, func(first, count int) (float64, error) {
		push := push
		push.First, push.Count = uint32(first), uint32(count)
		merge := func(b *vk.Batch) error { return nil }
		if first+count == items && merges > 0 {
			merge = func(b *vk.Batch) error { return j.merge(b, push, merges, partials) }
		}
		seconds, err := j.submit(p, push, uint64(count), merge, j.records(), c.kernel.All(), j.buf["list"].All(), j.buf["items"].All(),
			j.band.sum.All(), partials.All(), j.buf["state"].All())
		if err == nil && int(j.state[shaders.Groups]) != first+count {
			err = deviceError("accumulate", fmt.Errorf("%w: %d of %d items done", errCounts, j.state[shaders.Groups], first+count))
		}
		return seconds, err
	})
	if err == nil && items > 0 && j.state[shaders.Consumed] != entries {
		err = deviceError("accumulate", fmt.Errorf("%w: %d of %d list entries", errLost, j.state[shaders.Consumed], entries))
	}
	return err
}

func (j *job) merge(b *vk.Batch, push shaders.Push, merges int, partials *vk.Buffer) error {
	p, err := j.c.engine.pipeline("merge-" + suffix(j.c.engine.precision))
	if err != nil {
		return err
	}
	push.First, push.Count = 0, uint32(merges)
	parts := uint64(3 * j.tile * j.tile / 256) // work groups of a tile
	return j.c.dispatch(b, p, push, uint64(merges)*parts, j.buf["merges"].All(), partials.All(), j.band.sum.All())
}

// submit runs one dispatch, what follows it, and the readback of the counters. It returns the seconds of the whole.
func (j *job) submit(p *vk.Pipeline, push shaders.Push, groups uint64, then func(*vk.Batch) error, bind ...vk.Slice) (seconds float64, err error) {
	c := j.c
	batch := c.engine.device.Batch("accumulate")
	begin := batch.Stamp()
	err = c.dispatch(batch, p, push, groups, bind...)
	batch.Barrier()
	middle := batch.Stamp()
	if err == nil && then != nil {
		err = then(batch)
		batch.Barrier()
	}
	if err != nil {
		batch.Discard()
		return 0, err
	}
	end := batch.Stamp()
	batch.Copy(c.scratch.all["readback"].All(), j.buf["state"].All())
	err = c.run(batch, func(t clock) {
		seconds = t.between(begin, t.last)
		accumulate, merge := t.between(begin, middle), t.between(middle, end)
		if t.stamps == nil {
			accumulate = seconds
		}
		c.stats.Seconds.Accumulate += accumulate
		c.stats.Seconds.Merge += merge
	})
	if err == nil {
		j.state, err = c.state()
	}
	return seconds, err
}
