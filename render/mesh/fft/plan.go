package fft

import "math"

// A Plan holds the twiddle factors of one length.
type Plan struct {
	N int
	// Forward and Inverse are the tables in the order in which the transforms read them: for each stage and each j below a
	// quarter of its span L, w^j, w^2j, w^3j with w = exp(-2 pi i/L) (conjugate for Inverse), as (re, im) pairs.
	Forward, Inverse []float64
	// Order[i] is the frequency at row i of a transform.
	Order []int
}

// NewPlan returns the plan of length n, a power of two, at least 4.
func NewPlan(n int) *Plan {
	p := &Plan{N: n, Order: order(n)}
	var stages [][]float64
	for span := n; span > 4; span /= 4 {
		var t []float64
		for j := range span / 4 {
			for m := 1; m <= 3; m++ {
				sin, cos := math.Sincos(2 * math.Pi * float64(j*m) / float64(span))
				t = append(t, cos, -sin)
			}
		}
		stages = append(stages, t)
		p.Forward = append(p.Forward, t...)
	}
	for i := len(stages) - 1; i >= 0; i-- {
		for k, v := range stages[i] {
			if k%2 == 1 {
				v = -v
			}
			p.Inverse = append(p.Inverse, v)
		}
	}
	if p.Forward == nil { // n = 4 reads none, but a kernel wants an address
		p.Forward, p.Inverse = make([]float64, 6), make([]float64, 6)
	}
	return p
}

// order lists the frequencies of a decimation in frequency of length n: quarter m holds the frequencies 4k+m in the order of
// the length n/4.
func order(n int) []int {
	if n <= 2 {
		return []int{0, 1}[:n]
	}
	sub := order(n / 4)
	out := make([]int, 0, n)
	for m := range 4 {
		for _, k := range sub {
			out = append(out, 4*k+m)
		}
	}
	return out
}
