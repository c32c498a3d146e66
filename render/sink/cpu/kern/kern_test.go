package kern_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"grsplat/render/psf"
	"grsplat/render/sink/cpu/kern"
)

// Spans are psf.Disc's, at every level, for centres and radii that put pixels on the circle too.
func TestSpansAreTheFootprint(t *testing.T) {
	for _, set := range kern.Available() {
		t.Run(set.Name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(3, 4))
			for range 3000 {
				d := randomDisc(r)
				checkSpans(t, set, d)
			}
		})
	}
}

func randomDisc(r *rand.Rand) kern.Disc {
	d := kern.Disc{X: 300 * (r.Float64() - 0.2), Y: 200 * (r.Float64() - 0.2), Support: 60 * r.Float64()}
	switch r.IntN(4) {
	case 0: // many pixels exactly on the circle
		d.X, d.Y, d.Support = math.Floor(d.X), math.Floor(d.Y), []float64{0, 1, 5, 25, 50, 65}[r.IntN(6)]
	case 1: // a circle that ends at a rounding from a row's pixels
		d.Y = math.Floor(d.Y)
		d.Support = math.Nextafter(math.Floor(d.Support), float64(100*r.IntN(2)))
	case 2:
		d.X = math.Nextafter(math.Floor(d.X), 1e9)
	}
	d.X0 = float64(128 * r.IntN(2))
	d.X1 = d.X0 + float64(r.IntN(128))
	d.J0 = float64(r.IntN(100))
	d.J1 = d.J0 + float64(r.IntN(64))
	return d
}

func checkSpans(t *testing.T, set kern.Set, d kern.Disc) {
	t.Helper()
	var out [kern.TileH + kern.SpanPad]kern.Span
	total := set.Spans(out[:], &d)
	disc := psf.NewDisc(d.X, d.Y, d.Support, int(d.X1)+1, 1000)
	sum := 0
	for j := int(d.J0); j <= int(d.J1); j++ {
		lo, hi := disc.Row(j)
		lo = max(lo, int(d.X0))
		n := max(hi-lo+1, 0)
		sum += n
		s := out[j-int(d.J0)]
		if int(s.N) != n || n > 0 && int(s.X0) != lo-int(d.X0) {
			t.Fatalf("%+v row %d: got %+v, want %d pixels from %d", d, j, s, n, lo-int(d.X0))
		}
	}
	if total != sum {
		t.Fatalf("%+v: got %d pixels, want %d", d, total, sum)
	}
}

// FuzzSpans looks for a circle whose vector spans are not the footprint.
func FuzzSpans(f *testing.F) {
	f.Add(10.5, 3.25, 7.0, uint8(3), uint8(60))
	f.Fuzz(func(t *testing.T, x, y, support float64, j0, rows uint8) {
		if !(math.Abs(x) < 1e5 && math.Abs(y) < 1e5 && support >= 0 && support <= psf.MaxCacheRadius) {
			return // outside what a star image can be
		}
		for _, set := range kern.Available() {
			checkSpans(t, set, kern.Disc{X: x, Y: y, Support: support, J0: float64(j0), J1: float64(j0) + float64(rows%kern.TileH), X1: 127})
		}
	})
}

// A rim sums exactly the stars that light each pixel.
func TestRim(t *testing.T) {
	for _, set := range kern.Available() {
		for _, m := range []int{0, 1, 2, 7, 300} {
			t.Run(fmt.Sprintf("%s/%d", set.Name, m), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(uint64(m), 5))
				stars := make([]kern.Star, m)
				for i := range stars {
					stars[i] = kern.Star{X: 40 + r.Float64()/8, Y: 30 + r.Float64()/8, S2: 20 * 20, B: [4]float64{r.Float64(), r.Float64(), r.Float64(), r.Float64()}, F: [3]float64{1, r.Float64(), -2}}
				}
				var got, want kern.Rim
				fillRim(r, &want)
				got = want
				plain, _ := kern.Pick("generic")
				n := kern.RimLen - kern.Pad
				g, w := set.Rim(&got, n, stars), plain.Rim(&want, n, stars)
				if g != w {
					t.Fatalf("got %d lit, want %d", g, w)
				}
				for c := range want.Out {
					for i := range n {
						if !(math.Abs(got.Out[c][i]-want.Out[c][i]) <= 1e-12*(1+math.Abs(want.Out[c][i]))) {
							t.Fatalf("colour %d pixel %d: got %v, want %v", c, i, got.Out[c][i], want.Out[c][i])
						}
					}
				}
			})
		}
	}
}

func fillRim(r *rand.Rand, rim *kern.Rim) {
	for i := range rim.I {
		s, c := math.Sincos(2 * math.Pi * float64(i) / kern.RimLen)
		rim.I[i], rim.J[i] = math.Round(40+20*c), math.Round(30+20*s)
		for k := range rim.K {
			rim.K[k][i] = r.Float64()
		}
	}
}

func TestPick(t *testing.T) {
	if _, ok := kern.Pick("no-such-level"); ok {
		t.Error("an unknown level was picked")
	}
	best, ok := kern.Pick("")
	if all := kern.Available(); !ok || best.Name != all[len(all)-1].Name {
		t.Errorf("got %q, want the last of the available levels", best.Name)
	}
}

// The common and reached spans bracket every disc of the box, at every level.
func TestRingsBracketTheDiscs(t *testing.T) {
	for _, set := range kern.Available() {
		t.Run(set.Name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(6, 7))
			for range 500 {
				checkRing(t, r, set)
			}
		})
	}
}

func checkRing(t *testing.T, r *rand.Rand, set kern.Set) {
	t.Helper()
	d := randomDisc(r)
	ring := kern.Ring{
		X0: d.X, Y0: d.Y, X1: d.X + r.Float64()/8, Y1: d.Y + r.Float64()/8, Least: d.Support, Most: d.Support + 0.2*r.Float64(),
		J0: d.J0, J1: d.J1, C0: d.X0, C1: d.X1, Slack: 1e-5,
	}
	var common, reach [kern.TileH + kern.SpanPad]kern.Span
	set.Ring(common[:], reach[:], &ring)
	for i := range 20 {
		d.X, d.Y = ring.X0+r.Float64()*(ring.X1-ring.X0), ring.Y0+r.Float64()*(ring.Y1-ring.Y0)
		d.Support = ring.Least + r.Float64()*(ring.Most-ring.Least)
		if i < 4 { // the corners of the box
			d.X, d.Y = []float64{ring.X0, ring.X1}[i%2], []float64{ring.Y0, ring.Y1}[i/2]
		}
		disc := psf.NewDisc(d.X, d.Y, d.Support, int(d.X1)+1, 1000)
		for j := int(d.J0); j <= int(d.J1); j++ {
			lo, hi := disc.Row(j)
			lo, hi = max(lo, int(d.X0))-int(d.X0), hi-int(d.X0)
			in, out := common[j-int(d.J0)], reach[j-int(d.J0)]
			if in.N > 0 && (int(in.X0) < lo || int(in.X0+in.N-1) > hi) || lo <= hi && (int(out.X0) > lo || int(out.X0+out.N-1) < hi) {
				t.Fatalf("%+v row %d: disc at %v,%v lights %d..%d, common %+v, reached %+v", ring, j, d.X, d.Y, lo, hi, in, out)
			}
		}
	}
}
