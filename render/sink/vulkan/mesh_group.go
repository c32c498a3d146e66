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

// convolve takes the batch of n events by the mesh, all but the blocks whose bound is above the limit, of which it returns how
// many events they hold; those events alone still light the frame when they are drawn again.
func (c *Canvas) convolve(n int, limit float64) (left int, err error) {
	if err := c.openMesh(); err != nil {
		return 0, err
	}
	counts, light, err := c.count(n)
	if err != nil {
		return 0, err
	}
	var occupied, refused []int
	for b, k := range counts[:len(light)] {
		if k > 0 {
			occupied = append(occupied, b)
		}
	}
	for len(occupied) > 0 {
		g := &meshGroup{blocks: occupied[:min(c.groupBlocks(), len(occupied))], fixed: c.mesh.fixed}
		occupied = occupied[len(g.blocks):]
		for _, b := range g.blocks {
			g.events += int(counts[b])
		}
		bad, err := c.runGroup(g, n, light, limit)
		if err != nil {
			return 0, err
		}
		refused = append(refused, bad...)
	}
	if len(refused) == 0 {
		return 0, nil
	}
	for _, b := range refused {
		left += int(counts[b])
	}
	return left, c.dropTaken(n, refused)
}

// pairUnits is the work of a pair of blocks as the engine's rates count it: 4096 points of a plane.
func (m *blockMesh) pairUnits() int { return max(m.N*m.N*m.Spectra/4096, 1) }

// groupBlocks is a whole number of pairs that take about a submission's budget.
func (c *Canvas) groupBlocks() int {
	m := c.mesh
	units := c.engine.allowed("mesh", c.engine.options.Budget.Seconds(), m.pairUnits())
	return min(2*max(units/m.pairUnits(), 1), m.group)
}

// runGroup convolves a group and adds its blocks to the frame, all but those that it returns.
func (c *Canvas) runGroup(g *meshGroup, n int, light []float64, limit float64) (refused []int, err error) {
	m := c.mesh
	if g.buf, err = c.meshBuffers(m.sizes(m.group)); err != nil {
		return nil, err
	}
	slots, err := c.meshBuffers(map[string]uint64{"mesh slots": uint64(4 * m.bx * m.by), "mesh done": 8})
	if err != nil {
		return nil, err
	}
	g.push = c.meshPush(c.frame.bands[0], n)
	g.push.Blocks = uint32(len(g.blocks))
	list, err := c.stageGroup(g, light)
	if err != nil {
		return nil, err
	}
	back, err := c.scratch.get("mesh readback", uint64(16*m.group+8), vk.Readback)
	if err != nil {
		return nil, deviceError("mesh", err)
	}
	batch := c.engine.device.Batch("mesh")
	begin := batch.Stamp()
	staging := c.scratch.all["mesh staging"]
	count := uint64(len(g.blocks))
	batch.Copy(g.buf["mesh scale"].At(0, 8*count), staging.At(0, 8*count))
	batch.Copy(slots["mesh slots"].At(0, uint64(4*m.bx*m.by)), staging.At(uint64(8*m.group), uint64(4*m.bx*m.by)))
	for _, name := range []string{"mesh lattice", "mesh nodes"} {
		batch.Fill(g.buf[name].At(0, m.sizes(len(g.blocks))[name]), 0)
	}
	batch.Fill(slots["mesh done"].All(), 0)
	batch.Barrier()
	err = c.meshDispatch(batch, "mesh-deposit", g.push, uint64(n+255)/256, c.scratch.all["events"].All(), slots["mesh slots"].All(),
		g.buf["mesh scale"].All(), g.buf["mesh lattice"].All(), slots["mesh done"].All(), g.buf["mesh nodes"].All())
	if err == nil {
		err = g.transforms(c, batch)
	}
	if err != nil {
		batch.Discard()
		return nil, err
	}
	batch.Copy(back.At(0, 16*count), g.buf["mesh peaks"].At(0, 16*count))
	batch.Copy(back.At(uint64(16*m.group), 8), slots["mesh done"].At(0, 8))
	if err := c.run(batch, func(t clock) {
		seconds := t.between(begin, t.last)
		c.stats.Seconds.Accumulate += seconds
		c.engine.took("mesh", (len(g.blocks)+1)/2*m.pairUnits(), seconds)
	}); err != nil {
		return nil, err
	}
	if done := int(vk.View[uint32](back)[4*m.group]); done != g.events {
		return nil, deviceError("mesh", fmt.Errorf("%w: %d of %d deposited", errLost, done, g.events))
	}
	peaks := vk.View[float64](back)
	for i, b := range g.blocks {
		bound := mesh.Bound(peaks[2*i], peaks[2*i+1])
		if limit > 0 && !(bound <= limit) {
			refused = append(refused, b)
			list[i].keep = 0
			continue
		}
		c.stats.MeshErrorBound = max(c.stats.MeshErrorBound, bound)
	}
	return refused, c.paste(g, list)
}

// transforms records everything from the lattices to the results and their largest moduli.
func (g *meshGroup) transforms(c *Canvas, batch *vk.Batch) error {
	m := c.mesh
	blocks, pairs := uint32(len(g.blocks)), uint32(len(g.blocks)+1)/2
	across := func(n int) uint32 { return uint32((n + m.lines - 1) / m.lines) }
	twiddles, kinds, nodes := g.fixed["mesh twiddles"].All(), uint32(m.Spectra), uint32(m.RingSpectra)
	b := func(name string) vk.Slice { return g.buf[name].All() }
	steps := []struct {
		kernel  string
		x, y, z uint32
		bind    []vk.Slice
	}{
		{"mesh-ring-forward", across(m.Cols), nodes, pairs, []vk.Slice{twiddles, b("mesh nodes"), b("mesh mid"), b("mesh scale")}},
		{"mesh-ring-multiply", across(m.N), 1, pairs, []vk.Slice{twiddles, b("mesh mid"), g.fixed["mesh ring spectra"].All(), b("mesh sums")}},
		{"mesh-ring-inverse", across(m.N), 1, pairs, []vk.Slice{twiddles, b("mesh sums"), b("mesh ring")}},
		{"mesh-rows", uint32(m.Edge+255) / 256, uint32(m.Q*m.Rows+7) / 8, 3 * blocks, []vk.Slice{g.fixed["mesh taps"].All(), b("mesh lattice"), b("mesh rows"), b("mesh scale")}},
		{"mesh-columns", uint32(m.Q*m.Cols+255) / 256, uint32(m.Q * m.Rows), 3 * blocks, []vk.Slice{g.fixed["mesh taps"].All(), b("mesh rows"), b("mesh planes")}},
		{"mesh-forward", across(m.Cols), 3 * kinds, pairs, []vk.Slice{twiddles, b("mesh planes"), b("mesh mid")}},
		{"mesh-multiply", across(m.N), 3, pairs, []vk.Slice{twiddles, b("mesh mid"), g.fixed["mesh spectra"].All(), b("mesh sums")}},
		{"mesh-inverse", across(m.N), 3, pairs, []vk.Slice{twiddles, b("mesh sums"), b("mesh results")}},
		{"mesh-peak", blocks, 1, 1, []vk.Slice{b("mesh results"), b("mesh ring"), b("mesh peaks")}},
	}
	for _, s := range steps {
		batch.Barrier()
		if err := c.meshGrid(batch, s.kernel, g.push, s.x, s.y, s.z, s.bind...); err != nil {
			return err
		}
	}
	batch.Barrier()
	return nil
}

// listed is a block's place in the frame, as mesh_paste.comp reads it.
type listed struct{ x, y, keep, _ int32 }

// stageGroup writes the group's scales and its blocks' slots to staging and returns the list of blocks.
func (c *Canvas) stageGroup(g *meshGroup, light []float64) ([]listed, error) {
	m := c.mesh
	staging, err := c.scratch.get("mesh staging", uint64(8*m.group+4*m.bx*m.by), vk.Upload)
	if err != nil {
		return nil, deviceError("mesh", err)
	}
	scale, slots := vk.View[float64](staging), vk.View[uint32](staging)[2*m.group:][:m.bx*m.by]
	for i := range slots {
		slots[i] = shaders.NoSlot
	}
	list := make([]listed, len(g.blocks))
	for i, b := range g.blocks {
		scale[i] = 1
		if l := light[b]; l > 0 {
			scale[i] = math.Exp2(max(min(math.Floor(latticeBits-math.Log2(l)), 1000), -1000))
		}
		slots[b] = uint32(i)
		list[i] = listed{int32(m.First - m.R + b%m.bx*m.Pitch), int32(m.First - m.R + b/m.bx*m.Pitch), 1, 0}
	}
	return list, nil
}

// paste adds the kept blocks to the frame's bands.
func (c *Canvas) paste(g *meshGroup, list []listed) error {
	m := c.mesh
	x0, y0, x1, y1 := c.cfg.W, c.cfg.H, 0, 0
	for _, b := range list {
		if b.keep != 0 {
			x0, y0 = min(x0, int(b.x)), min(y0, int(b.y))
			x1, y1 = max(x1, int(b.x)+m.N), max(y1, int(b.y)+m.N)
		}
	}
	x0, x1 = max(x0, 0), min(x1, c.cfg.W)
	for _, band := range c.frame.bands {
		top, bottom := max(y0, band.y0), min(y1, band.y0+band.rows)
		if x0 >= x1 || top >= bottom {
			continue
		}
		staging, err := c.scratch.get("mesh list staging", uint64(16*(m.group+1)), vk.Upload)
		if err != nil {
			return deviceError("mesh", err)
		}
		area := vk.View[listed](staging)
		area[0] = listed{int32(x0), int32(top), int32(x1 - x0), 0}
		copy(area[1:], list)
		batch := c.engine.device.Batch("mesh paste")
		begin := batch.Stamp()
		size := uint64(16 * (len(list) + 1))
		batch.Copy(g.buf["mesh list"].At(0, size), staging.At(0, size))
		batch.Barrier()
		push := g.push
		push.BandY, push.BandRows = int32(band.y0), int32(band.rows)
		if err := c.meshGrid(batch, "mesh-paste", push, uint32(x1-x0+255)/256, uint32(bottom-top), 3,
			g.buf["mesh results"].All(), g.buf["mesh list"].All(), band.sum.All()); err != nil {
			batch.Discard()
			return err
		}
		if err := c.run(batch, func(t clock) { c.stats.Seconds.Merge += t.between(begin, t.last) }); err != nil {
			return err
		}
	}
	return nil
}

// dropTaken moves every event outside the refused blocks to where it lights nothing.
func (c *Canvas) dropTaken(n int, refused []int) error {
	m := c.mesh
	staging := c.scratch.all["mesh staging"]
	slots := vk.View[uint32](staging)[2*m.group:][:m.bx*m.by]
	for i := range slots {
		slots[i] = shaders.NoSlot
	}
	for _, b := range refused {
		slots[b] = 0
	}
	bytes := uint64(4 * m.bx * m.by)
	batch := c.engine.device.Batch("mesh drop")
	batch.Copy(c.scratch.all["mesh slots"].At(0, bytes), staging.At(uint64(8*m.group), bytes))
	batch.Barrier()
	if err := c.meshDispatch(batch, "mesh-drop", c.meshPush(c.frame.bands[0], n), uint64(n+255)/256,
		c.scratch.all["events"].All(), c.scratch.all["mesh slots"].All()); err != nil {
		batch.Discard()
		return err
	}
	return c.run(batch, func(clock) {})
}
