//go:build hip

package hip

import (
	"context"
	"fmt"
	"maps"
	"time"
	"unsafe"

	"grsplat/render/hdr"
	"grsplat/render/sink"
)

// Resolve waits for every deposit, then overwrites dst with the device's sums and the CPU's.
func (c *Canvas) Resolve(ctx context.Context, dst *hdr.Frame) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("hip: resolve: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	if err := c.resolve(ctx, dst); err != nil {
		return c.fail(err)
	}
	return nil
}

func (c *Canvas) resolve(ctx context.Context, dst *hdr.Frame) error {
	if err := c.submit(); err != nil {
		return err
	}
	for i := range c.slots {
		if err := c.await(&c.slots[i]); err != nil {
			return err
		}
	}
	begin := time.Now()
	if err := c.on(func() error { return c.download(dst) }); err != nil {
		return err
	}
	c.stats.Seconds.Download += time.Since(begin).Seconds()
	if err := c.direct.Flush(ctx); err != nil {
		return fmt.Errorf("hip: resolve: %w", err)
	}
	if c.exact == nil {
		c.direct.AddTo(dst)
		return nil
	}
	c.direct.MergeInto(c.exact)
	if c.bright != nil {
		c.exact.Merge(c.bright.Sums())
	}
	c.exact.Resolve(dst)
	return nil
}

// download reads the frame by way of the first slot's pinned events: float64 sums into dst, exact ones into c.exact.
func (c *Canvas) download(dst *hdr.Frame) error {
	plane := c.cfg.W * c.cfg.H
	if c.cfg.Precision != sink.Exact128 {
		return c.read(c.mem.frame, func(at int, words []uint64) {
			for len(words) > 0 { // a piece may span planes
				p, i := at/plane, at%plane
				n := copy(dst.Plane[p][i:], asFloats(words))
				at, words = at+n, words[n:]
			}
		})
	}
	c.exact = hdr.NewSums(c.cfg.W, c.cfg.H, c.cfg.QuantumBits)
	// A sum is high * 2^32 + low, both signed.
	err := c.read(c.mem.high, func(at int, words []uint64) {
		for k, v := range words {
			c.exact.Add((at+k)/plane, (at+k)%plane, int64(v)>>32, v<<32)
		}
	})
	if err != nil {
		return err
	}
	return c.read(c.mem.frame, func(at int, words []uint64) {
		for k, v := range words {
			c.exact.AddInt64((at+k)/plane, (at+k)%plane, int64(v))
		}
	})
}

func asFloats(words []uint64) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(&words[0])), len(words))
}

// read hands the three planes of p to use, piece by piece.
func (c *Canvas) read(p pointer, use func(at int, words []uint64)) error {
	pinned := view[uint64](c.slots[0].pinned[0], c.size.events*event7)
	for at, all := 0, 3*c.cfg.W*c.cfg.H; at < all; {
		n := min(len(pinned), all-at)
		from := unsafe.Add(p, 8*at)
		if err := c.toHost(c.slots[0].pinned[0], from, int64(8*n), c.stream); err != nil {
			return err
		}
		if err := c.wait(c.stream); err != nil {
			return err
		}
		use(at, pinned[:n])
		at += n
	}
	return nil
}

// Sums returns the exact sums of the last Resolve, those of the CPU included, or nil in another precision.
func (c *Canvas) Sums() *hdr.Sums { return c.exact }

// Stats counts the work. It is legal after Resolve.
func (c *Canvas) Stats() sink.Stats {
	s := c.stats
	s.PathChunks, s.PathEvents = maps.Clone(s.PathChunks), maps.Clone(s.PathEvents)
	s.Direct = c.direct.Events()
	s.Events += s.Direct
	s.Contributions += c.direct.Contributions()
	if c.bright != nil {
		b := c.bright.Stats()
		s.Events += b.Events
		s.Contributions += b.Contributions
		s.PathEvents["cpu"] = b.Events
	}
	s.Costs = map[string]float64{}
	for path, cost := range c.costs {
		unit := " s/pair"
		if path == "mesh" {
			unit = " s/block"
		}
		s.Costs[path+unit] = cost.seconds
	}
	return s
}
