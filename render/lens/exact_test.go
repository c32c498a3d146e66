package lens

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactSign is det(s, p, q) and its ties in rational numbers.
func exactSign(s, p, q Vec) int {
	rat := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	minor := func(i int) *big.Rat {
		j, k := (i+1)%3, (i+2)%3
		return new(big.Rat).Sub(new(big.Rat).Mul(rat(p[j]), rat(q[k])), new(big.Rat).Mul(rat(p[k]), rat(q[j])))
	}
	sum := new(big.Rat)
	for i := range 3 {
		sum.Add(sum, new(big.Rat).Mul(rat(s[i]), minor(i)))
	}
	if sum.Sign() != 0 {
		return sum.Sign()
	}
	for i := range 3 {
		if sign := minor(i).Sign(); sign != 0 {
			return sign
		}
	}
	return 0
}

func TestSidesAreExact(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 3))
	vec := func() Vec { return Vec{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
	ties := 0
	for n := range 5000 {
		p, q := vec(), vec()
		var s Vec
		switch n % 5 {
		case 0:
			s = vec()
		case 1: // on the edge, but for rounding
			s = unit(add(scale(rng.Float64(), p), scale(rng.Float64(), q)))
		case 2: // exactly on the edge
			s = add(p, q)
			if f := 1.0 / (1 << 30); true { // few bits, so that sums and products are exact
				for i := range 3 {
					p[i], q[i] = math.Round(p[i]/f/1024)*f*1024, math.Round(q[i]/f/1024)*f*1024
				}
				s = add(p, q)
			}
		case 3: // a vertex
			s = p
		case 4: // parallel, and flat in a coordinate plane
			p[rng.IntN(3)], q[rng.IntN(3)] = 0, 0
			s = scale(2, p)
			if rng.IntN(2) == 0 {
				q = scale(-4, p)
			}
		}
		want := exactSign(s, p, q)
		if got := sideOf(s, p, q); got != want {
			t.Fatalf("sideOf(%v, %v, %v) = %d, want %d", s, p, q, got, want)
		}
		if got := sideOf(s, q, p); got != -want {
			t.Fatalf("sideOf(%v, %v, %v) = %d, want %d", s, q, p, got, -want)
		}
		if volumeSign(s, p, q) == 0 {
			ties++
		}
	}
	if ties < 1000 {
		t.Errorf("only %d ties were tried", ties)
	}
}

func FuzzSideOf(f *testing.F) {
	f.Add(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0)
	f.Add(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
	f.Fuzz(func(t *testing.T, a, b, c, d, e, g, h, i, j float64) {
		s, p, q := Vec{a, b, c}, Vec{d, e, g}, Vec{h, i, j}
		for _, v := range []Vec{s, p, q} {
			if !(norm(v) < 1e30) {
				return
			}
		}
		s, p, q = flush(s), flush(p), flush(q)
		if got, want := sideOf(s, p, q), exactSign(s, p, q); got != want {
			t.Fatalf("sideOf(%v, %v, %v) = %d, want %d", s, p, q, got, want)
		}
	})
}
