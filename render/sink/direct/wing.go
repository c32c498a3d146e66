package direct

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"

	"grsplat/render/psf"
	"grsplat/render/sink/cpu/kern"
)

// A wing evaluates the weights of a row of pixels. Away from the star the profile is smooth on the scale of the distance, so
// a row is cut into segments of an eighth of it, and on each the profile is its Taylor polynomial.
//
// With q(d) = (q0 + q1 d + q2 d^2) = a^2 + dy^2 + (c+d)^2 the profile along a row is proportional to f = q^-beta, and from
// q f' = -beta q' f its coefficients at the segment's middle c follow:
//
//	n q0 f_n = -(n-1+beta) q1 f_(n-1) - (n-2+2 beta) q2 f_(n-2).
//
// The zeros of q lie rho = sqrt(a^2+dy^2+c^2) from c, so on a segment of half length h = rho/16 the n-th term is below
// binomial(2 beta+n-1, n) 16^-n of the middle's value; newWing takes as many as leave less than 1e-14. Weights agree with psf.At to
// 1e-13. Near the star, where a segment would be short, psf.At itself is called.
type wing struct {
	psf   *psf.PSF
	poly  func(w, coef []float64, s0, step float64)
	a, b  []float64 // (n-1+beta)/n and (n-2+2 beta)/n
	coef  []float64
	sum   []float64 // coefficients summed over the height of a pixel
	nodes []float64 // Gauss-Legendre nodes and weights over it; one node for centre sampling
	share []float64
}

const (
	reach     = 16 // rho over a segment's half length
	shortest  = 4  // segments of fewer pixels are left to psf.At
	remainder = 1e-14
	maxTerms  = 256
)

func newWing(f *psf.PSF, set kern.Set) *wing {
	w := &wing{psf: f, poly: set.Poly, nodes: []float64{0}, share: []float64{1}}
	if f.Params.Sampling == psf.Pixel {
		w.nodes, w.share = make([]float64, 5), make([]float64, 5)
		quad.Legendre{}.FixedLocations(w.nodes, w.share, -0.5, 0.5)
	}
	n := float64(1)
	for term := 1.0; term > remainder*(1-1.0/reach) && n < maxTerms; n++ {
		term *= (2*f.Beta + n - 1) / (n * reach)
		w.a, w.b = append(w.a, (n-1+f.Beta)/n), append(w.b, (n-2+2*f.Beta)/n)
	}
	w.coef, w.sum = make([]float64, len(w.a)+1), make([]float64, len(w.a)+1)
	return w
}

// row fills out with the weights of pixels at (dx0+i, dy) px from the star. The capacity of out exceeds its length by
// kern.PolyBlock at least.
func (w *wing) row(out []float64, dx0, dy float64) {
	for i := 0; i < len(out); {
		dx := dx0 + float64(i)
		n := min(w.segment(dx, dy), len(out)-i)
		if n < shortest {
			out[i] = w.psf.At(dx, dy)
			i++
			continue
		}
		h := float64(n-1) / 2
		w.expand(dx+h, dy, h)
		w.poly(out[i:i+n], w.sum, -1, 1/h)
		i += n
	}
}

// segment returns how many pixels from dx on one polynomial covers. On the way to the star the distance shrinks by at most
// the segment's length.
func (w *wing) segment(dx, dy float64) int {
	rho := math.Sqrt(float64(w.psf.Alpha*w.psf.Alpha) + float64(dy*dy) + float64(dx*dx))
	if dx < 0 {
		rho /= 1 + 2.0/reach
	}
	return 1 + int(2*rho/reach)
}

// expand sets w.sum to the coefficients around column c in units of h.
func (w *wing) expand(c, dy, h float64) {
	clear(w.sum)
	for k, v := range w.nodes {
		w.taylor(c, dy+v, h)
		for n, f := range w.coef {
			w.sum[n] += float64(w.share[k] * f)
		}
	}
	if w.psf.Params.Sampling == psf.Pixel {
		w.smear(0.5 / h)
	}
}

// taylor sets w.coef for one row of points. Products are rounded on their own, so that every machine finds the same bits.
func (w *wing) taylor(c, dy, h float64) {
	r2 := float64(c*c) + float64(dy*dy)
	q0 := float64(w.psf.Alpha*w.psf.Alpha) + r2
	p, r := -2*c*h/q0, -h*h/q0
	w.coef[0] = w.psf.Profile(r2)
	w.coef[1] = w.a[0] * p * w.coef[0]
	for n := 2; n < len(w.coef); n++ {
		w.coef[n] = float64(w.a[n-1]*p*w.coef[n-1]) + float64(w.b[n-1]*r*w.coef[n-2])
	}
}

// smear averages the polynomial over the width 2e of a pixel: s^N becomes the sum over even m of binomial(N,m) s^(N-m)
// e^m/(m+1).
func (w *wing) smear(e float64) {
	for n := range w.sum {
		factor := 1.0
		for m := 2; n+m < len(w.sum); m += 2 {
			factor *= e * e * float64((n+m)*(n+m-1)) / float64(m*(m-1))
			w.sum[n] += float64(w.sum[n+m] * (factor / float64(m+1)))
		}
	}
}
