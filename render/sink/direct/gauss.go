package direct

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"

	"grsplat/render/psf"
)

// legendre holds the Gauss-Legendre rules on a pixel, and from which distance each will do.
//
// An n-point rule on a segment of length 1 errs by f^(2n) (n!)^4/((2n+1) (2n)!^3) (Abramowitz and Stegun 25.4.30). Along an axis the
// profile is |x-z|^-2beta, |x-z| = D = sqrt(a^2+r^2), so its m-th derivative is at most m! binomial(2beta+m-1, m) D^-m of its
// value, and the rule's relative error at most
//
//	binomial(2beta+2n-1, 2n) (n!)^4/((2n+1) (2n)!^2) D^-2n.
type legendre struct {
	rule  [mostPoints + 1]struct{ at, share []float64 }
	least [mostPoints + 1]float64 // D^2 from which n points do, falling
}

const (
	mostPoints = 12 // where they do not, a pixel is wide against the star, and psf.At halves it
	ruleError  = 3e-14
)

func newLegendre(beta float64) *legendre {
	l, factor := &legendre{}, 1.0
	for n := 1; n <= mostPoints; n++ {
		l.rule[n].at, l.rule[n].share = make([]float64, n), make([]float64, n)
		quad.Legendre{}.FixedLocations(l.rule[n].at, l.rule[n].share, -0.5, 0.5)
		m := float64(2 * n)
		factor *= (2*beta + m - 1) * (2*beta + m - 2) / (m * (m - 1)) // of the binomial
		factor *= m * m / (16 * (m - 1) * (m - 1))                    // of (n!)^4/(2n)!^2
		l.least[n] = math.Pow(factor/(m+1)/ruleError, 1/float64(n))
	}
	return l
}

// points returns how many points do from a distance D on, given D^2; more than mostPoints where none of the rules does.
func (l *legendre) points(d2 float64) int {
	n := 1
	for n <= mostPoints && !(d2 >= l.least[n]) {
		n++
	}
	return n
}

// A gauss integrates the profile over pixels: psf.At with the radial tables for math.Pow, and with no more points than the
// distance to the star asks for.
type gauss struct {
	*radial
	*legendre
	psf *psf.PSF
	r2  []float64
}

// ruleRun is how many pixels share a rule.
const ruleRun = 8

func newGauss(f *psf.PSF, r *radial, l *legendre) *gauss {
	return &gauss{r, l, f, make([]float64, ruleRun*mostPoints*mostPoints)}
}

// row fills out with the weights of pixels at (dx0+i, dy) px from the star.
func (g *gauss) row(out []float64, dx0, dy float64) {
	for len(out) > 0 {
		n := min(len(out), ruleRun)
		g.run(out[:n], dx0, dy)
		out, dx0 = out[n:], dx0+float64(n)
	}
}

func (g *gauss) run(out []float64, dx0, dy float64) {
	// the nearest edge of the pixels
	x, y := max(dx0, -dx0-float64(len(out)-1), 0.5)-0.5, max(math.Abs(dy), 0.5)-0.5
	n := g.points(float64(g.psf.Alpha*g.psf.Alpha) + float64(x*x) + float64(y*y))
	if n > mostPoints {
		for i := range out {
			out[i] = g.psf.At(dx0+float64(i), dy)
		}
		return
	}
	rule := &g.rule[n]
	r2 := g.r2[:0]
	for _, v := range rule.at {
		y2 := float64((dy + v) * (dy + v))
		for _, u := range rule.at {
			for i := range out {
				x := dx0 + float64(i) + u
				r2 = append(r2, float64(x*x)+y2)
			}
		}
	}
	g.profile(r2)
	clear(out)
	for _, sy := range rule.share {
		for _, sx := range rule.share {
			share := sx * sy
			for i := range out {
				out[i] += float64(share * r2[i])
			}
			r2 = r2[len(out):]
		}
	}
}
