package vulkan

import (
	"context"
	"fmt"

	"grsplat/render/event"
	"grsplat/render/sink"
	"grsplat/shaders"
	"grsplat/vk"
)

// slotEvents is the size of a staging slot: 3.5 MiB of events.
const slotEvents = 65536

// A slot is a worker's piece of mapped memory. It goes full to the device's goroutine and comes back through free once the
// device has copied it.
type slot struct {
	buffer *vk.Buffer
	free   chan<- *slot
	density
}

// A front is one worker's way into the canvas: two slots, one filled by the worker while the device reads the other.
type front struct {
	c    *Canvas
	free chan *slot
	made int
	slot *slot // being filled, or nil
}

// Front returns a new front. It fails when the device has no memory for its slots, at the first Deposit.
func (c *Canvas) Front() (sink.Sink, error) {
	if err := c.failed(); err != nil {
		return nil, err
	}
	return c.newFront(), nil
}

func (c *Canvas) newFront() *front { return &front{c: c, free: make(chan *slot, 2)} }

// Deposit copies the chunk's cached events into slots and sums the others on the CPU.
func (f *front) Deposit(ctx context.Context, chunk []event.Event) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("vulkan: deposit: %w", err)
	}
	if err := f.c.failed(); err != nil {
		return err
	}
	for i := range chunk {
		e := &chunk[i]
		if f.c.cfg.PSF.IsDirect(e.Flux) {
			if err := f.c.direct.Add(ctx, e); err != nil {
				return fmt.Errorf("vulkan: deposit: %w", err)
			}
			continue
		}
		bound, bright := f.c.bound(e)
		if bright {
			if err := f.c.addBright(ctx, e); err != nil {
				return err
			}
			continue
		}
		if f.slot != nil && f.slot.bound+bound > slotQuanta {
			f.flush()
		}
		if f.slot == nil {
			if err := f.take(ctx); err != nil {
				return err
			}
		}
		f.put(e, bound)
		if f.slot.n == f.c.slotEvents {
			f.flush()
		}
	}
	return nil
}

// take waits for a free slot.
func (f *front) take(ctx context.Context) (err error) {
	select {
	case f.slot = <-f.free:
		return nil
	default:
	}
	if f.made < cap(f.free) {
		f.slot, err = f.c.newSlot(f.free)
		f.made++
		return err
	}
	select {
	case f.slot = <-f.free:
		return f.c.failed()
	case <-ctx.Done():
		return fmt.Errorf("vulkan: deposit: %w", ctx.Err())
	}
}

func (f *front) put(e *event.Event, bound float64) {
	s := f.slot
	support := min(e.Support, float64(f.c.cfg.PSF.R))
	if f.c.record == shaders.RecordF32 {
		vk.View[record](s.buffer)[s.n] = f.c.pack(e, support)
	} else {
		vk.View[event.Event](s.buffer)[s.n] = *e
	}
	s.add(e, support, f.c.cfg.W, f.c.cfg.H)
	s.bound += bound
}

func (f *front) flush() {
	if f.slot != nil {
		f.c.work <- parcel{slot: f.slot}
		f.slot = nil
	}
}

// Close hands over what the front still holds.
func (f *front) Close() error {
	f.flush()
	return f.c.failed()
}
