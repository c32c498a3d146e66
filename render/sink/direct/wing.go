package direct

import (
	"math"

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
// The zeros of q lie rho = sqrt(a^2+dy^2+c^2) from c, so on a segment of half length h the n-th term is below
// binomial(2 beta+n-1, n) (h/rho)^n of the middle's value; as many are taken as leave less than 1e-14. Weights agree with psf.At to
// 1e-13. Near the star, where a segment would be short, each pixel is evaluated by itself.
type wing struct {
	psf      *psf.PSF
	tables   *radial // nil for a profile too steep for them
	poly     func(w, coef []float64, s0, step float64)
	near     func(out []float64, dx0, dy float64) // a row of pixels, each by itself
	shortest int                                  // segments of fewer pixels are left to near
	terms    [farthest + 1]int                    // by floor(log2(rho/h)), from reachBits on
	a, b     []float64                            // (n-1+beta)/n and (n-2+2 beta)/n
	coef     []float64
	sum      []float64 // coefficients summed over the height of a pixel
	rules    *legendre // over it; nil for centre sampling
}

const (
	reachBits = 4
	reach     = 1 << reachBits // rho over a segment's half length, at least
	farthest  = 10             // ratios of 2^10 and more are alike
	remainder = 1e-14
	maxTerms  = 256
)

// newWing returns a wing; r is nil for a profile too steep for it.
func newWing(f *psf.PSF, r *radial, set kern.Set) *wing {
	w := &wing{psf: f, tables: r, poly: set.Poly}
	if f.Params.Sampling == psf.Pixel {
		w.rules = newLegendre(f.Beta)
	}
	switch { // with the lengths at which a polynomial was measured to take as long
	case r == nil:
		w.near, w.shortest = w.single, 4
	case w.rules == nil:
		w.near, w.shortest = r.row, 16
	default:
		w.near, w.shortest = newGauss(f, r, w.rules).row, 8
	}
	for k := reachBits; k <= farthest; k++ {
		ratio := math.Ldexp(1, k)
		n := 1
		for term := 1.0; term > remainder*(1-1/ratio) && n < maxTerms; n++ {
			term *= (2*f.Beta + float64(n) - 1) / (float64(n) * ratio)
		}
		w.terms[k] = n
	}
	for n := 1.0; int(n) < w.terms[reachBits]; n++ {
		w.a, w.b = append(w.a, (n-1+f.Beta)/n), append(w.b, (n-2+2*f.Beta)/n)
	}
	w.coef, w.sum = make([]float64, len(w.a)+1), make([]float64, len(w.a)+1)
	return w
}

// single is near for any profile.
func (w *wing) single(out []float64, dx0, dy float64) {
	for i := range out {
		out[i] = w.psf.At(dx0+float64(i), dy)
	}
}

// row fills out with the weights of pixels at (dx0+i, dy) px from the star. The capacity of out exceeds its length by kern.PolyBlock
// at least.
func (w *wing) row(out []float64, dx0, dy float64) {
	for i := 0; i < len(out); {
		dx := dx0 + float64(i)
		n := min(w.segment(dx, dy), len(out)-i)
		if n < w.shortest {
			w.near(out[i:i+n], dx, dy)
			i += n
			continue
		}
		h := float64(n-1) / 2
		w.poly(out[i:i+n], w.expand(dx+h, dy, h), -1, 1/h)
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

// expand returns the coefficients around column c in units of h.
func (w *wing) expand(c, dy, h float64) []float64 {
	q0 := float64(w.psf.Alpha*w.psf.Alpha) + float64(c*c) + float64(dy*dy)
	_, bits := math.Frexp(q0 / (h * h))
	terms := w.terms[min(max((bits-1)/2, reachBits), farthest)]
	coef := w.coef[:terms]
	if w.rules == nil {
		w.taylor(coef, c, dy, h)
		return coef
	}
	sum := w.sum[:terms]
	clear(sum)
	nearest := 1 - 1.0/reach // of the segment's pixels
	rule := &w.rules.rule[min(w.rules.points(q0*nearest*nearest), mostPoints)]
	for k, v := range rule.at {
		w.taylor(coef, c, dy+v, h)
		for n, f := range coef {
			sum[n] += float64(rule.share[k] * f)
		}
	}
	smear(sum, 0.5/h)
	return sum
}

// taylor sets coef for one row of points. Products are rounded on their own, so that every machine finds the same bits.
func (w *wing) taylor(coef []float64, c, dy, h float64) {
	r2 := float64(c*c) + float64(dy*dy)
	q0 := float64(w.psf.Alpha*w.psf.Alpha) + r2
	p, r := -2*c*h/q0, -h*h/q0
	if coef[0] = r2; w.tables != nil {
		w.tables.profile(coef[:1])
	} else {
		coef[0] = w.psf.Profile(r2)
	}
	coef[1] = w.a[0] * p * coef[0]
	for n := 2; n < len(coef); n++ {
		coef[n] = float64(w.a[n-1]*p*coef[n-1]) + float64(w.b[n-1]*r*coef[n-2])
	}
}

// smear averages the polynomial over the width 2e of a pixel: s^N becomes the sum over even m of binomial(N,m) s^(N-m)
// e^m/(m+1).
func smear(sum []float64, e float64) {
	for n := range sum {
		factor := 1.0
		for m := 2; n+m < len(sum); m += 2 {
			factor *= e * e * float64((n+m)*(n+m-1)) / float64(m*(m-1))
			sum[n] += float64(sum[n+m] * (factor / float64(m+1)))
		}
	}
}
