package vulkan

import (
	"fmt"
	"math"

	"grsplat/render/mesh"
	"grsplat/shaders"
	"grsplat/vk"
)

// A census is what a batch has in each block of the grid.
type census struct {
	unit   float64  // of brightness, inverted: class k of a block holds its events of 2^k to 2^(k+1) units
	counts []uint32 // [block][class]
	blocks []tally
}

// A tally is one block's events.
type tally struct {
	events  int     // that the mesh may take
	highest int     // class of them
	light   float64 // their summed |flux*colour|, at most
}

// count takes the census of a batch of n events.
func (c *Canvas) count(n int) (*census, error) {
	m := c.mesh
	blocks := m.bx * m.by
	s := &census{unit: mesh.Scale(c.pending.light), blocks: make([]tally, blocks)}
	countBytes, lightBytes := uint64(blocks*shaders.MeshClasses+2)*4, uint64(blocks*shaders.MeshApart)*8
	buffers, err := c.meshBuffers(map[string]uint64{"mesh counts": countBytes, "mesh light": lightBytes})
	if err != nil {
		return nil, err
	}
	back, err := c.scratch.get("mesh census", countBytes+lightBytes, vk.Readback)
	if err != nil {
		return nil, deviceError("mesh", err)
	}
	batch := c.engine.device.Batch("mesh count")
	begin := batch.Stamp()
	batch.Fill(buffers["mesh counts"].All(), 0)
	batch.Fill(buffers["mesh light"].All(), 0)
	batch.Barrier()
	if err := c.meshDispatch(batch, "mesh-count", c.meshPush(s.unit, n), c.scratch.all["events"].All(), buffers["mesh counts"].All(), buffers["mesh light"].All()); err != nil {
		batch.Discard()
		return nil, err
	}
	batch.Barrier()
	batch.Copy(back.At(0, countBytes), buffers["mesh counts"].At(0, countBytes))
	batch.Copy(back.At(countBytes, lightBytes), buffers["mesh light"].At(0, lightBytes))
	if err := c.run(batch, func(t clock) { c.stats.Seconds.Bin += t.between(begin, t.last) }); err != nil {
		return nil, err
	}
	s.counts = vk.View[uint32](back)[:blocks*shaders.MeshClasses]
	total := int(vk.View[uint32](back)[len(s.counts)]) // those outside
	light := vk.View[uint64](back)[countBytes/8:]
	for b := range s.blocks {
		total += s.tally(b, float64(light[b*shaders.MeshApart]))
	}
	if total != n {
		return nil, deviceError("mesh", fmt.Errorf("%w: %d of %d counted", errLost, total, n))
	}
	return s, nil
}

// tally fills in a block, whose events have so many units of light, and returns how many events it has, those too bright for the mesh
// included.
func (s *census) tally(b int, units float64) (all int) {
	counts := s.counts[b*shaders.MeshClasses:][:shaders.MeshClasses]
	t := &s.blocks[b]
	t.highest = mesh.BrightClass(counts)
	atMost := 0.0
	for k, n := range counts {
		all += int(n)
		if k <= t.highest {
			t.events += int(n)
			atMost += math.Ldexp(float64(n), k+1)
		}
	}
	t.light = min(units, atMost) / s.unit
	return all
}

// word is what the kernels read of a block that has a slot.
func (t *tally) word(slot int) uint32 { return uint32(t.highest)<<24 | uint32(slot) }
