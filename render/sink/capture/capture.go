// Package capture is the backend that draws nothing: it records a render's cached star images in a capture file, for replay.
package capture

import (
	"context"
	"fmt"
	"sync"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/psf"
	"grsplat/render/sink"
)

// A Sink writes the cached events that it is given, in the order of deposits, up to a limit. Its fronts share one file; who
// wants a fixed order takes turns.
type Sink struct {
	mu      sync.Mutex
	w       *event.Writer
	psf     *psf.PSF
	limit   int64 // events to write; 0 is all
	beyond  int64 // cached events after the limit
	skipped int64 // direct events
}

// New records into w, which the caller finishes with the manifest.
func New(w *event.Writer, f *psf.PSF, limit int64) *Sink { return &Sink{w: w, psf: f, limit: limit} }

// Deposit records the chunk's cached events.
func (s *Sink) Deposit(ctx context.Context, chunk []event.Event) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("capture: deposit: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := make([]event.Event, 0, len(chunk))
	for i := range chunk {
		switch {
		case s.psf.IsDirect(chunk[i].Flux):
			s.skipped++
		case s.limit > 0 && s.w.Count()+int64(len(kept)) >= s.limit:
			s.beyond++
		default:
			kept = append(kept, chunk[i])
		}
	}
	if err := s.w.Write(kept); err != nil {
		return fail.Input("%w", err)
	}
	return nil
}

// Front returns a sink for one worker.
func (s *Sink) Front() (sink.Sink, error) { return front{s}, nil }

type front struct{ *Sink }

func (front) Close() error { return nil }

// Close has nothing to free; the file is the caller's.
func (s *Sink) Close() error { return nil }

// Stats counts what was recorded under the path capture.
func (s *Sink) Stats() sink.Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.w.Count()
	return sink.Stats{Backend: "capture", Path: "capture", Events: n + s.beyond + s.skipped, Direct: s.skipped,
		PathEvents: map[string]int64{"capture": n, "left out": s.beyond}}
}

// Describe returns the PSF as a manifest holds it.
func Describe(p psf.Params) event.PSF {
	return event.PSF{FWHM: p.FWHM, Beta: p.Beta, Tail: p.Tail, MinY: p.MinY, MaxCacheFlux: p.MaxCacheFlux, CacheRadius: p.CacheRadius,
		Phases: p.Phases, Sampling: p.Sampling.String()}
}

// Params returns the parameters that a manifest holds.
func Params(p event.PSF) (psf.Params, error) {
	sampling, err := psf.ParseSampling(p.Sampling)
	if err != nil {
		return psf.Params{}, err
	}
	return psf.Params{FWHM: p.FWHM, Beta: p.Beta, Tail: p.Tail, MinY: p.MinY, MaxCacheFlux: p.MaxCacheFlux, CacheRadius: p.CacheRadius,
		Phases: p.Phases, Sampling: sampling}, nil
}
