package hdr

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exact returns hi*2^64 + lo.
func exact(hi int64, lo uint64) *big.Int {
	v := new(big.Int).Lsh(big.NewInt(hi), 64)
	return v.Add(v, new(big.Int).SetUint64(lo))
}

// roundEven returns c*2^k rounded to nearest even in arbitrary precision.
func roundEven(c float64, k int) *big.Int {
	v := new(big.Float).SetPrec(2200).SetFloat64(c)
	v.SetMantExp(v, k)
	twice, _ := new(big.Float).SetPrec(2200).SetMantExp(v, 1).Int(nil) // towards zero
	exactTwice := new(big.Float).SetPrec(2200).SetInt(twice).Cmp(new(big.Float).SetPrec(2200).SetMantExp(v, 1)) == 0
	q := new(big.Int).Quo(twice, big.NewInt(2))
	if twice.Bit(0) == 1 { // at or beyond the half
		if !exactTwice || q.Bit(0) == 1 {
			q.Add(q, big.NewInt(int64(twice.Sign())))
		}
	}
	return q
}

func TestQuantise(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	values := []float64{0, 1, -1, 0.5, 1.5, -0.5, 2.5, -2.5, 0x1p-45, 0x1.8p-44, 0x1p18, -0x1p18, 0x1p19, 0x1.fffffffffffffp17, -0x1.fffffffffffffp60, 0x1p70, 5e-324}
	for range 20000 {
		values = append(values, math.Ldexp(r.Float64()-0.5, r.IntN(120)-50))
	}
	for _, c := range values {
		for _, k := range []int{0, 36, 44} {
			hi, lo := Quantise(c, k)
			if got, want := exact(hi, lo), roundEven(c, k); got.Cmp(want) != 0 {
				t.Fatalf("quantise %x at 2^-%d: %v, want %v", c, k, got, want)
			}
		}
	}
}

// Up to 2^126 quanta a contribution is exact: its mantissa lies across both words, and from 2^117 in the high one alone.
func TestQuantiseLarge(t *testing.T) {
	t.Parallel()
	for exp := 50; exp < 126; exp++ {
		for _, c := range []float64{math.Ldexp(0x1.fffffffffffffp0, exp), -math.Ldexp(0x1.0000000000001p0, exp)} {
			hi, lo := Quantise(c, 0)
			if got, want := exact(hi, lo), roundEven(c, 0); got.Cmp(want) != 0 {
				t.Errorf("quantise %x: %v, want %v", c, got, want)
			}
		}
	}
}

func TestQuantiseRefusesWhatHasNoSum(t *testing.T) {
	t.Parallel()
	for _, c := range []float64{math.NaN(), math.Inf(1), 1e30} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("quantise %g did not panic", c)
				}
			}()
			Quantise(c, 44)
		}()
	}
}

// One rounding: the float64 of a 128-bit sum is the nearest one, as math/big rounds.
func TestSumsResolve(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	s, f := NewSums(64, 64, 44), NewFrame(64, 64)
	for c := range s.Hi {
		for i := range s.Hi[c] {
			s.Hi[c][i], s.Lo[c][i] = int64(r.Uint64())>>r.IntN(64), r.Uint64()>>r.IntN(64)
		}
	}
	s.Hi[0][0], s.Lo[0][0] = math.MinInt64, 0
	s.Hi[0][1], s.Lo[0][1] = 1, 1<<10  // a tie at 2^64 that goes to even
	s.Hi[0][2], s.Lo[0][2] = -1, 1<<63 // -2^63
	s.Resolve(f)
	for c := range s.Hi {
		for i := range s.Hi[c] {
			v := new(big.Float).SetPrec(200).SetInt(exact(s.Hi[c][i], s.Lo[c][i]))
			want, _ := v.SetMantExp(v, -44).Float64()
			if f.Plane[c][i] != want {
				t.Fatalf("hi %d lo %d: %x, want %x", s.Hi[c][i], s.Lo[c][i], f.Plane[c][i], want)
			}
		}
	}
}

func TestSumsAnyOrder(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	values := make([]float64, 5000)
	for i := range values {
		values[i] = math.Ldexp(r.Float64()-0.5, r.IntN(60)-20)
	}
	digest := func() string {
		a, b := NewSums(3, 2, 44), NewSums(3, 2, 44)
		for i, v := range values {
			dst := a
			if i%3 == 0 {
				dst = b
			}
			hi, lo := Quantise(v, 44)
			dst.Add(1, 4, hi, lo)
		}
		a.Merge(b)
		return a.SHA256()
	}
	want := digest()
	r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	if got := digest(); got != want {
		t.Errorf("the order of additions changed the sums")
	}
	if empty := NewSums(3, 2, 44).SHA256(); empty == want || empty == NewSums(2, 3, 44).SHA256() {
		t.Errorf("digests of different sums agree")
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	a, b := NewFrame(4, 3), NewFrame(4, 3)
	for i := range b.Plane[0] {
		b.Plane[0][i], b.Plane[1][i] = float64(i+1), 1
	}
	for c := range a.Plane {
		copy(a.Plane[c], b.Plane[c])
	}
	if d, _ := Compare(a, b, 0); !d.Identical || d.MaxAbs != 0 || d.Pixels != 12 || d.Differing != 0 {
		t.Errorf("equal frames: %+v", d)
	}
	a.Plane[0][11] = 12.5 // of a peak of 12
	a.Plane[2][0] = 1e-3  // where the reference is black: an absolute error only
	d, _ := Compare(a, b, 0.1)
	if d.Identical || d.MaxAbs != 0.5 || d.MaxRel != 0.5/12 || d.Differing != 2 || d.MaxAbsPeak != 0.5/12 {
		t.Errorf("differing frames: %+v", d)
	}
	if !(math.Abs(d.FluxRelRGB[0]-0.5/78) <= 1e-15) || !math.IsInf(d.FluxRelRGB[2], 1) {
		t.Errorf("flux: %+v", d)
	}
	a.Plane[1][5] = math.NaN()
	if d, _ := Compare(a, b, 0); !math.IsNaN(d.MaxRel) || !math.IsNaN(d.MaxAbs) {
		t.Errorf("a NaN passed: %+v", d)
	}
	if _, err := Compare(a, NewFrame(3, 4), 0); err == nil {
		t.Error("frames of unequal size compared")
	}
}

func TestTotalIsCompensated(t *testing.T) {
	t.Parallel()
	f := NewFrame(1001, 1)
	f.Plane[0][0] = 1e16
	for i := 1; i <= 1000; i++ {
		f.Plane[0][i] = 1
	}
	if got := f.Total()[0]; got != 1e16+1000 {
		t.Errorf("total %.17g", got)
	}
}
