package psf

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// pixelIntegral returns the profile integrated over the pixel whose centre lies (dx,dy) px from the star, to 1e-14 of
// its value, by tensor Gauss-Legendre quadrature.
//
// Along each axis the profile is analytic but for the points where r^2 = -a^2, which lie at least D = sqrt(a^2 + d^2) from
// the segment's middle, d the distance of the other axis. An n-point rule on a half width h then errs by rho^-2n with
// rho = D/h + sqrt(D^2/h^2 + 1) (Trefethen, Approximation Theory and Approximation Practice, theorem 19.3). A pixel that is wide
// against a (rho < 4) is halved instead.
func (f *PSF) pixelIntegral(dx, dy float64) float64 {
	return f.cell(dx, dy, 0.5)
}

func (f *PSF) cell(x, y, h float64) float64 {
	near := math.Hypot(max(math.Abs(x)-h, 0), max(math.Abs(y)-h, 0))
	d := math.Max(f.Alpha, near/math.Sqrt2) / h
	rho := d + math.Sqrt(d*d+1)
	if rho < 4 {
		h /= 2
		return f.cell(x-h, y-h, h) + f.cell(x+h, y-h, h) + f.cell(x-h, y+h, h) + f.cell(x+h, y+h, h)
	}
	rule := legendre[min(maxPoints, 2+int(math.Ceil(17/(2*math.Log10(rho)))))]
	sum := 0.0
	for j, v := range rule.x {
		yy := y + h*v
		row := 0.0
		for i, u := range rule.x {
			xx := x + h*u
			row += rule.w[i] * f.Profile(xx*xx+yy*yy)
		}
		sum += rule.w[j] * row
	}
	return h * h * sum
}

// maxPoints is the rule for rho = 4, two points above the estimate for 1e-17.
const maxPoints = 17

type gaussRule struct{ x, w []float64 }

// legendre[n] is the n-point Gauss-Legendre rule on [-1, 1].
var legendre = func() (rules [maxPoints + 1]gaussRule) {
	for n := 1; n <= maxPoints; n++ {
		r := gaussRule{make([]float64, n), make([]float64, n)}
		quad.Legendre{}.FixedLocations(r.x, r.w, -1, 1)
		rules[n] = r
	}
	return rules
}()
