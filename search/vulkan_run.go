package search

import (
	"context"
	"time"
	"unsafe"

	"grsplat/render/fail"
	"grsplat/vk"
)

const (
	blockMost = 16  // generators that one work group of the root kernel lists
	wide      = 256 // invocations of a work group of the root and expansion kernels
)

// roots lists roots on the device. Blocks of generators with equal x share the first half of the work.
func (e *vulkanEngine) roots(ctx context.Context, generators []Class, shared bool, limit int) ([]root, error) {
	if err := ctx.Err(); err != nil || len(generators) == 0 {
		return nil, err
	}
	blocks := blocksOf(generators, shared)
	n, m := len(generators), len(blocks)
	up, err := e.room("upload", 8*(n+m), vk.Upload)
	if err != nil {
		return nil, fail.Device("%w", err)
	}
	classes := vk.View[Class](up)
	copy(classes, generators)
	for i, b := range blocks {
		classes[n+i] = Class{b.first, b.count}
	}
	work, err := e.rooms(map[string]int{"state": 4 * stateWords, "generators": 8 * n, "blocks": 8 * m, "roots": 8 * limit})
	if err != nil {
		return nil, err
	}
	down, err := e.room("roots readback", 4*stateWords+8*rootsPrefix, vk.Readback)
	if err != nil {
		return nil, fail.Device("%w", err)
	}
	gx, gy, err := e.device.Grid(uint64(m))
	if err != nil {
		return nil, fail.Device("search: roots: %w", err)
	}
	prefix := min(rootsPrefix, limit)
	b := e.device.Batch("search: roots")
	b.Copy(work("generators"), up.At(0, uint64(8*n)))
	b.Copy(work("blocks"), up.At(uint64(8*n), uint64(8*m)))
	b.Fill(work("state"), 0)
	b.Barrier()
	b.Dispatch(e.pipelines["roots"], words(uint32(m), uint32(limit)), gx, gy, 1,
		work("state"), e.buffers["even"].At(0, lowSize/8), work("blocks"), work("generators"), work("roots"))
	b.Barrier()
	b.Copy(down.At(0, 4*stateWords), work("state"))
	b.Copy(down.At(4*stateWords, uint64(8*prefix)), e.buffers["roots"].At(0, uint64(8*prefix)))
	if _, err := b.Run(); err != nil {
		return nil, fail.Device("%w", err)
	}
	state := vk.View[uint32](down)[:stateWords]
	if listed := int(state[wordListed]); listed != n {
		return nil, fail.Device("search: roots: the device finished %d of %d classes", listed, n)
	}
	total := int(state[wordRoots])
	if err := within("roots", total, limit); err != nil {
		return nil, err
	}
	return readList[root](e, "roots", down, prefix, total)
}

// readList returns the first total records of a device list, of which prefix lie behind the state words in down already.
func readList[T any](e *vulkanEngine, name string, down *vk.Buffer, prefix, total int) ([]T, error) {
	var record T
	size := int(unsafe.Sizeof(record))
	out := make([]T, total)
	if total <= prefix {
		copy(out, vk.View[T](down)[4*stateWords/size:])
		return out, nil
	}
	long, err := e.room(name+" long readback", total*size, vk.Readback)
	if err != nil {
		return nil, fail.Device("%w", err)
	}
	b := e.device.Batch("search: " + name)
	b.Copy(long.At(0, uint64(total*size)), e.buffers[name].At(0, uint64(total*size)))
	if _, err := b.Run(); err != nil {
		return nil, fail.Device("%w", err)
	}
	copy(out, vk.View[T](long))
	return out, nil
}

type block struct{ first, count uint32 }

// blocksOf cuts generators into runs of equal x of at most blockMost, or one by one.
func blocksOf(generators []Class, shared bool) []block {
	var blocks []block
	for i, g := range generators {
		if n := len(blocks); n > 0 && shared && blocks[n-1].count < blockMost && generators[i-1].X == g.X {
			blocks[n-1].count++
		} else {
			blocks = append(blocks, block{uint32(i), 1})
		}
	}
	return blocks
}

// expand uploads positions and groups, and lays the tasks out on the device.
func (e *vulkanEngine) expand(_ context.Context, p *plan) error {
	e.plan = p
	tasks, n, m := p.taskCount(), len(p.positions), len(p.groups)
	if n == 0 {
		return nil
	}
	up, err := e.room("upload", 8*(n+n%2)+16*m, vk.Upload)
	if err != nil {
		return fail.Device("%w", err)
	}
	work, err := e.rooms(map[string]int{"state": 4 * stateWords, "positions": 8 * n, "groups": 16 * max(m, 1), "tasks": 8 * max(tasks, 1)})
	if err != nil {
		return err
	}
	copy(vk.View[Pos](up), p.positions)
	groups := vk.View[[4]uint32](up)[(n+n%2)/2:]
	for i, g := range p.groups {
		groups[i] = [4]uint32{g.Root, g.First, g.Count, p.offsets[i]}
	}
	b := e.device.Batch("search: expand")
	b.Copy(work("positions"), up.At(0, uint64(8*n)))
	b.Fill(work("state"), 0)
	if tasks > 0 {
		b.Copy(work("groups"), up.At(uint64(8*(n+n%2)), uint64(16*m)))
		b.Barrier()
		gx, gy, err := e.device.Grid(uint64((tasks + wide - 1) / wide))
		if err != nil {
			b.Discard()
			return fail.Device("search: expand: %w", err)
		}
		b.Dispatch(e.pipelines["expand"], words(uint32(m), uint32(tasks)), gx, gy, 1, work("state"), work("groups"), work("tasks"))
	}
	if _, err := b.Run(); err != nil {
		return fail.Device("%w", err)
	}
	return nil
}

// search runs the tasks in as few submissions as the pace allows, and reads the clusters back.
func (e *vulkanEngine) search(ctx context.Context, limit int) ([]cluster, error) {
	tasks := e.plan.taskCount()
	if tasks == 0 {
		return nil, nil
	}
	work, err := e.rooms(map[string]int{"state": 4 * stateWords, "positions": 8 * len(e.plan.positions), "tasks": 8 * tasks, "clusters": 16 * limit})
	if err != nil {
		return nil, err
	}
	down, err := e.room("clusters readback", 4*stateWords+16*clustersPrefix, vk.Readback)
	if err != nil {
		return nil, fail.Device("%w", err)
	}
	name := map[filter]string{{}: "each", {true, groupBits}: "sieve-13"}[e.plan.filter]
	if name == "" {
		name = "sieve-12"
	}
	pace := e.pace[e.plan.filter]
	if pace == nil {
		pace = &vk.Pacer{First: 1024}
		e.pace[e.plan.filter] = pace
	}
	prefix := min(clustersPrefix, limit)
	for first := 0; first < tasks; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		units := pace.Units()
		n := min(units, tasks-first)
		gx, gy, err := e.device.Grid(uint64(n))
		if err != nil {
			return nil, fail.Device("search: tasks: %w", err)
		}
		b := e.device.Batch("search: tasks")
		began := time.Now()
		b.Dispatch(e.pipelines[name], words(uint32(first), uint32(n), uint32(limit)), gx, gy, 1,
			work("state"), work("positions"), work("tasks"), work("clusters"))
		if first += n; first == tasks {
			b.Barrier()
			b.Copy(down.At(0, 4*stateWords), work("state"))
			b.Copy(down.At(4*stateWords, uint64(16*prefix)), e.buffers["clusters"].At(0, uint64(16*prefix)))
		}
		if _, err := b.Run(); err != nil {
			return nil, fail.Device("%w", err)
		}
		if took := time.Since(began); n == units || took > 10*time.Millisecond { // a short remainder says nothing
			pace.Took(n, float64(took))
		}
	}
	return e.clusters(down, prefix, limit)
}

// clusters checks the counters of a finished search and reads its clusters.
func (e *vulkanEngine) clusters(down *vk.Buffer, prefix, limit int) ([]cluster, error) {
	tasks := e.plan.taskCount()
	state := vk.View[uint32](down)[:stateWords]
	if laid, searched := int(state[wordExpanded]), int(state[wordSearched]); laid != tasks || searched != tasks {
		return nil, fail.Device("search: tasks: the device laid out %d and searched %d of %d", laid, searched, tasks)
	}
	total := int(state[wordClusters])
	if err := within("clusters", total, limit); err != nil {
		return nil, err
	}
	found, err := readList[deviceCluster](e, "clusters", down, prefix, total)
	if err != nil {
		return nil, err
	}
	out := make([]cluster, len(found))
	for i, c := range found {
		out[i] = cluster{Task{c.pos, c.root}, c.m, c.solution & 0xffff, c.solution >> 16}
	}
	return out, nil
}
