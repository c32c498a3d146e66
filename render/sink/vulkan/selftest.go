package vulkan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/mesh"
	"grsplat/render/psf"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
)

// The self-test draws one small scene twice, once as small batches are drawn and once with its lists cut, sorted and merged, and
// compares with the sequential sum. Drivers were seen to add atomically 28,000 times too much, or to cancel work in silence.
const (
	testW, testH = 72, 56
	testEvents   = 160
)

var testPSF = sync.OnceValues(func() (*psf.PSF, error) {
	p := psf.Defaults()
	p.Tail, p.Phases = 1e-4, 4
	return psf.New(p)
})

// selfTest proves a path on the device.
func (e *Engine) selfTest(p candidate) error {
	f, err := testPSF()
	if err != nil {
		return err
	}
	cfg := sink.Config{W: testW, H: testH, PSF: f, Precision: e.precision, QuantumBits: hdr.DefaultQuantumBits, Threads: 1}
	events := scatter(cfg, testEvents, 2*testW)
	for i := range events {
		k := float64(i)
		events[i].Flux, events[i].G = 0.5+math.Mod(k*0.37, 1), 0.25+math.Mod(k*0.61, 1)
		if i%3 == 0 {
			events[i].X, events[i].Y = 30+math.Mod(k*0.13, 1), 20+math.Mod(k*0.29, 1)
		}
	}
	want := cpu.NewReference(cfg)
	if err := want.Deposit(context.Background(), events); err != nil {
		return err
	}
	tunings := []Tuning{{}, {SplitMin: 16, BandRows: 32, BatchEvents: 96}}
	if p.path == "mesh" { // whose course the first does not change
		tunings = tunings[1:]
	}
	for _, t := range tunings {
		if err := e.drawTest(p, cfg, t, events, want); err != nil {
			return err
		}
	}
	return nil
}

// checkMesh asks for section 7's bound, with every event's rim on every pixel.
func (e *Engine) checkMesh(p candidate, cfg sink.Config, events []event.Event, d hdr.Diff) error {
	bound := 1e-12 // for the rounding of sums of about 1
	for i := range events {
		bound += 2 * cfg.PSF.Profile(events[i].Support*events[i].Support) * mesh.Brightness(&events[i])
	}
	if !(d.MaxAbs <= bound) {
		return fmt.Errorf("%s: self-test: error %.3g, at most %.3g", p.variant.Name, d.MaxAbs, bound)
	}
	return nil
}

func (e *Engine) drawTest(p candidate, cfg sink.Config, t Tuning, events []event.Event, want *cpu.Reference) (err error) {
	c, err := e.newCanvas(cfg, []candidate{p}, t)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	got, ref := hdr.NewFrame(cfg.W, cfg.H), hdr.NewFrame(cfg.W, cfg.H)
	if err := c.Deposit(context.Background(), events); err != nil {
		return err
	}
	if err := c.Resolve(context.Background(), got); err != nil {
		return err
	}
	if err := want.Resolve(context.Background(), ref); err != nil {
		return err
	}
	if e.options.Faults.SelfTest == p.variant.Name {
		got.Plane[1][20*cfg.W+30] *= 1.5
	}
	d, err := hdr.Compare(got, ref, 1e-12)
	if err != nil {
		return err
	}
	if p.path == "mesh" {
		return e.checkMesh(p, cfg, events, d)
	}
	n, m := c.Stats().Contributions, want.Stats().Contributions
	if tolerance := [...]float64{1e-12, 0, 1e-4}[e.precision]; !(d.MaxRel <= tolerance) || n != m {
		return fmt.Errorf("%s: self-test: relative error %.3g, at most %.3g; %d contributions, should be %d", p.variant.Name, d.MaxRel, tolerance, n, m)
	}
	return nil
}
