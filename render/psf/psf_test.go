package psf

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

func mustNew(t testing.TB, edit func(*Params)) *PSF {
	t.Helper()
	p := Defaults()
	edit(&p)
	f, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

type totals struct {
	FWHM, Beta         float64
	Offset00, Offset55 float64
}

type known struct {
	Moffat struct {
		Tail map[string]float64            `json:"tail_radius"`
		EE   map[string]map[string]float64 `json:"encircled_radius_in_alpha"`
		Sums struct{ Rows []totals }       `json:"centre_sampled_total_flux"`
		Core []totals                      `json:"pixel_integrated_central"`
	}
}

func answers(t *testing.T) known {
	t.Helper()
	raw, err := os.ReadFile("../../testdata/known-answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var k known
	if err := json.Unmarshal(raw, &k); err != nil {
		t.Fatal(err)
	}
	if len(k.Moffat.EE) == 0 || len(k.Moffat.Sums.Rows) == 0 || len(k.Moffat.Core) == 0 {
		t.Fatal("known-answers.json lacks its moffat section")
	}
	return k
}

func TestKnownRadii(t *testing.T) {
	t.Parallel()
	k := answers(t)
	f := mustNew(t, func(*Params) {})
	if math.Abs(f.Alpha-3.3082) > 5e-5 {
		t.Errorf("alpha = %.5f, want 3.3082", f.Alpha)
	}
	if want := k.Moffat.Tail["fwhm 2.7 beta 4.5 tail 1e-8"]; math.Abs(f.TailRadius(1e-8)-want) > 5e-4 {
		t.Errorf("tail radius = %.4f, want %.3f", f.TailRadius(1e-8), want)
	}
	if f.R != int(k.Moffat.Tail["cache_radius"]) {
		t.Errorf("cache radius = %d, want %g", f.R, k.Moffat.Tail["cache_radius"])
	}
	for beta, rows := range k.Moffat.EE {
		b, _ := strconv.ParseFloat(beta, 64)
		g := mustNew(t, func(p *Params) { p.Beta, p.CacheRadius = b, 9 })
		for fraction, want := range rows {
			in, _ := strconv.ParseFloat(fraction, 64)
			if got := g.TailRadius(1-in) / g.Alpha; math.Abs(got-want) > 6e-7 {
				t.Errorf("beta %s: %s of the flux within %.7f a, want %.6f", beta, fraction, got, want)
			}
		}
	}
}

func TestCentreSampledTotals(t *testing.T) {
	t.Parallel()
	for _, row := range answers(t).Moffat.Sums.Rows {
		f := mustNew(t, func(p *Params) { p.FWHM, p.Beta, p.Sampling, p.CacheRadius = row.FWHM, row.Beta, Centre, 9 })
		for _, c := range []struct{ offset, want float64 }{{0, row.Offset00}, {0.5, row.Offset55}} {
			sum := 0.0
			for j := -128; j <= 128; j++ {
				for i := -128; i <= 128; i++ {
					sum += f.At(float64(i)-c.offset, float64(j)-c.offset)
				}
			}
			if !(math.Abs(sum-c.want) <= 1e-5) {
				t.Errorf("fwhm %g offset %g: total %.6f, want %.6f", row.FWHM, c.offset, sum, c.want)
			}
		}
	}
}

func TestPixelIntegratedCore(t *testing.T) {
	t.Parallel()
	for _, row := range answers(t).Moffat.Core {
		f := mustNew(t, func(p *Params) { p.FWHM, p.Beta, p.Sampling, p.CacheRadius = row.FWHM, row.Beta, Pixel, 9 })
		if got := f.At(0, 0); !(math.Abs(got-row.Offset00) <= 6e-9) {
			t.Errorf("fwhm %g beta %g: central pixel %.8f, want %.8f", row.FWHM, row.Beta, got, row.Offset00)
		}
	}
}

// The integral of a pixel is the sum of the integrals of its quarters, whatever rule each of them is given.
func TestPixelIntegralAdds(t *testing.T) {
	t.Parallel()
	for _, fwhm := range []float64{0.1, 0.3, 1, 2.7, 20} {
		f := mustNew(t, func(p *Params) { p.FWHM, p.CacheRadius, p.Sampling = fwhm, 3, Pixel })
		for _, at := range [][2]float64{{0, 0}, {0.5, 0.5}, {0.2, -0.7}, {3, 1}, {40, -7}} {
			whole, quarters := f.cell(at[0], at[1], 0.5), 0.0
			for q := range 16 {
				quarters += f.cell(at[0]-0.375+0.25*float64(q%4), at[1]-0.375+0.25*float64(q/4), 0.125)
			}
			if !(math.Abs(whole-quarters) <= 1e-13*whole) {
				t.Errorf("fwhm %g at %v: %g, in parts %g", fwhm, at, whole, quarters)
			}
		}
	}
}

func stampTotal(f *PSF, x, y float64) (flux, cx, cy float64) {
	k := f.Kernel
	m := k.Mix(x, y)
	k00, k10, k01, k11 := k.Grids(&m)
	_, support := f.Classify(1)
	d := NewDisc(x, y, support, 128, 128)
	for j := d.Y0; j <= d.Y1; j++ {
		x0, x1 := d.Row(j)
		for i := x0; i <= x1; i++ {
			q := (j-m.IY+k.R)*k.Stride + i - m.IX + k.R
			w := m.B00*k00[q] + m.B10*k10[q] + m.B01*k01[q] + m.B11*k11[q]
			flux, cx, cy = flux+w, cx+w*float64(i), cy+w*float64(j)
		}
	}
	return flux, cx / flux, cy / flux
}

// A star of flux 1 has total luminance 1 - tail at every phase, and its centroid is its position.
func TestStampFlux(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	offsets := []float64{0, 0.25, 1.0 / 3, 0.5}
	for range 100 {
		offsets = append(offsets, r.Float64())
	}
	for _, c := range []struct {
		sampling  Sampling
		fwhm, tol float64
	}{{Centre, 2.7, 4e-6}, {Pixel, 2.7, 1e-9}, {Auto, 1, 1e-3}} {
		f := mustNew(t, func(p *Params) { p.FWHM, p.Sampling = c.fwhm, c.sampling })
		for i, dx := range offsets {
			dy := offsets[(i*7+3)%len(offsets)]
			flux, cx, cy := stampTotal(f, 60+dx, 61+dy)
			if !(math.Abs(flux-(1-f.Tail)) <= c.tol) {
				t.Errorf("%v, fwhm %g, phase %g %g: flux %.12f", f.Params.Sampling, c.fwhm, dx, dy, flux)
			}
			if c.fwhm == 2.7 && !(math.Hypot(cx-60-dx, cy-61-dy) <= 1e-3) {
				t.Errorf("%v, phase %g %g: centroid off by %g %g", c.sampling, dx, dy, cx-60-dx, cy-61-dy)
			}
		}
	}
}

func TestClassify(t *testing.T) {
	t.Parallel()
	f := mustNew(t, func(p *Params) { p.MinY, p.MaxCacheFlux, p.CacheRadius = 1, 100, 20 })
	r := f.TailRadius(1e-8)
	for _, c := range []struct {
		flux    float64
		status  Status
		support float64
	}{{0.99, Discarded, 0}, {1, WingClipped, 20}, {100, WingClipped, 20}, {1000, Direct, f.TailRadius(1e-9)}} {
		if s, radius := f.Classify(c.flux); s != c.status || radius != c.support {
			t.Errorf("flux %g: %v %g, want %v %g", c.flux, s, radius, c.status, c.support)
		}
	}
	g := mustNew(t, func(p *Params) { p.Direct = true })
	if s, radius := g.Classify(1); s != Direct || radius != r {
		t.Errorf("direct: %v %g", s, radius)
	}
	// Outside a direct event's circle lies t*Fc of absolute flux, whatever its own.
	_, radius := f.Classify(1e6)
	outside := 1e6 * math.Pow(1+radius*radius/(f.Alpha*f.Alpha), 1-f.Beta)
	if !(math.Abs(outside-f.Tail*f.MaxCacheFlux) <= 1e-12*outside) {
		t.Errorf("a direct event loses %g, want %g", outside, f.Tail*f.MaxCacheFlux)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*Params){
		"fwhm":   func(p *Params) { p.FWHM = math.NaN() },
		"beta":   func(p *Params) { p.Beta = 1 },
		"tail":   func(p *Params) { p.Tail = 0 },
		"min-y":  func(p *Params) { p.MinY = -1 },
		"max":    func(p *Params) { p.MaxCacheFlux = math.NaN() },
		"phases": func(p *Params) { p.Phases = 0 },
		"radius": func(p *Params) { p.CacheRadius = -1 },
		"memory": func(p *Params) { p.Phases, p.CacheRadius = 64, 512 },
		"reach":  func(p *Params) { p.Beta = 1.5 },
	} {
		p := Defaults()
		edit(&p)
		if _, err := New(p); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// The runs of a disc are the pixels that the definition lights, one by one.
func FuzzDisc(f *testing.F) {
	f.Add(3.5, 2.25, 5.0)
	f.Add(0.0, 0.0, 5.0)
	f.Add(-1e-20, 30.0, 3.0)
	f.Add(1e300, -4.0, 1e300)
	f.Add(5.0, 5.0, 0.0)
	f.Add(5.0, 5.0, 1e60) // an exposure of 1e308: one pixel is nothing beside it
	f.Add(1e150, 5.0, 1e150)
	f.Add(5.0, 5.0, math.Inf(1))
	f.Fuzz(func(t *testing.T, x, y, s float64) {
		if math.IsNaN(x) || math.IsNaN(y) || math.IsInf(x, 0) || math.IsInf(y, 0) || !(s >= 0) {
			return
		}
		const w, h = 17, 13
		var want, got int
		d := NewDisc(x, y, s, w, h)
		for j := range h {
			x0, x1 := 0, -1
			if j >= d.Y0 && j <= d.Y1 {
				x0, x1 = d.Row(j)
			}
			for i := range w {
				dx, dy := float64(i)-x, float64(j)-y
				lit := float64(dx*dx)+float64(dy*dy) <= float64(s*s)
				if lit != (i >= x0 && i <= x1) {
					t.Fatalf("disc %g %g %g: pixel %d,%d lit %v, row is %d..%d", x, y, s, i, j, lit, x0, x1)
				}
				if lit {
					want++
				}
			}
			got += max(x1-x0+1, 0)
		}
		if d.Pixels() != int64(want) || got != want || d.Touches() != (want > 0) {
			t.Fatalf("disc %g %g %g: %d pixels, want %d", x, y, s, d.Pixels(), want)
		}
	})
}

// Mix at a phase point is that phase alone, and its weights always add up to one.
func TestMix(t *testing.T) {
	t.Parallel()
	k := &Kernel{P: 8}
	if m := k.Mix(5.25, -0.5); m != (Mix{5, -1, 2, 4, 1, 0, 0, 0}) {
		t.Errorf("on a phase point: %+v", m)
	}
	if m := k.Mix(math.Nextafter(6, 0), 0); m.IX != 5 || m.PX != 7 {
		t.Errorf("below an integer: %+v", m)
	}
	if m := k.Mix(-1e-20, 0); m.IX != -1 || m.PX != 7 || m.B10 != 1 {
		t.Errorf("a rounding below zero: %+v", m)
	}
}

func BenchmarkNew(b *testing.B) {
	for _, s := range []Sampling{Centre, Pixel} {
		b.Run(s.String(), func(b *testing.B) {
			for b.Loop() {
				mustNew(b, func(p *Params) { p.Sampling = s })
			}
		})
	}
}
