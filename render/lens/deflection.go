package lens

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// The deflection of light in Schwarzschild space, to about 1e-13 of itself from the photon sphere to the weak field.
//
// The null geodesic obeys (du/dphi)^2 = 1/b^2 - u^2 + 2u^3 with u = 1/r (Misner, Thorne & Wheeler 1973, eq. 25.55). A static
// observer at u sees the ray at the angle alpha from outward, with sin alpha = b u sqrt(1-2u). Taking alpha as the variable,
//
//	dphi = (du/dalpha)/sqrt(...) dalpha = sqrt(1-2u)/(1-3u) dalpha,
//
// so the deflection, swept angle minus alpha, is the integral of h(u) = sqrt(1-2u)/(1-3u) - 1 from 0 to the observer's alpha:
// regular at the turning point (alpha = pi/2), and without the cancellation that costs the elliptic closed form its digits in
// the weak field. With w = 3u, y = 1-w, B = b/b_c and b_c = sqrt 27 the relation between u and alpha is the cubic
//
//	w^2 (3 - 2w) = B^-2 sin^2 alpha,   y^2 (3 - 2y) = 1 - B^-2 sin^2 alpha,
//
// solved in closed form without cancellation by whichever of w and y is small (solveCubic). Near the critical ray h peaks like
// 1/y at alpha = pi/2, with poles at distance eta = arcosh B from the real axis; alpha = pi/2 + eta sinh t moves them to
// t = +-i pi/2 (Johnston & Elliott 2005, Int. J. Numer. Meth. Eng. 62, 564). A ray with b < b_c has no turning point, and y is its variable:
//
//	deflection = sqrt 3 B int_{y_o}^{1} (1 - sqrt 3 y/sqrt(1+2y)) / sqrt((1-B^2) + B^2 y^2 (3-2y)) dy,
//
// with y = sqrt((1-B^2)/3)/B sinh t where y is small. Observers inside the photon sphere have y_o < 0; there the second term
// of the numerator, singular at the horizon, is integrated in closed form. Fixed Gauss-Legendre panels, short against the
// poles' distance, do the rest.

// A lightRay is a ray that reaches infinity, seen by a static observer.
type lightRay struct {
	alpha  float64 // angle from outward, radians
	b2     float64 // B^2 with B = b/b_c
	excess float64 // B^2 - 1, from differences, so that it keeps its digits near the critical ray
	w      float64 // 3/r of the observer
}

// bend is the deflection of a ray and its derivative with respect to ln b at fixed limits of integration.
type bend struct{ angle, slope float64 }

func (b *bend) add(c bend) {
	b.angle += c.angle
	b.slope += c.slope
}

const (
	panelPoints = 24
	panelLength = 2.5 // in the stretched variable t, whose nearest poles are pi/2 from the real axis
)

// legendre holds the nodes and weights of one Gauss-Legendre panel on [-1, 1].
type legendre struct{ x, w [panelPoints]float64 }

func newLegendre() *legendre {
	l := &legendre{}
	quad.Legendre{}.FixedLocations(l.x[:], l.w[:], -1, 1)
	return l
}

// integrate sums f over [from, to] in equal panels no longer than longest.
func (l *legendre) integrate(from, to, longest float64, f func(t float64) bend) bend {
	panels := math.Max(1, math.Ceil((to-from)/longest))
	half := (to - from) / panels / 2
	var sum bend
	for p := range int(panels) {
		mid := from + half*float64(2*p+1)
		for i, x := range l.x {
			v := f(mid + half*x)
			sum.angle += l.w[i] * half * v.angle
			sum.slope += l.w[i] * half * v.slope
		}
	}
	return sum
}

// deflect integrates the bend of a ray.
func (l *legendre) deflect(ray lightRay) bend {
	if ray.excess >= 0 {
		return l.turning(ray)
	}
	return l.escaping(ray)
}

// turning integrates over alpha: rays with b >= b_c, which have a turning point.
func (l *legendre) turning(ray lightRay) bend {
	b2 := ray.b2
	at := func(sin, cos float64) bend {
		// 1 - B^-2 sin^2 = (cos^2 B^2 + sin^2 (B^2-1))/B^2, each term positive.
		w, y := solveCubic(sin*sin/b2, (cos*cos*b2+sin*sin*ray.excess)/b2)
		root := math.Sqrt(1 - 2*w/3)
		h := w / 3 * (3 - 2/(1+root)) / y
		// At fixed alpha d ln b = -dv/v, v = u sqrt(1-2u): du/d ln b = -u (1-2u)/(1-3u).
		// h' = d/du [sqrt(1-2u)/(1-3u)] = (2 - 3u)/(sqrt(1-2u) (1-3u)^2).
		slope := -(w / 3) * root * (2 - w) / (y * y * y)
		return bend{h, slope}
	}
	plain := func(t float64) bend { return at(math.Sincos(t)) }
	const split = 1.0
	if ray.alpha <= split || ray.excess > 3 {
		return l.integrate(0, ray.alpha, 1, plain)
	}
	near := l.integrate(0, split, 0.5, plain)
	// eta = arcosh B = asinh sqrt(B^2-1); exactly critical light winds for ever.
	eta := math.Asinh(math.Sqrt(ray.excess))
	stretched := func(t float64) bend {
		x := eta * math.Sinh(t) // alpha - pi/2
		v := at(math.Cos(x), math.Sin(x))
		jacobian := eta * math.Cosh(t)
		return bend{jacobian * v.angle, jacobian * v.slope}
	}
	far := l.integrate(math.Asinh((split-math.Pi/2)/eta), math.Asinh((ray.alpha-math.Pi/2)/eta), panelLength, stretched)
	near.add(far)
	return near
}

// escaping integrates over y (or w) along a ray with b < b_c, from the observer out to infinity.
func (l *legendre) escaping(ray lightRay) bend {
	b2 := ray.b2
	b := math.Sqrt(b2)
	at := func(w, y float64) bend {
		k := 1.0 // inside the photon sphere the swept angle alone
		if y > 0 {
			// 1 - sqrt 3 y/sqrt(1+2y) without cancellation.
			root := math.Sqrt(1 + 2*y)
			k = w * (1 + 3*y) / (root * (root + math.Sqrt(3)*y))
		}
		cos2 := -ray.excess + b2*y*y*(3-2*y) // cos^2 alpha
		f := math.Sqrt(3) * b * k / math.Sqrt(cos2)
		return bend{f, f / cos2} // d ln(B/sqrt(1-B^2 c))/d ln B = 1/(1-B^2 c)
	}
	outer := func(w float64) bend { return at(w, 1-w) }
	const split = 0.5 // in y and in w
	if ray.w <= split {
		return l.integrate(0, ray.w, 0.5, outer)
	}
	sum := l.integrate(0, split, 0.25, outer)
	s := math.Sqrt(-ray.excess/3) / b
	stretched := func(t float64) bend {
		y := s * math.Sinh(t)
		v := at(1-y, y)
		jacobian := s * math.Cosh(t)
		return bend{jacobian * v.angle, jacobian * v.slope}
	}
	observer := math.Asinh((1 - ray.w) / s)
	sum.add(l.integrate(math.Max(0, observer), math.Asinh(split/s), panelLength, stretched))
	if observer < 0 {
		// On the way out to the photon sphere alpha grows to asin B: subtract it in closed form.
		sum.add(l.integrate(observer, 0, panelLength, stretched))
		cos := math.Sqrt(-ray.excess)
		sum.add(bend{math.Atan2(b, cos) - ray.alpha, b/cos - math.Tan(ray.alpha)})
	}
	return sum
}

// solveCubic returns w and y = 1-w in [0, 1] with w^2 (3-2w) = p and y^2 (3-2y) = q, where p + q = 1. Of each pair the smaller
// root is 2 sin(x/3) sin(x/3 + pi/3), x = asin of the square root of its own p or q, which has no cancellation.
func solveCubic(p, q float64) (w, y float64) {
	root := func(p float64) float64 {
		x := math.Asin(math.Sqrt(math.Min(p, 1))) / 3
		return 2 * math.Sin(x) * math.Sin(x+math.Pi/3)
	}
	if p < q {
		w = root(p)
		return w, 1 - w
	}
	y = root(q)
	return 1 - y, y
}
