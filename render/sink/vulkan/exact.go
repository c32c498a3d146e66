package vulkan

import (
	"context"
	"math"

	"grsplat/render/event"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
)

// An exact sum on the device is a 64-bit word, which a carry pass empties into a second one. No word may pass 2^62: a batch's
// bound is the sum over its events of flux * max |colour| * peak weight * 2^k, one quantum for rounding added, which no pixel
// can exceed. The words are carried before a batch that could take them past the limit, and not otherwise: the host adds both words. An event that alone is beyond
// brightQuanta goes to the CPU's 128-bit sums. The second word holds 2^31 such carries for each of 2^32 batches.
const (
	wordQuanta   = 0x1p62
	carriedWord  = 0x1p32                   // what a carry pass leaves in the first word, at most
	slotQuanta   = wordQuanta - carriedWord // of a batch
	brightQuanta = 0x1p58
	totalQuanta  = 0x1p93 // both words
)

// bound returns the quanta that e can add to a pixel, rounded up, and whether that is too much for the device.
func (c *Canvas) bound(e *event.Event) (quanta float64, bright bool) {
	if c.cfg.Precision != sink.Exact128 {
		return 0, false
	}
	f := e.Colour()
	most := max(math.Abs(f[0]), math.Abs(f[1]), math.Abs(f[2]))
	quanta = math.Ldexp(most*c.peak, c.cfg.QuantumBits)*(1+0x1p-40) + 1
	return quanta, !(quanta <= brightQuanta)
}

// addBright stamps an event on the CPU.
func (c *Canvas) addBright(ctx context.Context, e *event.Event) error {
	c.brightMu.Lock()
	defer c.brightMu.Unlock()
	if c.bright == nil {
		c.bright = cpu.NewReference(c.cfg)
	}
	return c.bright.Deposit(ctx, []event.Event{*e})
}

// reserve makes room for quanta in the first words.
func (c *Canvas) reserve(quanta float64) error {
	if c.cfg.Precision != sink.Exact128 {
		return nil
	}
	if c.inWord+quanta > wordQuanta {
		if err := c.carry(); err != nil {
			return err
		}
	}
	c.inWord += quanta
	c.total += quanta
	if c.total > totalQuanta {
		return deviceError("accumulate", errTotal)
	}
	return nil
}

// carry moves the high part of every sum into its second word, in the rows that were lit since the last time.
func (c *Canvas) carry() error {
	p, err := c.engine.pipeline("carry-i64")
	if err != nil {
		return err
	}
	batch := c.engine.device.Batch("carry")
	begin := batch.Stamp()
	for _, b := range c.frame.bands {
		push := c.push(b)
		push.Count = uint32((b.lit[1] - b.lit[0]) * c.cfg.W)
		for plane := 0; plane < 3 && push.Count > 0; plane++ {
			push.First = uint32((plane*b.rows + b.lit[0] - b.y0) * c.cfg.W)
			if err := c.dispatch(batch, p, push, uint64(push.Count+255)/256, b.sum.All(), b.high.All()); err != nil {
				batch.Discard()
				return err
			}
		}
		b.lit = [2]int{}
	}
	batch.Barrier()
	end := batch.Stamp()
	if err := c.run(batch, func(t clock) { c.stats.Seconds.Merge += t.between(begin, end) }); err != nil {
		return err
	}
	c.inWord, c.carried = carriedWord, true
	return nil
}
