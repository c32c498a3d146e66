package vulkan

import (
	"context"

	"grsplat/render/event"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
	"grsplat/render/sink/quanta"
)

// slotQuanta bounds a batch (package quanta): the words are carried before one that could take them past their limit, and not
// otherwise, and the host adds both words.
const slotQuanta = quanta.Word - quanta.Carried

// bound returns the quanta that e can add to a pixel, rounded up, and whether that is too much for the device.
func (c *Canvas) bound(e *event.Event) (most float64, bright bool) {
	if c.cfg.Precision != sink.Exact128 {
		return 0, false
	}
	most = quanta.Bound(e, c.peak, c.cfg.QuantumBits)
	return most, !(most <= quanta.Bright)
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

// reserve makes room for that many quanta in the first words.
func (c *Canvas) reserve(most float64) error {
	if c.cfg.Precision != sink.Exact128 {
		return nil
	}
	if c.inWord+most > quanta.Word {
		if err := c.carry(); err != nil {
			return err
		}
	}
	c.inWord += most
	c.total += most
	if c.total > quanta.Total {
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
	c.inWord, c.carried = quanta.Carried, true
	return nil
}
