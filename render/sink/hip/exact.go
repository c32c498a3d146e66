//go:build hip

package hip

import (
	"math"

	"grsplat/render/event"
)

// An exact sum on the device is a 64-bit word that a carry kernel empties into a second one. No word may pass 2^62: the bound
// of a batch is the sum over its events of flux * max|colour| * largest weight * 2^k, one quantum each for rounding added, and
// the words are carried before a batch that could take them beyond. An event that alone passes brightQuanta goes to the
// CPU's 128-bit sums.
const (
	wordQuanta   = 0x1p62
	batchQuanta  = 0x1p61
	brightQuanta = 0x1p58
	carriedWord  = 0x1p32 // what a carry leaves, at most
)

// quanta returns the most that e can add to a pixel, rounded up.
func quanta(e *event.Event, peak float64, bits int) float64 {
	f := e.Colour()
	most := max(math.Abs(f[0]), math.Abs(f[1]), math.Abs(f[2]))
	return math.Ldexp(most*peak, bits)*(1+0x1p-40) + 1
}
