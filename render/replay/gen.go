package replay

import (
	"context"
	"fmt"

	"grsplat/render/event"
	"grsplat/render/outfile"
	"grsplat/render/psf"
	"grsplat/render/sink/capture"
)

// Generate writes the synthetic events that s describes to a capture file. Direct and discarded events have no place in a
// capture; they are left out.
func Generate(ctx context.Context, s Synthetic, p psf.Params, path string, force bool, program string) (m event.Manifest, err error) {
	f, err := psf.New(p)
	if err != nil {
		return m, err
	}
	if err := s.Check(); err != nil {
		return m, err
	}
	out, err := outfile.Create(path, force)
	if err != nil {
		return m, err
	}
	defer out.Abort()
	w, err := event.NewWriter(out)
	if err != nil {
		return m, err
	}
	err = s.Each(f, func(chunk []event.Event) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		kept := chunk[:0]
		for _, e := range chunk {
			if status, _ := f.Classify(e.Flux); status == psf.Cached || status == psf.WingClipped {
				kept = append(kept, e)
			}
		}
		return w.Write(kept)
	})
	if err != nil {
		return m, err
	}
	m, err = w.Finish(event.Manifest{Width: s.W, Height: s.H, PSF: capture.Describe(f.Params), Program: program,
		Selection: s.describe()})
	if err != nil {
		return m, err
	}
	return m, out.Commit()
}

// describe is the selection that a capture file's manifest records.
func (s Synthetic) describe() string {
	place := fmt.Sprintf("spread %g px", s.Spread)
	if s.Galactic {
		place = "galactic profile"
	}
	return fmt.Sprintf("lcg seed %d, %d events, %s, %g flux decades", s.Seed, s.Events, place, s.FluxDecades)
}
