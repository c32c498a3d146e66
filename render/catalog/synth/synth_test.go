package synth

import (
	"context"
	"math"
	"slices"
	"testing"

	"grsplat/render/catalog"
)

func read(t testing.TB, n int64, seed uint64, workers int) (stars []catalog.Star, st catalog.Stats) {
	t.Helper()
	src, err := Open(n, seed, "synthetic", catalog.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	err = src.Read(context.Background(), func(b []catalog.Star) error { stars = append(stars, b...); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return stars, src.Stats()
}

// A star depends on seed and number alone: not on workers, and not on how many follow.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	one, st := read(t, 20000, 1, 1)
	three, _ := read(t, 30000, 1, 3)
	if st.Stars != 20000 || st.Rows != 20000 || st.Band != "J" {
		t.Errorf("%+v", st)
	}
	if n := 20000 / pieceStars * pieceStars; !slices.Equal(one[:n], three[:n]) {
		t.Error("other stars with more of them, or more workers")
	}
	if other, _ := read(t, 1000, 2, 1); slices.Equal(other, one[:1000]) {
		t.Error("another seed makes the same stars")
	}
}

// The sky looks like ours: crowded in the plane and towards the centre, and counts that rise with magnitude by 2MASS's slope of
// about 0.3 dex per magnitude.
func TestLooksLikeTheSky(t *testing.T) {
	t.Parallel()
	stars, st := read(t, 40000, 5, 2)
	pole, centre := catalog.UnitVector(192.85948, 27.12825), catalog.UnitVector(266.405, -28.936)
	plane, inner := 0, 0
	for _, s := range stars {
		sinB, toward := 0.0, 0.0
		for i := range s.Pos {
			sinB += s.Pos[i] * pole[i]
			toward += s.Pos[i] * centre[i]
		}
		if math.Abs(sinB) < math.Sin(10*math.Pi/180) {
			plane++
		}
		if toward > 0 {
			inner++
		}
	}
	if f := float64(plane) / float64(len(stars)); f < 0.4 || f > 0.9 {
		t.Errorf("%.2f of the stars lie within 10 degrees of the plane", f)
	}
	if f := float64(inner) / float64(len(stars)); f < 0.6 || f > 0.95 {
		t.Errorf("%.2f of the stars lie in the inner half of the sky", f)
	}
	if d := st.Magnitudes.Quantile(0.1) - st.Magnitudes.Quantile(0.01); d < 1 || d > 5 {
		t.Errorf("tenfold counts take %g magnitudes", d)
	}
}

func BenchmarkSynth(b *testing.B) {
	for b.Loop() {
		read(b, 200_000, 1, 1)
	}
	b.ReportMetric(0.2*float64(b.N)/b.Elapsed().Seconds(), "Mstars/s")
}
