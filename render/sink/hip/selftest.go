//go:build hip

package hip

import (
	"context"
	"errors"
	"math"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
)

// selfTest sums a small scene on every path, once with whole lists and once with cut ones, and compares it with the sequential
// reference: a driver that miscompiles a kernel is found before it draws.
func (d *device) selfTest(cfg sink.Config, paths []string) error {
	p := psf.Defaults()
	p.Tail = 1e-3
	f, err := psf.New(p)
	if err != nil {
		return err
	}
	small := sink.Config{W: 150, H: 40, PSF: f, Precision: cfg.Precision, QuantumBits: cfg.QuantumBits}
	events := selfTestScene(f)
	want := hdr.NewFrame(small.W, small.H)
	ref := cpu.NewReference(small)
	if err := errors.Join(ref.Deposit(context.Background(), events), ref.Resolve(context.Background(), want)); err != nil {
		return err
	}
	for _, path := range paths {
		for _, piece := range []int{len(events), 8} {
			got := hdr.NewFrame(small.W, small.H)
			if err := d.draw(small, path, sizes{len(events), piece}, events, got); err != nil {
				return err
			}
			diff, err := hdr.Compare(got, want, 1e-12)
			if err != nil {
				return err
			}
			if !(diff.MaxRel <= 1e-12) || cfg.Precision == sink.Exact128 && !diff.Identical {
				return fail.Backend("hip: %s fails the self-test of path %s, precision %v: relative error %g", d.Name, path, cfg.Precision, diff.MaxRel)
			}
		}
	}
	return nil
}

// selfTestScene crosses a border of cells and of the frame, with signed colours.
func selfTestScene(f *psf.PSF) []event.Event {
	events := make([]event.Event, 60)
	for i := range events {
		u, v := math.Mod(float64(i)*0.754877666, 1), math.Mod(float64(i)*0.569840291, 1)
		e := event.Event{X: 160*u - 5, Y: 50*v - 5, R: 1 + u, G: 1, B: 0.5 - v, Flux: 1 + 10*u*v}
		_, e.Support = f.Classify(e.Flux)
		events[i] = e
	}
	return events
}

// draw sums events on a canvas of its own.
func (d *device) draw(cfg sink.Config, path string, size sizes, events []event.Event, dst *hdr.Frame) error {
	c, err := d.canvas(cfg, []string{path}, size)
	if err != nil {
		return err
	}
	err = errors.Join(c.Deposit(context.Background(), events), c.Resolve(context.Background(), dst))
	return errors.Join(err, c.discard())
}
