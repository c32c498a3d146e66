package vulkan

import (
	"context"
	"fmt"
	"maps"

	"grsplat/render/hdr"
	"grsplat/render/sink"
	"grsplat/render/sink/direct"
	"grsplat/vk"
)

// downloadBytes is the size of the readback buffer through which frames come back.
const downloadBytes = 64 << 20

// Resolve waits for every deposit, reads the frame back and adds the direct events once.
func (c *Canvas) Resolve(ctx context.Context, dst *hdr.Frame) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("vulkan: resolve: %w", err)
	}
	c.front.flush()
	err := c.ask(ctx, func() error {
		if err := c.runPending(); err != nil {
			return err
		}
		return c.download(dst)
	})
	if err != nil {
		return err
	}
	if err := c.direct.Flush(ctx); err != nil {
		return fmt.Errorf("vulkan: resolve: %w", err)
	}
	if c.sums != nil {
		c.direct.MergeInto(c.sums)
		if c.bright != nil {
			c.sums.Merge(c.bright.Sums())
		}
		c.sums.Resolve(dst)
		return nil
	}
	c.direct.AddTo(dst)
	return nil
}

// Sums returns the exact sums that Resolve read, or nil in other precisions.
func (c *Canvas) Sums() *hdr.Sums { return c.sums }

func (c *Canvas) download(dst *hdr.Frame) error {
	if c.cfg.Precision == sink.Exact128 {
		c.sums = hdr.NewSums(c.cfg.W, c.cfg.H, c.cfg.QuantumBits)
	}
	for _, b := range c.frame.bands {
		if err := c.downloadBand(b, dst); err != nil {
			return err
		}
	}
	return nil
}

func (c *Canvas) downloadBand(b *band, dst *hdr.Frame) error {
	pixels := c.cfg.W * b.rows
	for plane := range 3 {
		// words first.. of the plane, which begin at pixel b.y0*w+first of the frame
		read := func(buffer *vk.Buffer, use func(first int, data *vk.Buffer, n int)) error {
			return c.read(buffer, plane*pixels, pixels, use)
		}
		at := b.y0 * c.cfg.W
		var err error
		switch c.cfg.Precision {
		case sink.Exact128:
			if c.carried { // before, the second words are zero
				err = read(b.high, func(first int, data *vk.Buffer, n int) {
					for i, v := range vk.View[int64](data)[:n] {
						c.sums.Add(plane, at+first+i, v>>32, uint64(v)<<32)
					}
				})
			}
			if err == nil {
				err = read(b.sum, func(first int, data *vk.Buffer, n int) {
					for i, v := range vk.View[int64](data)[:n] {
						c.sums.AddInt64(plane, at+first+i, v)
					}
				})
			}
		case sink.F32:
			err = read(b.sum, func(first int, data *vk.Buffer, n int) {
				for i, v := range vk.View[float32](data)[:n] {
					dst.Plane[plane][at+first+i] = float64(v)
				}
			})
		default:
			err = read(b.sum, func(first int, data *vk.Buffer, n int) {
				copy(dst.Plane[plane][at+first:], vk.View[float64](data)[:n])
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read copies words first to first+n-1 of a buffer to the host, piece by piece.
func (c *Canvas) read(buffer *vk.Buffer, first, n int, use func(first int, data *vk.Buffer, n int)) error {
	word := c.frame.word
	data, err := c.scratch.get("download", uint64(min(n*word, downloadBytes)), vk.Readback)
	if err != nil {
		return deviceError("download", err)
	}
	for at := 0; at < n; {
		count := min(n-at, int(data.Size())/word)
		batch := c.engine.device.Batch("download")
		begin := batch.Stamp()
		batch.Copy(data.At(0, uint64(count*word)), buffer.At(uint64((first+at)*word), uint64(count*word)))
		if err := c.run(batch, func(t clock) { c.stats.Seconds.Download += t.between(begin, t.last) }); err != nil {
			return err
		}
		use(at, data, count)
		at += count
	}
	return nil
}

// Stats counts the work. It is legal after Resolve. Contributions are those of the other paths and of direct events: the mesh sums no
// event-pixel pairs.
func (c *Canvas) Stats() sink.Stats {
	s := c.stats
	s.PathChunks, s.PathEvents, s.Costs = maps.Clone(s.PathChunks), maps.Clone(s.PathEvents), maps.Clone(s.Costs)
	s.Direct = c.direct.Events()
	s.Contributions += c.direct.Contributions()
	s.Events += s.Direct
	if c.bright != nil {
		b := c.bright.Stats()
		s.Events += b.Events
		s.Contributions += b.Contributions
		s.PathEvents["cpu"] = b.Events
	}
	s.PeakDeviceBytes = int64(c.engine.device.Memory().Peak)
	return s
}

// Reset makes the canvas black again and forgets its counts, but keeps its memory: for replays that time the same work again.
func (c *Canvas) Reset(ctx context.Context) error {
	c.front.flush()
	return c.ask(ctx, func() error {
		c.pending.reset()
		c.inWord, c.total, c.batches, c.carried = 0, 0, 0, false
		c.direct, c.bright, c.sums = direct.New(c.cfg), nil, nil
		s := &c.stats
		s.Events, s.Contributions, s.Seconds = 0, 0, sink.Seconds{}
		clear(s.PathChunks)
		clear(s.PathEvents)
		if err := c.frame.clear(c.engine.device); err != nil {
			return deviceError("reset", err)
		}
		return nil
	})
}
