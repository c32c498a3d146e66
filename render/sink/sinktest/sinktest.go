// Package sinktest is the one conformance suite that every canvas passes: scenes whose sums are compared with the
// sequential reference of package cpu, and the life cycle that the contract of package sink promises.
package sinktest

import (
	"context"
	"errors"
	"testing"

	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/sink"
)

// A Harness names the canvas under test.
type Harness struct {
	// New opens a canvas for cfg, or fails the test. Suite sets the frame, the PSF and the precision of cfg.
	New func(t *testing.T, cfg sink.Config) sink.Canvas
	// Config is where every scene starts: path, device, threads.
	Config sink.Config
	// Check overrides the comparison with the reference; nil asks for spec section 7 by the precision. The mesh has its own bound.
	Check func(t *testing.T, s Scene, got, want *hdr.Frame)
	// BitEqual asks for the very bits of the sequential float64 sum.
	BitEqual bool
	// Uncounted says that the canvas does not count event-pixel pairs, as the mesh, which sums none.
	Uncounted bool
	// Light leaves out the scenes that take a software device too long.
	Light bool
	// Narrow leaves out the kernels that are too wide for the mesh.
	Narrow bool
}

// Run runs the whole suite.
func Run(t *testing.T, h Harness) {
	t.Helper()
	for _, s := range Scenes(h.Light) {
		if s.Name == rimsOfLargeStars && (h.Config.Precision == sink.F32 || h.Narrow) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			h.scene(t, s)
		})
	}
	t.Run("fronts", func(t *testing.T) { t.Parallel(); h.fronts(t) })
	t.Run("overwritten-chunks", func(t *testing.T) { t.Parallel(); h.Overwritten(t) })
	t.Run("resolve-overwrites", func(t *testing.T) { t.Parallel(); h.resolveTwice(t) })
	t.Run("cancelled", func(t *testing.T) { t.Parallel(); h.cancelled(t) })
	t.Run("close-early", func(t *testing.T) { t.Parallel(); h.closeEarly(t) })
}

func (h Harness) config(s Scene) sink.Config {
	cfg := h.Config
	cfg.W, cfg.H, cfg.PSF = s.W, s.H, s.PSF
	if cfg.QuantumBits == 0 {
		cfg.QuantumBits = hdr.DefaultQuantumBits
	}
	if cfg.Threads == 0 {
		cfg.Threads = 2
	}
	return cfg
}

func (h Harness) scene(t *testing.T, s Scene) {
	cfg := h.config(s)
	c := h.New(t, cfg)
	defer closing(t, c)
	deposit(t, c, s.Events)
	h.judge(t, s, cfg, c)
}

// judge resolves c and compares pixels, exact sums and counts with the reference.
func (h Harness) judge(t *testing.T, s Scene, cfg sink.Config, c sink.Canvas) {
	t.Helper()
	ref, err := expect(s, cfg)
	if err != nil {
		t.Fatal(err)
	}
	want, got := ref.frame, hdr.NewFrame(s.W, s.H)
	resolve(t, c, got)
	if r, ok := c.(sink.Reporter); ok {
		h.checkStats(t, r.Stats(), ref.stats)
	}
	switch {
	case cfg.Precision == sink.Exact128:
		if g, w := c.(sink.Exact).Sums().SHA256(), ref.digest; g != w {
			d, _ := hdr.Compare(got, want, 0)
			t.Errorf("exact sums differ from the reference: %+v", d)
		}
		checkBits(t, got, want)
	case h.Check != nil:
		h.Check(t, s, got, want)
	case h.BitEqual:
		checkBits(t, got, want)
	default:
		CheckTolerance(t, cfg.Precision, got, want)
	}
}

func (h Harness) checkStats(t *testing.T, got, want sink.Stats) {
	t.Helper()
	if h.Uncounted {
		got.Contributions = want.Contributions
	}
	if got.Events != want.Events || got.Direct != want.Direct || got.Contributions != want.Contributions {
		t.Errorf("events, direct, contributions: got %d %d %d, want %d %d %d",
			got.Events, got.Direct, got.Contributions, want.Events, want.Direct, want.Contributions)
	}
	var taken int64
	for _, n := range got.PathEvents {
		taken += n
	}
	if taken != want.Events-want.Direct {
		t.Errorf("paths took %d events (%v), want %d", taken, got.PathEvents, want.Events-want.Direct)
	}
}

func checkBits(t *testing.T, got, want *hdr.Frame) {
	t.Helper()
	d, err := hdr.Compare(got, want, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !d.Identical {
		t.Errorf("not the reference's bits: %+v", d)
	}
}

// CheckTolerance asserts spec section 7 for float64 and float32 sums.
func CheckTolerance(t *testing.T, p sink.Precision, got, want *hdr.Frame) {
	t.Helper()
	floor, rel, flux := 1e-12, 1e-12, 1e-13
	if p == sink.F32 {
		floor, rel, flux = 1e-4, 1e-4, 1e-4
	}
	d, err := hdr.Compare(got, want, floor)
	if err != nil {
		t.Fatal(err)
	}
	if !(d.MaxRel <= rel) || !(d.FluxRelY <= flux) {
		t.Errorf("beyond %s tolerance: %+v", p, d)
	}
}

// fronts feeds a parallel canvas from three workers; others are fed in one go by scene.
func (h Harness) fronts(t *testing.T) {
	s := dense(9000)
	cfg := h.config(s)
	c := h.New(t, cfg)
	defer closing(t, c)
	p, ok := c.(sink.Parallel)
	if !ok {
		deposit(t, c, s.Events)
		h.judge(t, s, cfg, c)
		return
	}
	done := make(chan error)
	for worker := range 3 {
		front, err := p.Front()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			var err error
			for i := worker * 1000; i < len(s.Events) && err == nil; i += 3000 {
				err = front.Deposit(context.Background(), s.Events[i:min(i+1000, len(s.Events))])
			}
			done <- errors.Join(err, front.Close())
		}()
	}
	for range 3 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if cfg.Precision == sink.F64 && h.BitEqual {
		h.BitEqual = false // workers interleave
	}
	h.judge(t, s, cfg, c)
}

// Overwritten deposits 213 events in 71 chunks out of one buffer that is spoilt as soon as Deposit returns.
func (h Harness) Overwritten(t *testing.T) {
	s := dense(213)
	cfg := h.config(s)
	c := h.New(t, cfg)
	defer closing(t, c)
	buf := make([]event.Event, 3)
	for i := 0; i < len(s.Events); i += 3 {
		copy(buf, s.Events[i:i+3])
		if err := c.Deposit(context.Background(), buf); err != nil {
			t.Fatal(err)
		}
		for j := range buf {
			buf[j] = event.Event{X: 5, Y: 5, R: 1e9, Flux: 1e9, Support: 3}
		}
	}
	h.judge(t, s, cfg, c)
}

func (h Harness) resolveTwice(t *testing.T) {
	s := dense(50)
	c := h.New(t, h.config(s))
	defer closing(t, c)
	deposit(t, c, s.Events)
	first, second := hdr.NewFrame(s.W, s.H), hdr.NewFrame(s.W, s.H)
	for c := range second.Plane {
		for i := range second.Plane[c] {
			second.Plane[c][i] = -7
		}
	}
	resolve(t, c, first)
	resolve(t, c, second)
	checkBits(t, second, first)
}

func (h Harness) cancelled(t *testing.T) {
	s := dense(50)
	c := h.New(t, h.config(s))
	defer closing(t, c)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := c.Deposit(ctx, s.Events)
	if err == nil {
		err = c.Resolve(ctx, hdr.NewFrame(s.W, s.H))
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled deposit and resolve: got %v", err)
	}
}

func (h Harness) closeEarly(t *testing.T) {
	s := dense(50)
	c := h.New(t, h.config(s))
	deposit(t, c, s.Events)
	closing(t, c)
}

func deposit(t *testing.T, s sink.Sink, events []event.Event) {
	t.Helper()
	for len(events) > 0 {
		n := min(event.ChunkLen, len(events))
		if err := s.Deposit(context.Background(), events[:n]); err != nil {
			t.Fatal(err)
		}
		events = events[n:]
	}
}

func resolve(t *testing.T, c sink.Canvas, dst *hdr.Frame) {
	t.Helper()
	if err := c.Resolve(context.Background(), dst); err != nil {
		t.Fatal(err)
	}
}

func closing(t *testing.T, c sink.Sink) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// PSF returns a PSF for tests or panics.
func PSF(edit func(*psf.Params)) *psf.PSF {
	p := psf.Defaults()
	if edit != nil {
		edit(&p)
	}
	f, err := psf.New(p)
	if err != nil {
		panic(err)
	}
	return f
}
