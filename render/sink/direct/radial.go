package direct

import (
	"math"

	"grsplat/render/psf"
)

// A radial evaluates the profile as a function of q = 1+r^2/a^2 in a few nanoseconds. With q = 2^e m, and m' the middle of m's
// interval of 2^-8,
//
//	q^-beta = 2^(-e beta) m'^-beta (1+t)^-beta,   t = m/m'-1,
//
// |t| <= 2^-9, and the binomial series of the last factor is cut where its next term is below 1e-14 for beta up to steepest.
type radial struct {
	scale  float64                                  // 1/a^2
	octave [1 << 11]float64                         // I(0) 2^(-e beta), by the exponent's bits
	centre [1 << 8]struct{ inverse, power float64 } // 1/m', m'^-beta
	series [7]float64
}

const steepest = 12

func newRadial(f *psf.PSF) *radial {
	r := &radial{scale: 1 / (f.Alpha * f.Alpha)}
	for e := range r.octave {
		r.octave[e] = f.Profile(0) * math.Exp2(-f.Beta*float64(max(e, 1023)-1023)) // q >= 1
	}
	for i := range r.centre {
		m := 1 + (float64(i)+0.5)/(1<<8)
		r.centre[i].inverse, r.centre[i].power = 1/m, math.Pow(m, -f.Beta)
	}
	r.series[0] = 1
	for n := 1; n < len(r.series); n++ {
		r.series[n] = r.series[n-1] * -(f.Beta + float64(n-1)) / float64(n)
	}
	return r
}

// profile turns each r^2 of w into the profile there. Products are rounded on their own, so that every machine finds the same
// bits.
func (r *radial) profile(w []float64) {
	s := &r.series
	for k, r2 := range w {
		q := math.Float64bits(1 + float64(r2*r.scale))
		c := &r.centre[q>>44&(1<<8-1)]
		m := math.Float64frombits(q&(1<<52-1) | 1023<<52)
		t := float64(m*c.inverse) - 1
		p := s[5] + float64(s[6]*t)
		p = s[4] + float64(p*t)
		p = s[3] + float64(p*t)
		p = s[2] + float64(p*t)
		p = s[1] + float64(p*t)
		p = s[0] + float64(p*t)
		w[k] = p * c.power * r.octave[q>>52&(1<<11-1)]
	}
}

// row fills out with the profile at (dx0+i, dy) px from the star.
func (r *radial) row(out []float64, dx0, dy float64) {
	dy2 := float64(dy * dy)
	for i := range out {
		dx := dx0 + float64(i)
		out[i] = float64(dx*dx) + dy2
	}
	r.profile(out)
}

// farReach returns z such that interpolation in a block of half side h whose middle lies z h or more from the star errs by farError
// of the profile at most.
//
// Along a row the profile is |x-x0|^-2beta with x0 and its conjugate the zeros of a^2+r^2, both (z-1) h or more from the row's
// middle. The Bernstein ellipse rho reaches h A from there, A = (rho+1/rho)/2, so on it the profile is at most
// (z/(z-1-A))^2beta times its least value in the row, and interpolation at n points errs relatively by (Trefethen, Approximation
// Theory and Approximation Practice, theorem 8.2, degree n-1)
//
//	E = min over rho of 4 (z/(z-1-A))^2beta rho^(1-n)/(rho-1).
//
// Interpolation in y errs alike and spreads the rows' errors, by no more than its Lebesgue constant 1+(2/pi) ln n (theorem
// 15.2) times the ratio of the profile's extremes in the block: E (1 + (1+(2/pi) ln n) ((z+sqrt2)/(z-sqrt2))^2beta) in all.
func farReach(beta float64) float64 {
	lebesgue := 1 + 2/math.Pi*math.Log(nodes)
	for z := 3.0; ; z += 0.25 {
		e := math.Inf(1)
		for rho := 1.5; rho+1/rho < 2*(z-1); rho *= 1.02 {
			e = min(e, 4*math.Pow(z/(z-1-(rho+1/rho)/2), 2*beta)*math.Pow(rho, 1-nodes)/(rho-1))
		}
		if e*(1+lebesgue*math.Pow((z+math.Sqrt2)/(z-math.Sqrt2), 2*beta)) <= farError {
			return z
		}
	}
}
