package sinktest

import (
	"context"
	"sync"

	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
)

// An expectation is what the reference makes of a scene. Scenes repeat for every path, so it is computed once.
type expectation struct {
	frame  *hdr.Frame
	digest string // of the exact sums
	stats  sink.Stats
}

type expectationKey struct {
	name    string
	events  int
	psf     *psf.PSF
	exact   bool
	quantum int
}

var expectations sync.Map // expectationKey -> func() (expectation, error)

// expect returns the reference's answer for a scene.
func expect(s Scene, cfg sink.Config) (expectation, error) {
	key := expectationKey{s.Name, len(s.Events), s.PSF, cfg.Precision == sink.Exact128, cfg.QuantumBits}
	compute := sync.OnceValues(func() (expectation, error) { return reference(s, cfg) })
	f, _ := expectations.LoadOrStore(key, compute)
	return f.(func() (expectation, error))()
}

func reference(s Scene, cfg sink.Config) (expectation, error) {
	ref := cpu.NewReference(cfg)
	for at := 0; at < len(s.Events); at += event.ChunkLen {
		if err := ref.Deposit(context.Background(), s.Events[at:min(at+event.ChunkLen, len(s.Events))]); err != nil {
			return expectation{}, err
		}
	}
	e := expectation{frame: hdr.NewFrame(s.W, s.H)}
	if err := ref.Resolve(context.Background(), e.frame); err != nil {
		return e, err
	}
	e.stats = ref.Stats()
	if cfg.Precision == sink.Exact128 {
		e.digest = ref.Sums().SHA256()
	}
	return e, nil
}
