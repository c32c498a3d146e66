package vulkan

import (
	"errors"
	"time"

	"grsplat/render/fail"
	"grsplat/shaders"
	"grsplat/vk"
)

// A clock reads the stamps of a submission; a device without timestamps has its wall time for the whole.
type clock struct {
	stamps []float64 // ns
	wall   float64   // s
	last   int
}

// between returns the seconds from one stamp to another.
func (t clock) between(a, b int) float64 {
	if t.stamps == nil {
		if a == 0 && b == t.last {
			return t.wall
		}
		return 0
	}
	return (t.stamps[b] - t.stamps[a]) * 1e-9
}

// run submits a batch whose last stamp is its end, waits for it and hands its clock to account.
func (c *Canvas) run(b *vk.Batch, account func(clock)) error {
	last := b.Stamp()
	start := time.Now()
	stamps, err := b.Run()
	if err != nil {
		return fail.Device("vulkan: %w", err)
	}
	account(clock{stamps, time.Since(start).Seconds(), last})
	return nil
}

// dispatch spreads n work groups over two axes.
func (c *Canvas) dispatch(b *vk.Batch, p *vk.Pipeline, push shaders.Push, n uint64, bind ...vk.Slice) error {
	x, y, err := c.engine.device.Grid(n)
	if err != nil {
		return deviceError("dispatch", err)
	}
	b.Dispatch(p, push.Bytes(), x, y, 1, bind...)
	return nil
}

// push returns the constants that every kernel of a band shares.
func (c *Canvas) push(b *band) shaders.Push {
	k := c.cfg.PSF.Kernel
	return shaders.Push{
		W: int32(c.cfg.W), H: int32(c.cfg.H), BandY: int32(b.y0), BandRows: int32(b.rows),
		Stride: uint32(k.Stride), Grid: uint32(k.Size), Phases: uint32(k.P), Radius: uint32(k.R), Quantum: uint32(c.cfg.QuantumBits),
	}
}

// uploadKernel sends the weights, through two staging slots of at most 16 MiB.
func (c *Canvas) uploadKernel() error {
	w, d := c.cfg.PSF.Kernel.W, c.engine.device
	size := uint64(len(w) * 8)
	if c.record == shaders.RecordF32 {
		size = uint64(len(w) * 4)
	}
	if limit := d.Info().Limits.MaxStorageBufferRange; size > limit {
		return fail.Backend("vulkan: kernel: %d bytes of weights, %s binds %d; ask for fewer phases or a smaller cache radius", size, c.engine.info.Name, limit)
	}
	var err error
	if c.kernel, err = d.NewBuffer("kernel", size, vk.OnDevice); err != nil {
		return fail.Backend("vulkan: %w", err)
	}
	piece := min(size, 1<<24)
	ring, err := d.NewRing("kernel staging", 2, piece)
	if err != nil {
		return fail.Backend("vulkan: %w", err)
	}
	defer ring.Free()
	for at := uint64(0); at < size; at += piece {
		n := min(piece, size-at)
		staging, err := ring.Next()
		if err != nil {
			return fail.Device("vulkan: %w", err)
		}
		if c.record == shaders.RecordF32 {
			for i, v := range w[at/4 : (at+n)/4] {
				vk.View[float32](staging)[i] = float32(v)
			}
		} else {
			copy(vk.View[float64](staging), w[at/8:(at+n)/8])
		}
		batch := d.Batch("kernel")
		batch.Copy(c.kernel.At(at, n), staging.At(0, n))
		if _, err := batch.Submit(); err != nil {
			return fail.Device("vulkan: %w", err)
		}
	}
	if err := d.Wait(); err != nil {
		return fail.Device("vulkan: %w", err)
	}
	return nil
}

// state reads back the counters of a submission that copied them.
func (c *Canvas) state() ([]uint32, error) {
	b := c.scratch.all["readback"]
	if b == nil {
		return nil, deviceError("readback", errors.New("no counters"))
	}
	return vk.View[uint32](b), nil
}
