package vulkan

import (
	"fmt"
	"math"

	"grsplat/render/mesh"
	"grsplat/shaders"
	"grsplat/vk"
)

// A meshGroup is some blocks of the grid, convolved together.
type meshGroup struct {
	blocks []int
	events int
	push   shaders.MeshPush
	buf    map[string]*vk.Buffer
	fixed  map[string]*vk.Buffer
}

// convolve takes a batch of n events by the mesh, as far as the plan says, and returns the events that it leaves.
func (c *Canvas) convolve(n int, p plan) (rest *vk.Buffer, left int, err error) {
	if err := c.openMesh(); err != nil {
		return nil, 0, err
	}
	s, err := c.count(n)
	if err != nil {
		return nil, 0, err
	}
	var worth, taken []int
	for b := range s.blocks {
		if k := s.blocks[b].events; k > 0 && k >= p.worth {
			worth = append(worth, b)
		}
	}
	for len(worth) > 0 {
		g := &meshGroup{blocks: worth[:min(c.groupBlocks(), len(worth))], fixed: c.mesh.fixed}
		worth = worth[len(g.blocks):]
		kept, err := c.runGroup(g, n, s, p.limit)
		if err != nil {
			return nil, 0, err
		}
		taken = append(taken, kept...)
	}
	left = n
	for _, b := range taken {
		left -= s.blocks[b].events
	}
	if left == 0 || left == n {
		return c.scratch.all["events"], left, nil
	}
	rest, err = c.gather(n, left, s, taken)
	return rest, left, err
}

// pairUnits is the work of a pair of blocks as the engine's rates count it: 4096 points of a plane.
func (m *blockMesh) pairUnits() int { return max(m.N*m.N*m.Spectra/4096, 1) }

// groupBlocks is a whole number of pairs that take about a submission's budget.
func (c *Canvas) groupBlocks() int {
	m := c.mesh
	units := c.engine.allowed("mesh", c.engine.options.Budget.Seconds(), m.pairUnits())
	return min(2*max(units/m.pairUnits(), 1), m.group)
}

// runGroup convolves a group and adds to the frame the blocks that it returns, those within the limit, where there is one.
func (c *Canvas) runGroup(g *meshGroup, n int, s *census, limit float64) (kept []int, err error) {
	m, count := c.mesh, uint64(len(g.blocks))
	if g.buf, err = c.meshBuffers(m.sizes(m.group)); err != nil {
		return nil, err
	}
	g.push = c.meshPush(s.unit, n)
	g.push.Blocks, g.push.Room = uint32(count), math.Inf(1)
	if limit > 0 {
		g.push.Room = mesh.Room(limit)
	}
	batch := c.engine.device.Batch("mesh")
	begin := batch.Stamp()
	if err := c.stageGroup(g, batch, s); err != nil {
		batch.Discard()
		return nil, err
	}
	back, err := c.scratch.get("mesh readback", uint64(20*m.group+4), vk.Readback)
	if err != nil {
		batch.Discard()
		return nil, deviceError("mesh", err)
	}
	for _, name := range []string{"mesh lattice", "mesh nodes"} {
		batch.Fill(g.buf[name].At(0, m.sizes(len(g.blocks))[name]), 0)
	}
	batch.Fill(g.buf["mesh peaks"].All(), 0)
	batch.Fill(g.buf["mesh kept"].All(), 1) // of a block beside the frame
	batch.Fill(g.buf["mesh done"].All(), 0)
	batch.Barrier()
	err = c.meshDispatch(batch, "mesh-deposit", g.push, c.scratch.all["events"].All(), g.buf["mesh words"].All(),
		g.buf["mesh scale"].All(), g.buf["mesh lattice"].All(), g.buf["mesh done"].All(), g.buf["mesh nodes"].All())
	if err == nil {
		err = g.transforms(c, batch)
	}
	pasting := batch.Stamp()
	if err == nil {
		err = c.paste(g, batch)
	}
	if err != nil {
		batch.Discard()
		return nil, err
	}
	end := batch.Stamp()
	batch.Copy(back.At(0, 16*count), g.buf["mesh peaks"].At(0, 16*count))
	batch.Copy(back.At(uint64(16*m.group), 4*count), g.buf["mesh kept"].At(0, 4*count))
	batch.Copy(back.At(uint64(20*m.group), 4), g.buf["mesh done"].At(0, 4))
	if err := c.run(batch, func(t clock) {
		c.stats.Seconds.Merge += t.between(pasting, end)
		c.stats.Seconds.Accumulate += t.between(begin, t.last) - t.between(pasting, end)
		c.engine.took("mesh", (len(g.blocks)+1)/2*m.pairUnits(), t.between(begin, t.last))
	}); err != nil {
		return nil, err
	}
	if done := int(vk.View[uint32](back)[5*m.group]); done != g.events {
		return nil, deviceError("mesh", fmt.Errorf("%w: %d of %d deposited", errLost, done, g.events))
	}
	peaks, flags := vk.View[float64](back), vk.View[uint32](back)[4*m.group:]
	for i, b := range g.blocks {
		if flags[i] != 0 {
			kept = append(kept, b)
			c.stats.MeshErrorBound = max(c.stats.MeshErrorBound, mesh.Bound(peaks[2*i], peaks[2*i+1]))
		}
	}
	return kept, nil
}

// stageGroup counts the group's events and records the upload of its blocks' scales, places and words.
func (c *Canvas) stageGroup(g *meshGroup, batch *vk.Batch, s *census) error {
	m := c.mesh
	staging, words, err := c.stageWords()
	if err != nil {
		return err
	}
	scale, places := vk.View[float64](staging)[:m.group], vk.View[[2]int32](staging)[m.group:][:m.group]
	for i, b := range g.blocks {
		t := &s.blocks[b]
		g.events += t.events
		scale[i] = mesh.Scale(t.light)
		places[i] = [2]int32{int32(m.First - m.R + b%m.bx*m.Pitch), int32(m.First - m.R + b/m.bx*m.Pitch)}
		words[b] = t.word(i)
	}
	size := uint64(8 * m.group)
	batch.Copy(g.buf["mesh scale"].At(0, size), staging.At(0, size))
	batch.Copy(g.buf["mesh list"].At(0, size), staging.At(size, size))
	m.copyWords(batch, g.buf["mesh words"], staging)
	return nil
}

// stageWords returns the staging buffer, and in it the words of the grid's blocks, none of which has a slot.
func (c *Canvas) stageWords() (staging *vk.Buffer, words []uint32, err error) {
	m := c.mesh
	if staging, err = c.scratch.get("mesh staging", uint64(16*m.group+4*m.bx*m.by), vk.Upload); err != nil {
		return nil, nil, deviceError("mesh", err)
	}
	words = vk.View[uint32](staging)[4*m.group:][:m.bx*m.by]
	for b := range words {
		words[b] = shaders.NoSlot
	}
	return staging, words, nil
}

func (m *blockMesh) copyWords(batch *vk.Batch, to, staging *vk.Buffer) {
	bytes := uint64(4 * m.bx * m.by)
	batch.Copy(to.At(0, bytes), staging.At(uint64(16*m.group), bytes))
}

// transforms records everything from the lattices to the results and their largest moduli. Of the 1.1 ms that 16 blocks of the
// default PSF take on an H200, 0.15 go to clearing the lattices, 0.49 to the filter, 0.20 to the columns, 0.17 to the rows and
// the products, 0.03 to the columns back and 0.05 to the frame; the filter is bound by reading the lattices, 39 MB a block.
func (g *meshGroup) transforms(c *Canvas, batch *vk.Batch) error {
	m := c.mesh
	blocks, pairs := uint32(len(g.blocks)), uint32(len(g.blocks)+1)/2
	across := func(n, each int) uint32 { return uint32((n + each - 1) / each) }
	lines, high := shaders.MeshPoints/m.N, shaders.MeshHigh(m.D)
	filter := "mesh-filter"
	if m.D == 2 && len(m.Taps) == 25 {
		filter = "mesh-filter-2"
	}
	kinds, nodes := uint32(m.Spectra), uint32(m.RingSpectra)
	b := func(name string) vk.Slice { return g.buf[name].All() }
	fixed := func(name string) vk.Slice { return g.fixed[name].All() }
	type step struct {
		kernel  string
		x, y, z uint32
		bind    []vk.Slice
	}
	// the steps of a stage do not wait for each other
	stages := [][]step{
		{{filter, across(m.Q*m.Cols, shaders.MeshWide), across(m.Q*m.Rows, high), 3 * blocks, []vk.Slice{fixed("mesh taps"), b("mesh lattice"), b("mesh planes"), b("mesh scale")}},
			{"mesh-ring-forward", across(m.Cols, lines), nodes, pairs, []vk.Slice{fixed("mesh twiddles"), b("mesh nodes"), b("mesh ring mid"), b("mesh scale")}}},
		{{"mesh-forward", across(m.Cols, lines), 3 * kinds, pairs, []vk.Slice{fixed("mesh twiddles"), b("mesh planes"), b("mesh mid")}},
			{"mesh-ring-multiply", across(m.N, lines), 1, pairs, []vk.Slice{fixed("mesh twiddles"), b("mesh ring mid"), fixed("mesh ring spectra"), b("mesh ring sums")}}},
		{{"mesh-multiply", across(m.N, lines), 3, pairs, []vk.Slice{fixed("mesh twiddles"), b("mesh mid"), fixed("mesh spectra"), b("mesh sums")}},
			{"mesh-ring-inverse", across(m.N, lines), 1, pairs, []vk.Slice{fixed("mesh twiddles"), b("mesh ring sums"), b("mesh peaks")}}},
		{{"mesh-inverse", across(m.N, lines), 3, pairs, []vk.Slice{fixed("mesh twiddles"), b("mesh sums"), b("mesh peaks"), b("mesh results")}}},
	}
	for _, stage := range stages {
		batch.Barrier()
		for _, s := range stage {
			if err := c.meshGrid(batch, s.kernel, g.push, s.x, s.y, s.z, s.bind...); err != nil {
				return err
			}
		}
	}
	batch.Barrier()
	return nil
}

// paste records the addition of the blocks to the frame's bands.
func (c *Canvas) paste(g *meshGroup, batch *vk.Batch) error {
	m := c.mesh
	x0, y0, x1, y1 := c.cfg.W, c.cfg.H, 0, 0
	for _, b := range g.blocks {
		x, y := m.First-m.R+b%m.bx*m.Pitch, m.First-m.R+b/m.bx*m.Pitch
		x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x+m.N), max(y1, y+m.N)
	}
	x0, x1 = max(x0, 0), min(x1, c.cfg.W)
	for _, band := range c.frame.bands {
		top, bottom := max(y0, band.y0), min(y1, band.y0+band.rows)
		if x0 >= x1 || top >= bottom {
			continue
		}
		push := g.push
		push.BandY, push.BandRows = int32(band.y0), int32(band.rows)
		push.AreaX, push.AreaY, push.AreaW = int32(x0), int32(top), int32(x1-x0)
		if err := c.meshGrid(batch, "mesh-paste", push, uint32(x1-x0+255)/256, uint32(bottom-top), 3, g.buf["mesh results"].All(),
			g.buf["mesh list"].All(), g.buf["mesh peaks"].All(), band.sum.All(), g.buf["mesh kept"].All()); err != nil {
			return err
		}
		batch.Barrier()
	}
	return nil
}
