package mesh

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/mesh/fft"
	"grsplat/render/psf"
)

var defaultPSF = sync.OnceValue(func() *psf.PSF { return mustPSF(func(*psf.Params) {}) })

// smallPSF has a circle of 12 px, too coarse an end for a grid of less than P points a pixel.
var smallPSF = sync.OnceValue(func() *psf.PSF { return mustPSF(func(p *psf.Params) { p.Tail = 1e-4 }) })

// steepPSF has a circle of 17 px and ends faint enough for a coarse grid.
var steepPSF = sync.OnceValue(func() *psf.PSF { return mustPSF(func(p *psf.Params) { p.Beta, p.Tail = 10, 2e-10 }) })

func mustPSF(edit func(*psf.Params)) *psf.PSF {
	p := psf.Defaults()
	edit(&p)
	f, err := psf.New(p)
	if err != nil {
		panic(err)
	}
	return f
}

// stamps sums events as spec section 6 says, and by the way what the mesh's bound grants each pixel: 2 I(support) for every event
// whose rim lies within 2 px.
func stamps(f *psf.PSF, events []event.Event, w, h int) (sum *hdr.Frame, rims []float64) {
	sum, rims = hdr.NewFrame(w, h), make([]float64, w*h)
	k := f.Kernel
	for i := range events {
		e := &events[i]
		m := k.Mix(e.X, e.Y)
		k00, k10, k01, k11 := k.Grids(&m)
		c := e.Colour()
		grant := 2 * f.Profile(e.Support*e.Support) * brightness(e)
		d, near := psf.NewDisc(e.X, e.Y, e.Support, w, h), psf.NewDisc(e.X, e.Y, e.Support+2, w, h)
		for y := near.Y0; y <= near.Y1; y++ {
			for x, x1 := near.Row(y); x <= x1; x++ {
				if math.Hypot(float64(x)-e.X, float64(y)-e.Y) >= e.Support-2 {
					rims[y*w+x] += grant
				}
			}
		}
		for y := d.Y0; y <= d.Y1; y++ {
			for x, x1 := d.Row(y); x <= x1; x++ {
				q := (y-m.IY+k.R)*k.Stride + x - m.IX + k.R
				v := m.B00*k00[q] + m.B10*k10[q] + m.B01*k01[q] + m.B11*k11[q]
				for p := range c {
					sum.Plane[p][y*w+x] += v * c[p]
				}
			}
		}
	}
	return sum, rims
}

// scatter places n events in a square of side px from (x,y), of flux 10^(decades u).
func scatter(f *psf.PSF, n int, x, y, side, decades float64, seed uint64) []event.Event {
	r := rand.New(rand.NewPCG(seed, 99))
	events := make([]event.Event, n)
	for i := range events {
		events[i] = event.Event{
			X: x + side*r.Float64(), Y: y + side*r.Float64(), R: 0.5 + r.Float64(), G: 0.5 + r.Float64(), B: r.Float64() - 0.2,
			Flux: math.Pow(10, decades*r.Float64()), Support: support(f),
		}
	}
	return events
}

// an area is an accumulator whose stamped events are kept.
type area struct {
	*Accumulator
	stamped []event.Event
	rest    []event.Event
}

func newArea(t testing.TB, f *psf.PSF, w, h int, edit func(*Config)) *area {
	t.Helper()
	a := new(area)
	cfg := Config{W: w, H: h, PSF: f, Level: fft.Best(), Threads: 2, Memory: 1 << 30}
	cfg.Stamp = func(_ context.Context, pages [][]event.Event) error {
		a.stamped = append(a.stamped, slices.Concat(pages...)...)
		return nil
	}
	if edit != nil {
		edit(&cfg)
	}
	var err error
	if a.Accumulator, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	if e := shared[f]; e != nil && !cfg.Auto {
		a.once.Do(func() {
			made := *e()
			made.k = fft.For(cfg.Level)
			a.made.Store(&made)
		})
	}
	return a
}

// shared are engines that several tests use.
var shared = map[*psf.PSF]func() *Engine{}

func init() {
	for _, f := range []*psf.PSF{defaultPSF(), smallPSF(), steepPSF()} {
		shared[f] = sync.OnceValue(func() *Engine {
			e, err := NewEngine(f, fft.Best())
			if err != nil {
				panic(err)
			}
			return e
		})
	}
}

// image deposits and flushes, and returns the convolved part of the sum.
func (a *area) image(t testing.TB, events []event.Event) *hdr.Frame {
	t.Helper()
	a.rest = append(a.rest, a.Front().Deposit(events, nil)...)
	if err := a.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	dst := hdr.NewFrame(a.cfg.W, a.cfg.H)
	a.AddTo(dst)
	return dst
}

// check compares an image with the stamps of events: within section 7's bound, and within the bound that the mesh reported.
func (a *area) check(t *testing.T, got *hdr.Frame, events []event.Event) {
	t.Helper()
	want, rims := stamps(a.cfg.PSF, events, a.cfg.W, a.cfg.H)
	peak := 0.0
	for c := range want.Plane {
		peak = max(peak, largest(want.Plane[c]))
	}
	worst := 0.0
	for c := range want.Plane {
		for i, w := range want.Plane[c] {
			d := math.Abs(got.Plane[c][i] - w)
			worst = max(worst, d/peak)
			if !(d <= gridError*peak+rims[i]) {
				t.Fatalf("pixel %d,%d colour %d: %g, want %g, off by %.3g", i%a.cfg.W, i/a.cfg.W, c, got.Plane[c][i], w, d)
			}
		}
	}
	if bound := a.Stats().Bound; !(worst <= bound) {
		t.Errorf("off by %.3g of the peak, bound %.3g", worst, bound)
	}
}

// A coarse grid for the default PSF, all planes for one that ends too bright.
func TestEngines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		f *psf.PSF
		q int
	}{{defaultPSF(), 4}, {steepPSF(), 4}, {smallPSF(), 8}} {
		a := newArea(t, c.f, 10, 10, nil)
		e := a.engine()
		if e.Q != c.q || !(e.Residual <= maxResidual) {
			t.Errorf("radius %d: %d planes an axis, want %d; residual %g", c.f.R, e.Q, c.q, e.Residual)
		}
	}
	if _, err := New(Config{PSF: mustPSF(func(p *psf.Params) { p.CacheRadius = 512; p.Phases = 1 }), W: 10, H: 10}); err == nil {
		t.Error("kernels wider than every transform: no error")
	}
}

// Phases of every kind: odd, one, more than eight, fewer.
func TestPhases(t *testing.T) {
	t.Parallel()
	for _, p := range []int{1, 2, 3, 4, 5, 16} {
		f := mustPSF(func(q *psf.Params) { q.Phases, q.CacheRadius = p, 9 })
		events := scatter(f, 300, 0, 0, 100, 1, 7)
		a := newArea(t, f, 100, 100, nil)
		a.check(t, a.image(t, events), events)
	}
}

// Section 7's error holds at flux spreads of 1, 1e4 and 1e8, and so does the reported bound.
func TestFluxSpreads(t *testing.T) {
	t.Parallel()
	for _, decades := range []float64{0, 4, 8} {
		events := scatter(defaultPSF(), 400, 20, 30, 60, decades, 1)
		a := newArea(t, defaultPSF(), 100, 120, nil)
		a.check(t, a.image(t, events), events)
		if len(a.stamped)+len(a.rest) != 0 {
			t.Errorf("%g decades: %d events not convolved", decades, len(a.stamped)+len(a.rest))
		}
	}
}

// Events on borders of tiles and blocks, at the frame's edges and outside, on lattice points and between.
func TestBorders(t *testing.T) {
	t.Parallel()
	f := smallPSF()
	s, _ := newShape(f.Kernel, 8, 0)
	first := float64(-f.R - 1)
	var events []event.Event
	for _, at := range []float64{0, float64(s.Tile), float64(s.Pitch), float64(2 * s.Pitch)} {
		for _, d := range []float64{0, 1e-13, -1e-13, 0.125, -0.125, 0.4, -1} {
			for _, other := range []float64{-first, 50.3, float64(s.Pitch) + 0.01} {
				e := scatter(f, 1, 0, 0, 1, 0, uint64(len(events)))[0]
				e.X, e.Y = first+at+d, first+other
				events = append(events, e)
				e.X, e.Y = e.Y, e.X
				events = append(events, e)
			}
		}
	}
	a := newArea(t, f, s.Pitch+40, s.Pitch+70, nil)
	a.check(t, a.image(t, events), events)
}

func TestNothingAndLittle(t *testing.T) {
	t.Parallel()
	f := smallPSF()
	a := newArea(t, f, 30, 20, nil)
	if got := a.image(t, nil); largest(got.Plane[0]) != 0 || a.Stats().Flushes != 0 {
		t.Error("an empty frame is not black")
	}
	one := scatter(f, 1, 5, 5, 1, 0, 3)
	a.check(t, a.image(t, one), one)
	b := newArea(t, f, 30, 20, nil)
	same := make([]event.Event, 30)
	for i := range same {
		same[i] = one[0]
	}
	b.check(t, b.image(t, same), same)
}

// The total of the frame is the total of the stamps: the fading end keeps the flux.
func TestFluxConserved(t *testing.T) {
	t.Parallel()
	events := scatter(defaultPSF(), 4000, 60, 60, 80, 1, 5)
	a := newArea(t, defaultPSF(), 200, 200, nil)
	got := a.image(t, events).Total()
	sum, _ := stamps(defaultPSF(), events, 200, 200)
	for c, want := range sum.Total() {
		if !(math.Abs(got[c]-want) <= 1e-12*math.Abs(want)) {
			t.Errorf("colour %d: %g of the flux is lost", c, 1-got[c]/want)
		}
	}
}

// The vector levels convolve alike.
func TestLevelsAgree(t *testing.T) {
	t.Parallel()
	for _, f := range []*psf.PSF{smallPSF(), steepPSF()} {
		events := scatter(f, 500, 5, 5, 60, 2, 6)
		var want *hdr.Frame
		for _, level := range levels() {
			a := newArea(t, f, 70, 70, func(c *Config) { c.Level = level })
			got := a.image(t, events)
			if want == nil {
				want = got
			}
			for c := range want.Plane {
				peak := largest(want.Plane[c])
				for i, v := range want.Plane[c] {
					if !(math.Abs(got.Plane[c][i]-v) <= 2e-15*peak) {
						t.Fatalf("%v: colour %d pixel %d: %g, want %g", level, c, i, got.Plane[c][i], v)
					}
				}
			}
		}
	}
}

// levels are the instruction sets that this processor runs.
func levels() []fft.Level { return []fft.Level{fft.Generic, fft.AVX2, fft.AVX512}[:fft.Best()+1] }
