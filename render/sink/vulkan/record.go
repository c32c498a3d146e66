package vulkan

import (
	"math"
	"math/bits"

	"grsplat/render/event"
)

// A record is an event as the float32 kernels read it (footprint.glsl): positions in fixed point relative to their pixel, so
// that a device without float64 decides the lit pixels as the CPU does, but for a rim within 2^-24 of a pixel's centre.
type record struct {
	IX, IY             int32
	FX, FY             uint32 // fract of the position, in units of 2^-fixed
	S2                 uint64 // support^2, in units of 2^(-2 fixed)
	At                 int32  // index of the weight at pixel (0,0)
	Phase              uint32 // class of 8 x 8 phases
	B00, B10, B01, B11 float32
	R, G, B            float32 // flux*colour
	Support            float32
}

// fixedBits leaves room for (R+2)^2 in 62 bits.
func fixedBits(radius int) int { return 31 - bits.Len32(uint32(radius+1)) }

func (c *Canvas) pack(e *event.Event, support float64) record {
	k := c.cfg.PSF.Kernel
	if !(e.X >= -2*float64(k.R)-1 && e.X <= float64(c.cfg.W+2*k.R) && e.Y >= -2*float64(k.R)-1 && e.Y <= float64(c.cfg.H+2*k.R)) {
		return record{IX: -1 << 20, IY: -1 << 20} // beyond every frame's reach: lights nothing
	}
	m := k.Mix(e.X, e.Y)
	fixed := fixedBits(k.R)
	one := math.Ldexp(1, fixed)
	f := e.Colour()
	return record{
		IX: int32(m.IX), IY: int32(m.IY),
		FX: uint32(math.RoundToEven((e.X - math.Floor(e.X)) * one)), FY: uint32(math.RoundToEven((e.Y - math.Floor(e.Y)) * one)),
		S2:    uint64(math.RoundToEven(support * support * one * one)),
		At:    int32((m.PY*(k.P+1)+m.PX)*k.Size + (k.R-m.IY)*k.Stride + k.R - m.IX),
		Phase: uint32(m.PY*8/k.P*8 + m.PX*8/k.P),
		B00:   float32(m.B00), B10: float32(m.B10), B01: float32(m.B01), B11: float32(m.B11),
		R: float32(f[0]), G: float32(f[1]), B: float32(f[2]), Support: float32(support),
	}
}
