package star

import (
	"math"
	"testing"

	"grsplat/render/catalog"
	"grsplat/render/color"
	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/lens"
	"grsplat/render/psf"
)

func maker(t *testing.T, edit func(*psf.Params), quantumBits int) *Maker {
	t.Helper()
	p := psf.Defaults()
	p.CacheRadius = 8
	edit(&p)
	f, err := psf.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return NewMaker(Params{W: 100, H: 80, PSF: f, Colours: color.NewTable(), Exposure: 10, QuantumBits: quantumBits})
}

// flux = exposure 10^(-0.4 V) mu Yb(gT)/Yb(T), the luminance ratio from known-answers.json: log10 of it is 0.856866 from 5772 K
// to 10000 K; colour has luminance 1.
func TestFluxAndColour(t *testing.T) {
	t.Parallel()
	m := maker(t, func(*psf.Params) {}, 0)
	for _, c := range []struct{ v, mu, g, want float64 }{
		{0, 1, 1, 10}, {5, 1, 1, 0.1}, {0, 2.5, 1, 25}, {0, 1, 10000.0 / 5772, 10 * math.Pow(10, 0.856866)},
	} {
		out := m.Append(nil, &catalog.Star{V: c.v, Teff: 5772}, &lens.Image{X: 50, Y: 40, Mu: c.mu, G: c.g})
		if len(out) != 1 {
			t.Fatalf("%+v: %d events", c, len(out))
		}
		e := out[0]
		if !(math.Abs(e.Flux/c.want-1) <= 2e-6) {
			t.Errorf("%+v: flux %g", c, e.Flux)
		}
		if y := hdr.Luminance([3]float64{e.R, e.G, e.B}); !(math.Abs(y-1) <= 1e-9) {
			t.Errorf("%+v: the colour's luminance is %g", c, y)
		}
	}
}

// Every image that touches the frame has one status; those that do not touch it count nowhere.
func TestStatuses(t *testing.T) {
	t.Parallel()
	m := maker(t, func(p *psf.Params) { p.MinY, p.MaxCacheFlux = 0.5, 100 }, 0)
	star := func(v float64) *catalog.Star { return &catalog.Star{V: v, Teff: 5772} }
	var out []event.Event
	for _, c := range []struct{ x, v float64 }{{50, 0}, {50, 5}, {50, -5}, {-7.5, 0}, {-8.5, 0}, {-8.5, 5}, {-7.5, 5}, {-30, -20}} {
		out = m.Append(out, star(c.v), &lens.Image{X: c.x, Y: 40, Mu: 1, G: 1})
	}
	got := m.Counts
	if got.Total != 6 || got.WingClipped != 2 || got.Discarded != 2 || got.Direct != 2 || got.Cached != 0 {
		t.Errorf("counts %+v", got)
	}
	if len(out) != 4 || out[0].Support != 8 || !(out[3].Support > 30) {
		t.Errorf("events %+v", out)
	}
}

// What exact sums lose is the flux of the wings below half a quantum: all of a faint star's, none of a bright one's.
func TestRoundedAway(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ v, least, most float64 }{{60, 1, 1}, {0, 0, 1e-9}} {
		m := maker(t, func(p *psf.Params) { p.CacheRadius = 0 }, 44)
		m.Append(nil, &catalog.Star{V: c.v, Teff: 5772}, &lens.Image{X: 50, Y: 40, Mu: 1, G: 1})
		loss := m.Counts.RoundedAway / hdr.Luminance(m.Counts.FluxRGB)
		if !(loss >= c.least && loss <= c.most+1e-12) {
			t.Errorf("V = %g: loss %g", c.v, loss)
		}
	}
}

// Only a star bright enough to be direct can reach the frame from beyond the margin.
func TestMissed(t *testing.T) {
	t.Parallel()
	m := maker(t, func(p *psf.Params) { p.MaxCacheFlux = 100 }, 0)
	m.Missed(&catalog.Star{V: 0, Teff: 5772})
	if m.Counts.BeyondMargin != 0 {
		t.Errorf("a faint star beyond the margin counts %g", m.Counts.BeyondMargin)
	}
	m.Missed(&catalog.Star{V: -5, Teff: 5772})
	if want := 1000 * m.p.PSF.TailFraction(8) / 2; !(math.Abs(m.Counts.BeyondMargin-want) <= 1e-12*want) {
		t.Errorf("a bright star beyond the margin: %g, want %g", m.Counts.BeyondMargin, want)
	}
}
