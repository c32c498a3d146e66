// Package bench measures grsplat on the machine at hand. Figures that are compared are taken alternately in one run, and
// ratios are of medians: the load of a machine drifts.
package bench

import (
	"context"
	"slices"
	"time"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/replay"
	"grsplat/render/sink"
)

// An Input is a set of synthetic events; replay.Synthetic says how they are drawn.
type Input struct {
	Name        string
	Events      int
	Spread      float64 // px
	FluxDecades float64
	Galactic    bool          // placed by replay's galactic profile instead of in a square
	Recorded    []event.Event // instead: the star images of a render with the default PSF and a frame of 3840x2160 px
}

// galactic is a field towards the galactic centre.
func galactic(events int) Input {
	return Input{Name: thousands(events) + " galactic", Events: events, Galactic: true}
}

// Recorded makes an input of a capture file.
func Recorded(r *replay.Recording) (Input, error) {
	if p := psf.Defaults(); r.Manifest.Width != frameW || r.Manifest.Height != frameH || r.PSF.R != 47 || r.PSF.FWHM != p.FWHM || r.PSF.Phases != p.Phases {
		return Input{}, fail.Input("bench: the C program has the default PSF and a frame of %dx%d pixels, the capture another", frameW, frameH)
	}
	return Input{Name: "capture", Events: len(r.Events), Recorded: r.Events}, nil
}

// Inputs of `bench cpu`.
var Inputs = []Input{
	{Name: "dense", Events: 65536, Spread: 16}, {Name: "hotspot", Events: 16384, Spread: 1}, {Name: "spread", Events: 16384, Spread: 3840},
}

// Frame of every input, px.
const frameW, frameH = 3840, 2160

// load draws an input's events.
func load(in Input, f *psf.PSF) ([]event.Event, error) {
	if in.Recorded != nil {
		return in.Recorded, nil
	}
	events := make([]event.Event, 0, in.Events)
	s := replay.Synthetic{Events: in.Events, Spread: in.Spread, FluxDecades: in.FluxDecades, Galactic: in.Galactic, Seed: replay.DefaultSeed, W: frameW, H: frameH}
	err := s.Each(f, func(chunk []event.Event) error {
		events = append(events, chunk...)
		return nil
	})
	return events, err
}

// config is a canvas for an input.
func config(f *psf.PSF, m Mode, threads int) sink.Config {
	return sink.Config{
		W: frameW, H: frameH, PSF: f, Threads: threads, QuantumBits: hdr.DefaultQuantumBits,
		Precision: m.Precision, Path: m.Path, Coalesce: m.Path == "auto" || m.Path == "cells", MeshError: 1e-9,
	}
}

// A Mode is one way to sum.
type Mode struct {
	Name      string
	Path      string
	Precision sink.Precision
}

// deposit feeds all events.
func deposit(ctx context.Context, c sink.Sink, events []event.Event) error {
	for len(events) > 0 {
		n := min(event.ChunkLen, len(events))
		if err := c.Deposit(ctx, events[:n]); err != nil {
			return err
		}
		events = events[n:]
	}
	return nil
}

// bestOf calls f n times and returns the shortest, in seconds.
func bestOf(n int, f func() error) (float64, error) {
	best := 0.0
	for range n {
		start := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		if t := time.Since(start).Seconds(); best == 0 || t < best {
			best = t
		}
	}
	return best, nil
}

// median of a list that is not empty.
func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
