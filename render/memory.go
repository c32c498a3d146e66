package render

import (
	"fmt"

	"github.com/pbnjay/memory"

	"grsplat/render/fail"
	"grsplat/render/sink"
)

// frameBytes estimates what the frames of a render take at their peak: the canvas, the resolved frame, and the encoder's
// copy (package encode).
func frameBytes(c *Config) float64 {
	perPixel := 24.0 + 24 + 24 // canvas, resolved frame, encoder
	if c.Precision == sink.Exact128 {
		perPixel += 48 + 24
	}
	if c.HDRPrecision != "f32" {
		perPixel += 24
	}
	return perPixel * float64(c.Camera.W) * float64(c.Camera.H)
}

// checkMemory refuses a frame that this machine cannot hold, before anything is allocated.
func checkMemory(c *Config) error {
	have := float64(memory.TotalMemory())
	if need := frameBytes(c); c.Backend != "count" && have > 0 && need > 0.9*have {
		return fail.Usage("size %dx%d needs about %s of memory for its frames, this machine has %s: choose a smaller --size",
			c.Camera.W, c.Camera.H, gib(need), gib(have))
	}
	return nil
}

func gib(bytes float64) string { return fmt.Sprintf("%.3g GiB", bytes/(1<<30)) }
