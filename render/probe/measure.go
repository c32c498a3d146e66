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

// The standard inputs: synthetic events around the centre of a frame, with the default PSF.
const (
	frameW    = 1280
	frameH    = 720
	gpuEvents = 65536
	cpuEvents = 256 // a software device takes as long for these
)

var inputs = []struct {
	name   string
	spread float64 // edge of the square of events, px; clamped to the frame along each axis
}{
	{"point", 1}, {"cluster", 16}, {"field", frameW},
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
	cfg := sink.Config{W: frameW, H: frameH, PSF: f, Precision: p, QuantumBits: hdr.DefaultQuantumBits, Path: path, Threads: 1, Device: device}
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
	n := gpuEvents
	if e.Info().Type == vk.CPU {
		n = cpuEvents
	}
	m := Measurement{SelfTest: passed, Inputs: map[string]float64{}}
	var contributions, seconds float64
	for _, in := range inputs {
		c, s, err := timed(ctx, e, cfg, replay.Synthetic{Events: n, Spread: in.spread, Seed: replay.DefaultSeed, W: cfg.W, H: cfg.H})
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

// timed draws an input until half a second has passed or five times, after a first time that compiles and allocates, and
// returns the contributions of one drawing and the median of its device seconds.
func timed(ctx context.Context, e *vulkan.Engine, cfg sink.Config, in replay.Synthetic) (contributions, seconds float64, err error) {
	var times []float64
	start := time.Now()
	for k := 0; k < 6 && (k < 2 || time.Since(start) < time.Second/2); k++ {
		stats, err := draw(ctx, e, cfg, in)
		if err != nil {
			return 0, 0, err
		}
		contributions = float64(stats.Contributions)
		times = append(times, stats.Seconds.Bin+stats.Seconds.Accumulate+stats.Seconds.Merge)
	}
	times = times[1:]
	slices.Sort(times)
	seconds = times[len(times)/2]
	if !(seconds > 0) {
		return 0, 0, fail.Device("measure: no time passed on the device")
	}
	return contributions, seconds, nil
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
