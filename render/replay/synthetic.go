// Package replay makes, records and replays star images without stars: the inputs of benchmarks and of comparisons between
// backends.
package replay

import (
	"fmt"
	"math"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/psf"
)

// DefaultSeed is the seed of tools/baseline/c/psf_c.c.
const DefaultSeed = 12345

// Synthetic describes seeded random events in a rectangle about the centre of a frame.
type Synthetic struct {
	Events      int
	Spread      float64 // side in px, clamped to the frame along each axis
	FluxDecades float64 // 0: flux 1 + u; D: flux 10^(D u)
	Seed        uint64
	W, H        int  // frame, px
	Galactic    bool // placed by the galactic profile instead of in a square; Spread is not used
}

// maxSide bounds a frame's sides, px.
const maxSide = 1 << 20

// Check refuses what cannot be drawn.
func (s Synthetic) Check() error {
	switch {
	case s.W < 1 || s.H < 1 || s.W > maxSide || s.H > maxSide:
		return fail.Usage("replay: frame of %dx%d pixels: sides must be 1 to %d", s.W, s.H, maxSide)
	case s.Events < 0:
		return fail.Usage("replay: %d events", s.Events)
	case !s.Galactic && !(s.Spread > 0):
		return fail.Usage("replay: spread of %g px is not above 0", s.Spread)
	case !(s.FluxDecades >= 0 && s.FluxDecades <= 100):
		return fail.Usage("replay: %g flux decades are outside 0 to 100", s.FluxDecades)
	}
	return nil
}

// Each calls visit with chunks of event.ChunkLen events, the last shorter; visit may keep nothing of a chunk. The events are
// those of tools/baseline/c/psf_c.c: a 64-bit linear congruential generator gives u in [0,1) from its top 53 bits, drawn in the
// order x, y, r, g, b, flux; colours are 0.5 + u.
func (s Synthetic) Each(f *psf.PSF, visit func(chunk []event.Event) error) error {
	if err := s.Check(); err != nil {
		return err
	}
	state := lcg(s.Seed)
	w, h := float64(s.W), float64(s.H)
	sx, sy := min(s.Spread, w), min(s.Spread, h)
	chunk := make([]event.Event, 0, event.ChunkLen)
	for left := s.Events; left > 0; left -= len(chunk) {
		chunk = chunk[:min(left, event.ChunkLen)]
		for i := range chunk {
			e := &chunk[i]
			if s.Galactic {
				e.X, e.Y = s.galactic(&state)
			} else {
				e.X = (w-sx)/2 + float64(state.draw()*sx)
				e.Y = (h-sy)/2 + float64(state.draw()*sy)
			}
			e.R, e.G, e.B = 0.5+state.draw(), 0.5+state.draw(), 0.5+state.draw()
			if u := state.draw(); s.FluxDecades > 0 {
				e.Flux = math.Pow(10, s.FluxDecades*u)
			} else {
				e.Flux = 1 + u
			}
			_, e.Support = f.Classify(e.Flux)
		}
		if err := visit(chunk); err != nil {
			return fmt.Errorf("replay: %w", err)
		}
	}
	return nil
}

// lcg is x <- 6364136223846793005 x + 1442695040888963407 mod 2^64 (Knuth, MMIX).
type lcg uint64

func (s *lcg) draw() float64 {
	*s = *s*6364136223846793005 + 1442695040888963407
	return float64(*s>>11) / (1 << 53)
}
