package kern_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"grsplat/render/sink/cpu/kern"
)

// operations name what every level must do alike; exact ones to the bit.
func operations(s *kern.Set) map[string]func([]kern.Span, *kern.Args) {
	return map[string]func([]kern.Span, *kern.Args){"stamp": s.Stamp, "exact": s.Exact, "exact-wide": s.ExactWide, "cell": s.Cell}
}

const (
	rowsUsed  = 20
	longest   = 43
	stride    = 48
	gridPages = 4
)

// A scene is rows to add: a tile and grids between guard pages.
type scene struct {
	tile, grid []float64
	args       kern.Args
	spans      []kern.Span
}

func newScene(t testing.TB) *scene {
	s := &scene{tile: guarded(t, kern.TileLen), grid: guarded(t, gridPages*512), spans: make([]kern.Span, rowsUsed)}
	s.args.W = [12]float64{0.1, 0.2, 0.3, 0.4, 1.5, -0.7, 2.25, 1e-3, 5, 6, -7, 1e-9}
	return s
}

// place sets spans of n pixels from column x on rows at the tile's first or last rows, whose weights begin Pad elements after
// the first page of the grids or end Pad elements before the last.
func (s *scene) place(x, n int, last bool) {
	for i := range s.spans {
		s.spans[i] = kern.Span{X0: int32(x), N: int32(n)}
	}
	s.args.Tile, s.args.Dst, s.args.Src, s.args.Stride = &s.tile[0], 0, -x, stride
	base := kern.Pad
	if last {
		s.args.Dst = (kern.TileH - rowsUsed) * kern.RowLen
		base = len(s.grid) - kern.Pad - ((rowsUsed-1)*s.args.Stride + n)
	}
	s.args.Src += base % 8
	for i := range s.args.K {
		s.args.K[i] = &s.grid[base&^7-8*i*min(1, (base-kern.Pad)/64)] // distinct grids where there is room
	}
}

// fill writes reproducible values of many magnitudes, denormals and zeros among them.
func (s *scene) fill(r *rand.Rand, integers bool) {
	for i := range s.grid {
		s.grid[i] = math.Ldexp(r.Float64(), []int{0, -3, -40, -1030, -1074, 0}[r.IntN(6)])
	}
	for i := range s.tile {
		s.tile[i] = r.NormFloat64()
		if integers { // far from overflow
			s.tile[i] = math.Float64frombits(uint64(r.Int64N(1<<60) - 1<<59))
		}
	}
}

// Every level equals plain Go on every start and every length of a row, and touches nothing outside the rows: not in the tile,
// nor beyond the guard pages.
func TestRowsOfEveryStartAndLength(t *testing.T) {
	plain, _ := kern.Pick("generic")
	for _, set := range kern.Available() {
		for name, op := range operations(&set) {
			t.Run(set.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				got, want := newScene(t), newScene(t)
				integers := strings.HasPrefix(name, "exact")
				scaleColours(name, got, want)
				r := rand.New(rand.NewPCG(1, 2))
				got.fill(r, integers)
				copy(want.grid, got.grid)
				copy(want.tile, got.tile)
				for n := 0; n <= longest; n++ {
					for _, x := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, kern.TileW - longest, kern.TileW - n} {
						for _, last := range []bool{false, true} {
							got.place(x, n, last)
							want.place(x, n, last)
							op(got.spans, &got.args)
							operations(&plain)[name](want.spans, &want.args)
						}
					}
					compareTiles(t, fmt.Sprintf("up to length %d", n), integers, got.tile, want.tile)
				}
			})
		}
	}
}

// scaleColours brings weights of 1 to integers near the limit of each exact function.
func scaleColours(name string, scenes ...*scene) {
	scale := map[string]float64{"exact": 0x1p48, "exact-wide": 0x1p54}[name]
	if scale == 0 {
		return
	}
	for _, s := range scenes {
		for c := range 3 {
			s.args.W[4+c] *= scale
		}
	}
}

func compareTiles(t *testing.T, what string, bits bool, got, want []float64) {
	t.Helper()
	for i, w := range want {
		same := math.Float64bits(got[i]) == math.Float64bits(w)
		if !same && (bits || !(math.Abs(got[i]-w) <= 1e-12*(1+math.Abs(w)))) {
			t.Fatalf("%s: element %d: got %v (%#x), want %v (%#x)", what, i, got[i], math.Float64bits(got[i]), w, math.Float64bits(w))
		}
	}
}

// Ties, the largest integers and negative ones: every exact function against math.RoundToEven.
func TestExactRoundsToEven(t *testing.T) {
	values := []float64{0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999999999999994, 1<<31 + 0.5, 1<<32 - 0.5, 3 << 31, 1<<49 + 0.5, -(1<<49 + 1.5), 5e-324}
	large := append(values, 1<<52+1, 1<<61-1<<9, -(1<<61 - 1<<9), 1<<53+1<<33+2)
	for _, set := range kern.Available() {
		for name, in := range map[string][]float64{"exact": values, "exact-wide": large} {
			s := newScene(t)
			s.args.W = [12]float64{1, 0, 0, 0, 1, -1, 2}
			s.place(5, len(in), false)
			clear(s.grid)
			copy(s.grid[kern.Pad:], in) // all four grids
			operations(&set)[name](s.spans[:1], &s.args)
			for i, v := range in {
				for c, f := range []float64{1, -1, 2} {
					got := int64(math.Float64bits(s.tile[c*kern.PlaneLen+5+i]))
					if want := int64(math.RoundToEven(v * f)); got != want && math.Abs(v*f) < 1<<62 {
						t.Errorf("%s %s: %v times %v: got %d, want %d", set.Name, name, v, f, got, want)
					}
				}
			}
		}
	}
}

// BenchmarkRows reports pixels a second of each kernel with everything in the first-level cache.
func BenchmarkRows(b *testing.B) {
	for _, set := range kern.Available() {
		for name, op := range operations(&set) {
			b.Run(set.Name+"/"+name, func(b *testing.B) {
				s := newScene(b)
				s.place(5, 40, false)
				rows := s.spans[:8]
				for b.Loop() {
					op(rows, &s.args)
				}
				b.ReportMetric(float64(b.N)*8*40/b.Elapsed().Seconds()/1e9, "Gpx/s")
			})
		}
	}
}
