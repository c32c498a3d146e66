package lens

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"grsplat/render/healpix"
)

func sameMode(t *testing.T, m *Map, pos []Vec) {
	t.Helper()
	w := locate(t, m)
	for _, order := range []int{3, 8, 14, 20} {
		cells := make([]uint64, len(pos))
		for i, v := range pos {
			cells[i] = healpix.Pixel(order, v)
		}
		s := Stars{Pos: pos, Cell: cells, Order: order}
		images, tasks := w.Match(ModeStar, s, nil), w.Tasks(ModeStar, s, nil)
		if !slices.IsSortedFunc(images, func(a, b Image) int { return cmp.Or(cmp.Compare(a.Star, b.Star), cmp.Compare(a.Tri, b.Tri)) }) {
			t.Fatal("images are not sorted")
		}
		if len(images) == 0 || len(tasks) < len(images) {
			t.Fatalf("%d tasks, %d images", len(tasks), len(images))
		}
		for mode := ModeDefault; mode <= ModeClass; mode++ {
			if got := w.Match(mode, s, nil); !slices.Equal(got, images) {
				t.Errorf("mode %d, order %d: %d images, not the same %d", mode, order, len(got), len(images))
			}
			if got := w.Tasks(mode, s, nil); !slices.Equal(got, tasks) {
				t.Errorf("mode %d, order %d: %d tasks, not the same %d", mode, order, len(got), len(tasks))
			}
		}
		if got := w.Match(ModeClass, Stars{Pos: pos}, nil); !slices.Equal(got, images) {
			t.Errorf("mode 3 without cells: %d images, not the same %d", len(got), len(images))
		}
		for _, i := range images {
			if !w.Occupied(order, cells[i.Star]) {
				t.Fatalf("the cell of star %d is said to be empty", i.Star)
			}
		}
	}
}

func TestModesFindTheSame(t *testing.T) {
	t.Parallel()
	tan := frame(96, 54, Tan)
	car := frame(96, 48, Car)
	pos := append(randomDirections(4, 1200), around(orion.Look(), 0.4, 1500)...)
	sameMode(t, build(t, Params{Camera: tan, Spacetime: Spec{Name: Minkowski}, Margin: 10}), pos)
	sameMode(t, build(t, Params{Camera: tan, Spacetime: blackHole(30, tan), Margin: 10}), pos)
	sameMode(t, build(t, Params{Camera: car, Spacetime: blackHole(2.5, car)}), pos)
}

// around returns directions within an angle of a centre.
func around(centre Vec, angle float64, n int) []Vec {
	rng := rand.New(rand.NewPCG(12, 12))
	out := make([]Vec, n)
	for i := range out {
		offset := Vec{rng.Float64() - 0.5, rng.Float64() - 0.5, rng.Float64() - 0.5}
		out[i] = unit(add(centre, scale(angle*2/math.Sqrt(3), offset)))
	}
	return out
}

// Every image is found by looking at every triangle, too.
func TestTheIndexMissesNothing(t *testing.T) {
	t.Parallel()
	c := frame(50, 25, Car)
	m := build(t, Params{Camera: c, Spacetime: blackHole(5, c), Depth: 10})
	w := locate(t, m)
	pos := randomDirections(21, 150)
	for _, i := range []int{0, len(m.Vertex) / 2, len(m.Vertex) - 1} {
		pos = append(pos, m.Vertex[i].Sky)
	}
	var want []Image
	for star := range pos {
		for tri := range m.Triangle {
			want = w.test(want, int32(star), int32(tri), &pos[star])
		}
	}
	if got := w.Match(ModeDefault, Stars{Pos: pos}, nil); !slices.Equal(got, want) {
		t.Errorf("%d images, want %d", len(got), len(want))
	}
}

func TestMatchDoesNotAllocate(t *testing.T) {
	c := frame(100, 50, Car)
	w := locate(t, build(t, Params{Camera: c, Spacetime: blackHole(20, c), Depth: 10}))
	pos := randomDirections(2, 3000)
	var out []Image
	for mode := ModeStar; mode <= ModeClass; mode++ {
		s := Stars{Pos: pos}
		out = w.Match(mode, s, out[:0])
		if n := testing.AllocsPerRun(5, func() { out = w.Match(mode, s, out[:0]) }); n != 0 {
			t.Errorf("mode %d allocates %v times", mode, n)
		}
	}
}

// BenchmarkMatch measures the four modes on the inputs that tell them apart: stars of one dense cell, of 32 cells, of 512 random
// cells, and scattered ones; and a catalogue ordered by cell. Most of the sky is out of a 60-degree field.
func BenchmarkMatch(b *testing.B) {
	tan := frame(1920, 1080, Tan)
	car := frame(3840, 1920, Car)
	for _, c := range []struct {
		name  string
		m     *Map
		stars Stars
	}{
		{"tan/dense", build(b, Params{Camera: tan, Spacetime: blackHole(30, tan), Margin: 47}), inCells(1, 32768)},
		{"tan/32", build(b, Params{Camera: tan, Spacetime: blackHole(30, tan), Margin: 47}), inCells(32, 32768)},
		{"tan/512", build(b, Params{Camera: tan, Spacetime: blackHole(30, tan), Margin: 47}), inCells(512, 32768)},
		{"tan/scattered", build(b, Params{Camera: tan, Spacetime: blackHole(30, tan), Margin: 47}), inCells(0, 4096)},
		{"car/ordered", build(b, Params{Camera: car, Spacetime: blackHole(30, car)}), inCells(1<<20, 1<<20)},
	} {
		l, err := NewLocator(b.Context(), c.m, 0)
		if err != nil {
			b.Fatal(err)
		}
		for mode := ModeStar; mode <= ModeClass; mode++ {
			b.Run(fmt.Sprintf("%s/mode=%d", c.name, mode), func(b *testing.B) {
				w := l.NewWorker()
				var out []Image
				for b.Loop() {
					out = w.Match(mode, c.stars, out[:0])
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(len(c.stars.Pos)), "ns/star")
				b.ReportMetric(float64(len(out))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mimages/s")
			})
		}
	}
}

// inCells returns n stars in some random cells of order 7, ordered by cell; with 0 cells they are scattered and unordered.
func inCells(cells, n int) Stars {
	const order = 7
	rng := rand.New(rand.NewPCG(31, uint64(cells)))
	s := Stars{Order: 12}
	if cells == 0 || cells >= n {
		s.Pos = randomDirections(uint64(n), n)
	} else {
		for range cells {
			centre := healpix.Center(order, rng.Uint64N(healpix.Cells(order)))
			if cells == 1 {
				centre = Direction(orion.RA+15, orion.Dec) // off the caustic, where a star has hundreds of images
			}
			s.Pos = append(s.Pos, around(centre, healpix.Radius(order)/2, n/cells)...)
		}
	}
	if cells > 0 {
		slices.SortFunc(s.Pos, func(a, b Vec) int { return cmp.Compare(healpix.Pixel(12, a), healpix.Pixel(12, b)) })
	}
	for _, v := range s.Pos {
		s.Cell = append(s.Cell, healpix.Pixel(12, v))
	}
	return s
}
