package healpix

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func fromDegrees(lon, lat float64) [3]float64 {
	sl, cl := math.Sincos(lon * math.Pi / 180)
	sb, cb := math.Sincos(lat * math.Pi / 180)
	return [3]float64{cb * cl, cb * sl, sb}
}

func randomDirection(rng *rand.Rand) [3]float64 {
	z := 2*rng.Float64() - 1
	sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
	rho := math.Sqrt(1 - z*z)
	return [3]float64{rho * cos, rho * sin, z}
}

func TestKnownValues(t *testing.T) {
	t.Parallel()
	// astropy-healpix 2.0.1: HEALPix(2**order, 'nested').lonlat_to_healpix and
	// healpix_to_lonlat, degrees.
	for _, c := range []struct {
		order              int
		lon, lat           float64
		pix                uint64
		centreLon, centreB float64
	}{
		{0, 10.0, 0.0, 4, 0, 0},
		{0, 45.0, 60, 0, 45, 41.8103148957786},
		{3, 266.4, -28.94, 450, 264.375, -30},
		{5, 101.287, -16.716, 5235, 101.25, -15.7138610480082},
		{8, 279.2347, 38.7837, 238502, 279.31640625, 38.6821874534894},
		{12, 0.0001, 89.9999, 16777215, 45, 89.9885786601193},
		{12, 123.0, -89.99999, 150994944, 135, -89.9885786601193},
		{16, 359.9999, 1e-05, 19685266773, 359.999313354492, 0},
		{20, 180.5, 41.9, 2932016903300, 180.500023405981, 41.8999809056774},
		{29, 12.3456789, -41.23456789, 2493553324372530788, 12.3456788621843, -41.2345679181028},
		{29, 269.452, 4.6934, 2236416069017840973, 269.451999971643, 4.6934000254155},
	} {
		if got := Pixel(c.order, fromDegrees(c.lon, c.lat)); got != c.pix {
			t.Errorf("order %d (%v, %v): cell %d, want %d", c.order, c.lon, c.lat, got, c.pix)
		}
		if d := angle(Center(c.order, c.pix), fromDegrees(c.centreLon, c.centreB)); !(d < 1e-13) {
			t.Errorf("order %d cell %d: centre is %g rad away", c.order, c.pix, d)
		}
	}
}

func TestCentreLiesInItsCell(t *testing.T) {
	t.Parallel()
	for order := range 6 {
		for pix := range Cells(order) {
			if got := Pixel(order, Center(order, pix)); got != pix {
				t.Fatalf("order %d: centre of %d lies in %d", order, pix, got)
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		order := rng.IntN(MaxOrder + 1)
		pix := rng.Uint64N(Cells(order))
		if got := Pixel(order, Center(order, pix)); got != pix {
			t.Fatalf("order %d: centre of %d lies in %d", order, pix, got)
		}
	}
}

func TestCellsAreEqualInAreaAndNested(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	const n, order = 96000, 2
	count := make([]int, Cells(order))
	for i := range n {
		v := randomDirection(rng)
		count[Pixel(order, v)]++
		for o := range MaxOrder {
			if i%16 != 0 {
				break
			}
			a, b := Pixel(o, v), Pixel(o+1, v)
			if a != b>>2 {
				t.Fatalf("%v: order %d cell %d is not in order %d cell %d", v, o+1, b, o, a)
			}
		}
	}
	mean := float64(n) / float64(len(count))
	for pix, c := range count {
		if math.Abs(float64(c)-mean) > 5*math.Sqrt(mean) {
			t.Errorf("cell %d has %d of %.0f directions", pix, c, mean)
		}
	}
}

func TestRadiusHoldsEveryPoint(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	for order := range 12 {
		reach, worst := Radius(order), 0.0
		for range 20000 {
			v := randomDirection(rng)
			worst = max(worst, angle(v, Center(order, Pixel(order, v))))
		}
		if worst > reach || (order < 4 && worst < 0.8*reach) {
			t.Errorf("order %d: farthest point %g, radius %g", order, worst, reach)
		}
	}
}

func TestConeMissesNothing(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		order := rng.IntN(7)
		centre := randomDirection(rng)
		radius := math.Pi * math.Pow(rng.Float64(), 4)
		list := Cone(order, centre, radius)
		if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
			t.Fatal("the list is not ascending")
		}
		for range 300 {
			v := randomDirection(rng)
			_, found := slices.BinarySearch(list, Pixel(order, v))
			if d := angle(v, centre); !found && d <= radius {
				t.Fatalf("order %d, radius %g: cell of a direction at %g is missing", order, radius, d)
			}
		}
		for _, pix := range list {
			if angle(Center(order, pix), centre) > radius+Radius(order) {
				t.Fatalf("order %d, radius %g: cell %d is far outside", order, radius, pix)
			}
		}
	}
	if got := len(Cone(3, [3]float64{0, 0, 2}, 4)); got != int(Cells(3)) {
		t.Errorf("the whole sphere has %d cells", got)
	}
	if Cone(3, [3]float64{0, 0, 1}, -1) != nil || Cone(3, [3]float64{0, 0, 1}, math.NaN()) != nil {
		t.Error("a negative radius lists cells")
	}
}

func TestPolesAndSeam(t *testing.T) {
	t.Parallel()
	for _, v := range [][3]float64{{0, 0, 1}, {0, 0, -1}, {1, 0, 0}, {-1, 0, 0}, {-1, math.Copysign(0, -1), 0},
		{1, -1e-300, 0}, {1, 1e-300, 0}, {0, 1, 0}, {1e-200, 0, 1}, {0, -1, 0}, {5, 0, 0}} {
		for order := range MaxOrder + 1 {
			pix := Pixel(order, v)
			if pix >= Cells(order) {
				t.Fatalf("%v: cell %d of order %d does not exist", v, pix, order)
			}
		}
	}
}

func FuzzPixel(f *testing.F) {
	f.Add(1.0, 0.0, 0.0, 5)
	f.Add(0.0, 0.0, -1.0, 29)
	f.Add(math.NaN(), 1.0, 1.0, 3)
	f.Fuzz(func(t *testing.T, x, y, z float64, order int) {
		if order < 0 || order > MaxOrder {
			return
		}
		v := [3]float64{x, y, z}
		pix := Pixel(order, v)
		if pix >= Cells(order) {
			t.Fatalf("%v: cell %d of order %d does not exist", v, pix, order)
		}
		norm := math.Sqrt(x*x + y*y + z*z)
		if !(norm > 1e-100 && norm < 1e100) {
			return
		}
		for i := range v {
			v[i] /= norm
		}
		if d := angle(v, Center(order, pix)); !(d <= Radius(order)+1e-15) {
			t.Fatalf("%v: centre of its cell of order %d is %g away", v, order, d)
		}
	})
}

func BenchmarkPixel(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	v := make([][3]float64, 4096)
	for i := range v {
		v[i] = randomDirection(rng)
	}
	var sum uint64
	for i := 0; b.Loop(); i++ {
		sum += Pixel(12, v[i&4095])
	}
	_ = sum
}
