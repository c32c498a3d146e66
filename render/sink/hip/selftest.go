//go:build hip

package hip

import (
	"context"
	"errors"
	"math"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/hdr"
	"grsplat/render/mesh"
	"grsplat/render/psf"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
)

// selfTest sums a small scene on every path, once with whole lists and once with cut ones, and compares it with the sequential
// reference: a driver that miscompiles a kernel is found before it draws. auto has the mesh tested when it first wants it.
func (d *device) selfTest(cfg sink.Config, paths []string) error {
	s, err := newProof(cfg, func(p *psf.Params) { p.Tail = 1e-3 })
	if err != nil {
		return err
	}
	for _, path := range paths {
		switch {
		case path != "mesh":
			err = d.selfTestSums(s, path)
		case len(paths) == 1:
			err = d.selfTestMesh(cfg)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A proof is a small scene and what it must look like.
type proof struct {
	cfg    sink.Config
	events []event.Event
	want   *hdr.Frame
}

func newProof(cfg sink.Config, change func(*psf.Params)) (proof, error) {
	p := psf.Defaults()
	change(&p)
	f, err := psf.New(p)
	if err != nil {
		return proof{}, err
	}
	s := proof{cfg: sink.Config{W: 150, H: 40, PSF: f, Precision: cfg.Precision, QuantumBits: cfg.QuantumBits}, events: selfTestScene(f)}
	s.want = hdr.NewFrame(s.cfg.W, s.cfg.H)
	ref := cpu.NewReference(s.cfg)
	return s, errors.Join(ref.Deposit(context.Background(), s.events), ref.Resolve(context.Background(), s.want))
}

func (d *device) selfTestSums(s proof, path string) error {
	for _, piece := range []int{len(s.events), 8} {
		diff, err := d.drawProof(s, path, sizes{len(s.events), piece})
		if err != nil {
			return err
		}
		if !(diff.MaxRel <= 1e-12) || s.cfg.Precision == sink.Exact128 && !diff.Identical {
			return fail.Backend("hip: %s fails the self-test of path %s, precision %v: relative error %g", d.Name, path, s.cfg.Precision, diff.MaxRel)
		}
	}
	return nil
}

// selfTestMesh asks for spec section 7's bound with every event's rim on every pixel, which short tails would leave too wide.
func (d *device) selfTestMesh(cfg sink.Config) error {
	s, err := newProof(cfg, func(p *psf.Params) { p.Tail, p.Phases = 1e-5, 4 })
	if err != nil {
		return err
	}
	bound := 1e-12 // for the rounding of sums of about 1
	for i := range s.events {
		e := &s.events[i]
		bound += 2 * s.cfg.PSF.Profile(e.Support*e.Support) * mesh.Brightness(e)
	}
	diff, err := d.drawProof(s, "mesh", sizes{len(s.events), len(s.events)})
	if err != nil {
		return err
	}
	if !(diff.MaxAbs <= bound) {
		return fail.Backend("hip: %s fails the self-test of path mesh: error %g, at most %g", d.Name, diff.MaxAbs, bound)
	}
	return nil
}

// drawProof draws a proof's events and compares.
func (d *device) drawProof(s proof, path string, size sizes) (hdr.Diff, error) {
	got := hdr.NewFrame(s.cfg.W, s.cfg.H)
	if err := d.draw(s.cfg, path, size, s.events, got); err != nil {
		return hdr.Diff{}, err
	}
	return hdr.Compare(got, s.want, 1e-12)
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
