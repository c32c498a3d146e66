// Package quanta keeps exact sums on a device within its words. A sum there is a 64-bit word that a carry kernel empties into
// a second one. No word may pass 2^62: an event adds to a pixel at most flux * max |colour| * largest weight * 2^k quanta, and one
// for rounding, and the words are carried before a batch that could take them beyond. An event that alone passes Bright goes to
// the CPU's 128-bit sums. The second word holds 2^31 such carries for each of 2^32 batches.
package quanta

import (
	"math"

	"grsplat/render/event"
)

const (
	Word    = 0x1p62 // quanta that a first word may hold
	Carried = 0x1p32 // what a carry leaves in it, at most
	Bright  = 0x1p58
	Total   = 0x1p93 // both words
)

// Bound returns the most that e can add to a pixel, rounded up, for a kernel of that largest weight and quanta of 2^-bits.
func Bound(e *event.Event, peak float64, bits int) float64 {
	f := e.Colour()
	most := max(math.Abs(f[0]), math.Abs(f[1]), math.Abs(f[2]))
	return math.Ldexp(most*peak, bits)*(1+0x1p-40) + 1
}
