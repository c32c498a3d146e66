package vulkan

import (
	"fmt"

	"grsplat/vk"
)

// gather returns a buffer with the events that the mesh leaves of a batch of n: those outside the blocks that it has taken, and those too
// bright for them.
func (c *Canvas) gather(n, left int, s *census, taken []int) (*vk.Buffer, error) {
	staging, words, err := c.stageWords()
	if err != nil {
		return nil, err
	}
	for _, b := range taken {
		words[b] = s.blocks[b].word(0)
	}
	buf, err := c.meshBuffers(map[string]uint64{"mesh rest": uint64(left) * c.eventBytes(), "mesh words": 4, "mesh done": 4})
	if err != nil {
		return nil, err
	}
	back, err := c.scratch.get("mesh readback", 4, vk.Readback)
	if err != nil {
		return nil, deviceError("mesh", err)
	}
	batch := c.engine.device.Batch("mesh rest")
	begin := batch.Stamp()
	c.mesh.copyWords(batch, buf["mesh words"], staging)
	batch.Fill(buf["mesh done"].All(), 0)
	batch.Barrier()
	if err := c.meshDispatch(batch, "mesh-rest", c.meshPush(s.unit, n), c.scratch.all["events"].All(), buf["mesh words"].All(),
		buf["mesh rest"].All(), buf["mesh done"].All()); err != nil {
		batch.Discard()
		return nil, err
	}
	batch.Barrier()
	batch.Copy(back.At(0, 4), buf["mesh done"].At(0, 4))
	if err := c.run(batch, func(t clock) { c.stats.Seconds.Bin += t.between(begin, t.last) }); err != nil {
		return nil, err
	}
	if found := int(vk.View[uint32](back)[0]); found != left {
		return nil, deviceError("mesh", fmt.Errorf("%w: %d of %d left", errLost, found, left))
	}
	return buf["mesh rest"], nil
}
