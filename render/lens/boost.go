package lens

import "math"

// boost is the Lorentz transformation between a static observer and one who moves against it (Rindler, Relativity, 2nd ed.,
// section 4.3; Weiskopf, Kraus & Ruder 1999, ACM Trans. Graphics 18, 278).
type boost struct {
	axis Vec     // unit vector of the velocity
	beta float64 // speed in units of c; 0 is the identity
}

func newBoost(v Vec) boost {
	beta := norm(v)
	if beta == 0 {
		return boost{}
	}
	return boost{scale(1/beta, v), beta}
}

// toStatic maps the unit direction from which light arrives in the moving frame to that in the static frame, and returns
// nu_moving/nu_static.
func (b boost) toStatic(n Vec) (Vec, float64) {
	if b.beta == 0 {
		return n, 1
	}
	out, k := b.turn(n, -b.beta)
	return out, 1 / k
}

// toMoving is the inverse of toStatic; the factor is the same nu_moving/nu_static.
func (b boost) toMoving(n Vec) (Vec, float64) {
	if b.beta == 0 {
		return n, 1
	}
	return b.turn(n, b.beta)
}

// turn aberrates n for a change of frame by beta along the axis: cos' = (cos + beta)/(1 + beta cos). It returns the
// frequency ratio gamma (1 + beta cos) as well.
func (b boost) turn(n Vec, beta float64) (Vec, float64) {
	root := math.Sqrt((1 - beta) * (1 + beta))
	cos := dot(n, b.axis)
	side := sub(n, scale(cos, b.axis))
	k := 1 / (1 + beta*cos)
	out := add(scale((cos+beta)*k, b.axis), scale(root*k, side))
	return unit(out), (1 + beta*cos) / root
}
