package kern_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"grsplat/render/psf"
	"grsplat/render/sink/cpu/kern"
)

// A bench is a tile, four grids and an event to add.
type scene struct {
	tile  []float64
	table *kern.Table
	args  kern.Args
	spans []kern.Span
}

func smallPSF(t testing.TB) *psf.PSF {
	t.Helper()
	p := psf.Defaults()
	p.CacheRadius = 20
	f, err := psf.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// newScene has one span per row; lengths and starts are given by the row. Grids hold values of many magnitudes, denormals too.
func newScene(tile []float64, k *kern.Table, starts, lengths func(y int) int, rows int) *scene {
	s := &scene{tile: tile, table: k}
	s.args = kern.Args{Tile: &tile[0], Src: 0, Stride: k.Stride, K: k.Grids(3, 4)}
	s.args.W = [12]float64{0.1, 0.2, 0.3, 0.4, 1.5, -0.7, 2.25, 1e-3, 5, 6, -7, 1e-9}
	for y := range rows {
		s.spans = append(s.spans, kern.Span{X0: int32(starts(y)), N: int32(lengths(y))})
	}
	return s
}

func noise(r *rand.Rand, v []float64) {
	for i := range v {
		v[i] = r.NormFloat64()
	}
}

// operations name what every level must do alike; exact ones to the bit.
func operations(s *kern.Set) map[string]func([]kern.Span, *kern.Args) {
	return map[string]func([]kern.Span, *kern.Args){"stamp": s.Stamp, "exact": s.Exact, "exact-wide": s.ExactWide, "cell": s.Cell}
}

// Every level equals plain Go on every start and every length of a row, without touching a pixel outside the spans.
func TestRowsOfEveryStartAndLength(t *testing.T) {
	table := kern.NewTable(smallPSF(t).Kernel)
	plain, _ := kern.Pick("generic")
	for _, set := range kern.Available() {
		for name, op := range operations(&set) {
			t.Run(set.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(1, 2))
				got, want := alignedTile(), alignedTile()
				for length := 0; length <= 42; length++ {
					noise(r, got)
					if name[0] == 'e' { // integers far below overflow
						for i := range got {
							got[i] = math.Float64frombits(uint64(r.Int64N(1<<60) - 1<<59))
						}
					}
					copy(want, got)
					start := func(y int) int { return y % (kern.TileW - 42) }
					one := newScene(got, table, start, func(int) int { return length }, kern.TileH)
					ref := newScene(want, table, start, func(int) int { return length }, kern.TileH)
					scaleColours(name, &one.args, &ref.args)
					one.args.Src, ref.args.Src = -30, -30+0 // rows walk down the grid; lit weights stay inside
					one.args.Stride, ref.args.Stride = table.Stride-1, table.Stride-1
					one.args.Src, ref.args.Src = 0, 0
					op(one.spans[:20], &one.args)
					operations(&plain)[name](ref.spans[:20], &ref.args)
					compareTiles(t, name[0] == 'e', got, want)
				}
			})
		}
	}
}

func scaleColours(name string, all ...*kern.Args) {
	scale := map[string]float64{"exact": 0x1p44, "exact-wide": 0x1p60}[name]
	if scale == 0 {
		return
	}
	for _, a := range all {
		for c := range 3 {
			a.W[4+c] *= scale
		}
	}
}

func alignedTile() []float64 {
	buf := make([]float64, kern.TileLen+8)
	skip := int(-uintptr(unsafe.Pointer(&buf[0])) % 64 / 8)
	return buf[skip : skip+kern.TileLen]
}

func compareTiles(t *testing.T, bits bool, got, want []float64) {
	t.Helper()
	for i, w := range want {
		same := math.Float64bits(got[i]) == math.Float64bits(w)
		if !same && (bits || !(math.Abs(got[i]-w) <= 1e-14*(1+math.Abs(w)))) {
			t.Fatalf("element %d: got %v (%#x), want %v (%#x)", i, got[i], math.Float64bits(got[i]), w, math.Float64bits(w))
		}
	}
}

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
			t.Skip()
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
