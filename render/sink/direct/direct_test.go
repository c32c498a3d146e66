package direct

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu/kern"
)

func newPSF(t testing.TB, fwhm, beta float64, s psf.Sampling) *psf.PSF {
	t.Helper()
	p := psf.Defaults()
	p.FWHM, p.Beta, p.Sampling, p.CacheRadius = fwhm, beta, s, 4
	f, err := psf.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// plain adds e pixel by pixel by psf.At: the meaning of a direct event.
func plain(dst *hdr.Frame, f *psf.PSF, e *event.Event) {
	d := psf.NewDisc(e.X, e.Y, e.Support, dst.W, dst.H)
	colour := e.Colour()
	for y := d.Y0; y <= d.Y1; y++ {
		x0, x1 := d.Row(y)
		for x := x0; x <= x1; x++ {
			w := f.At(float64(x)-e.X, float64(y)-e.Y)
			for c := range colour {
				dst.Plane[c][y*dst.W+x] += w * colour[c]
			}
		}
	}
}

func add(t testing.TB, a *Adder, e *event.Event) {
	t.Helper()
	if err := a.Add(context.Background(), e); err != nil {
		t.Fatal(err)
	}
}

func flush(t testing.TB, a *Adder) {
	t.Helper()
	if err := a.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// A cancelled context ends the summing of a batch, in either way of summing.
func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, p := range []sink.Precision{sink.F64, sink.Exact128} {
		a := New(sink.Config{W: 600, H: 600, PSF: newPSF(t, 2.7, 4.5, psf.Centre), Precision: p, QuantumBits: 44, Threads: 2})
		var err error
		for i := 0; i < farBatch && err == nil; i++ {
			e := eventAt(300, 300, 400)
			err = a.Add(ctx, &e)
		}
		if !errors.Is(err, context.Canceled) || a.Contributions() != 0 {
			t.Errorf("%v: %v after %d contributions", p, err, a.Contributions())
		}
	}
}

// The polynomials agree with the profile to 1e-12 everywhere, through the star's own row and far from it, for gentle and steep
// profiles, centre-sampled and integrated.
func TestRowsFollowTheProfile(t *testing.T) {
	t.Parallel()
	set, _ := kern.Pick("")
	for _, in := range []struct{ fwhm, beta float64 }{{2.7, 4.5}, {2.7, 1.2}, {0.8, 2.5}, {9, 30}} {
		for _, s := range []psf.Sampling{psf.Centre, psf.Pixel} {
			f := newPSF(t, in.fwhm, in.beta, s)
			var tables *radial
			if f.Beta <= steepest {
				tables = newRadial(f)
			}
			w := newWing(f, tables, set)
			for _, dy := range []float64{0, 0.3, -7.8, 61.2, 900} {
				out := make([]float64, 1500, 1500+kern.PolyBlock)
				w.row(out, -700.4, dy)
				for i := 0; i < len(out); i += 1 + i%7 {
					want := f.At(-700.4+float64(i), dy)
					if !(math.Abs(out[i]-want) <= 1e-12*want) {
						t.Fatalf("%+v %v, (%v, %v): got %v, want %v, off by %.2g", in, s, -700.4+float64(i), dy, out[i], want, out[i]/want-1)
					}
				}
			}
		}
	}
}

// A frame of direct events is the plain sum, by any number of threads, beyond one batch too.
func TestAdderIsThePlainSum(t *testing.T) {
	t.Parallel()
	f := newPSF(t, 2.7, 4.5, psf.Centre)
	const w, h = 90, 50
	want := hdr.NewFrame(w, h)
	var frames []*hdr.Frame
	for _, threads := range []int{1, 3} {
		a := New(sink.Config{W: w, H: h, PSF: f, Threads: threads})
		frames = append(frames, hdr.NewFrame(w, h))
		for i := range farBatch + 10 {
			e := eventAt(float64(i%131)-20.3, float64(i*7%61)-5.7, 12)
			add(t, a, &e)
			if threads == 1 {
				plain(want, f, &e)
			}
		}
		flush(t, a)
		a.AddTo(frames[len(frames)-1])
		if a.Events() != farBatch+10 || a.Contributions() == 0 || !(a.Seconds() > 0) {
			t.Errorf("counted %d events, %d contributions, %g s", a.Events(), a.Contributions(), a.Seconds())
		}
	}
	if d, err := hdr.Compare(frames[0], want, 0); err != nil || !(d.MaxRel <= 1e-12) {
		t.Errorf("not the plain sum: %+v %v", d, err)
	}
	if d, err := hdr.Compare(frames[1], frames[0], 0); err != nil || !d.Identical {
		t.Errorf("three threads differ from one: %+v %v", d, err)
	}
}

func eventAt(x, y, support float64) event.Event {
	return event.Event{X: x, Y: y, R: 1, G: 0.5, B: -0.25, Flux: 1e9, Support: support}
}

// Exact sums of direct events are the float64 ones to the quantum, and the same for any order.
func TestExactDirectEvents(t *testing.T) {
	t.Parallel()
	f := newPSF(t, 2.7, 4.5, psf.Centre)
	const w, h, n = 60, 40, 30
	events := make([]event.Event, n)
	for i := range events {
		events[i] = eventAt(float64(i*2), float64(i), 30)
		events[i].Flux = math.Pow(10, float64(i%20)) // past 2^62 quanta
	}
	hash := func(order func(i int) int) string {
		a := New(sink.Config{W: w, H: h, PSF: f, Precision: sink.Exact128, QuantumBits: 44, Threads: 2})
		for i := range events {
			add(t, a, &events[order(i)])
		}
		sums, frame, want := hdr.NewSums(w, h, 44), hdr.NewFrame(w, h), hdr.NewFrame(w, h)
		flush(t, a)
		a.MergeInto(sums)
		sums.Resolve(frame)
		for i := range events {
			plain(want, f, &events[i])
		}
		if d, err := hdr.Compare(frame, want, 1e-12); err != nil || !(d.MaxRel <= 1e-12) {
			t.Errorf("exact sums are not the float64 ones: %+v %v", d, err)
		}
		return sums.SHA256()
	}
	if a, b := hash(func(i int) int { return i }), hash(func(i int) int { return n - 1 - i }); a != b {
		t.Error("exact sums depend on the order of events")
	}
}

// BenchmarkDirect adds events of radius 2,000 px to a 4K frame.
func BenchmarkDirect(b *testing.B) {
	for _, p := range []sink.Precision{sink.F64, sink.Exact128} {
		b.Run(fmt.Sprint(p), func(b *testing.B) {
			a := New(sink.Config{W: 3840, H: 2160, PSF: newPSF(b, 2.7, 4.5, psf.Centre), Precision: p, QuantumBits: 44})
			for i := range b.N {
				e := eventAt(float64(i*997%3840), float64(i*613%2160), 2000)
				add(b, a, &e)
			}
			flush(b, a)
			n := a.Contributions()
			b.ReportMetric(b.Elapsed().Seconds()/float64(n)*1e9, "ns/pixel")
		})
	}
}
