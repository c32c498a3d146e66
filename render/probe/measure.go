package probe

import (
	"context"
	"errors"
	"slices"
	"time"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/replay"
	"grsplat/render/sink"
	"grsplat/render/sink/vulkan"
	"grsplat/vk"
)

// Measurement is what a child that measures writes. Speeds are event-pixel contributions per second of device time, in
// which ordering the events and merging partial sums count.
type Measurement struct {
	SelfTest string             `json:"self_test"`
	Speed    float64            `json:"contributions_per_s"` // over all inputs
	Inputs   map[string]float64 `json:"inputs"`
}

// Self-tests that went no way of their own.
const (
	passed  = "passed"
	skipped = "skipped"
)

func (p *Path) take(m Measurement) { p.SelfTest, p.Speed, p.Inputs = m.SelfTest, m.Speed, m.Inputs }

// The standard inputs: synthetic events around the centre of a frame, with the default PSF. A software device gets fewer
// events on a smaller frame, for which it takes as long.
var (
	gpuLoad = load{1280, 720, 65536}
	cpuLoad = load{320, 180, 256}
)

type load struct{ w, h, events int }

var inputs = []struct {
	name   string
	spread float64 // edge of the square of events, px; clamped to the frame along each axis
}{
	{"point", 1}, {"cluster", 16}, {"field", 1280},
}

// measure opens one path of a device, which runs its self-test, and times it on the inputs.
func measure(ctx context.Context, library, device, path, precision string) Measurement {
	p, err := sink.ParsePrecision(precision)
	if err != nil {
		return Measurement{SelfTest: err.Error()}
	}
	f, err := psf.New(psf.Defaults())
	if err != nil {
		return Measurement{SelfTest: err.Error()}
	}
	cfg := sink.Config{PSF: f, Precision: p, QuantumBits: hdr.DefaultQuantumBits, Path: path, Threads: 1, Device: device}
	e, err := vulkan.OpenEngine(cfg, vulkan.Options{Library: library})
	if err != nil {
		return Measurement{SelfTest: err.Error()}
	}
	m, err := speeds(ctx, e, cfg)
	if err = errors.Join(err, e.Close()); err != nil {
		m.SelfTest = err.Error()
	}
	return m
}

func speeds(ctx context.Context, e *vulkan.Engine, cfg sink.Config) (Measurement, error) {
	size := gpuLoad
	if e.Info().Type == vk.CPU {
		size = cpuLoad
	}
	cfg.W, cfg.H = size.w, size.h
	m := Measurement{SelfTest: passed, Inputs: map[string]float64{}}
	var contributions, seconds float64
	for _, in := range inputs {
		events := replay.Synthetic{Events: size.events, Spread: in.spread, Seed: replay.DefaultSeed, W: cfg.W, H: cfg.H}
		c, err := contributed(cfg, events)
		if err != nil {
			return m, err
		}
		s, err := timed(ctx, e, cfg, events)
		if err != nil {
			return m, err
		}
		m.Inputs[in.name] = c / s
		contributions += c
		seconds += s
	}
	m.Speed = contributions / seconds
	return m, nil
}

// timed draws an input until half a second has passed or six times, and returns the median of its device seconds. The
// first drawing compiles and allocates: it counts only when it took too long to repeat.
func timed(ctx context.Context, e *vulkan.Engine, cfg sink.Config, in replay.Synthetic) (seconds float64, err error) {
	var times []float64
	start := time.Now()
	for k := 0; k < 6; k++ {
		if spent := time.Since(start); k > 1 && spent > time.Second/2 || k == 1 && spent > 5*time.Second {
			break
		}
		stats, err := draw(ctx, e, cfg, in)
		if err != nil {
			return 0, err
		}
		times = append(times, stats.Seconds.Bin+stats.Seconds.Accumulate+stats.Seconds.Merge)
	}
	if len(times) > 1 {
		times = times[1:]
	}
	slices.Sort(times)
	seconds = times[len(times)/2]
	if !(seconds > 0) {
		return 0, fail.Device("measure: no time passed on the device")
	}
	return seconds, nil
}

// contributed counts the event-pixel pairs of an input, whatever path sums them.
func contributed(cfg sink.Config, in replay.Synthetic) (n float64, err error) {
	err = in.Each(cfg.PSF, func(chunk []event.Event) error {
		for _, e := range chunk {
			d := psf.NewDisc(e.X, e.Y, min(e.Support, float64(cfg.PSF.R)), cfg.W, cfg.H)
			n += float64(d.Pixels())
		}
		return nil
	})
	return n, err
}

func draw(ctx context.Context, e *vulkan.Engine, cfg sink.Config, in replay.Synthetic) (s sink.Stats, err error) {
	c, err := e.Canvas(cfg)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := in.Each(cfg.PSF, func(chunk []event.Event) error { return c.Deposit(ctx, chunk) }); err != nil {
		return s, err
	}
	if err := c.Resolve(ctx, hdr.NewFrame(cfg.W, cfg.H)); err != nil {
		return s, err
	}
	return c.Stats(), nil
}
