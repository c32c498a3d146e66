package lens

import (
	"math"
	"sync"

	"grsplat/render/fail"
)

// CriticalImpact is b_c = sqrt 27, the impact parameter of light that winds for ever.
var CriticalImpact = math.Sqrt(27)

// A Hole is Schwarzschild space around a static observer.
type Hole struct {
	r     float64 // radial coordinate of the observer
	axis  Vec     // unit vector towards the hole
	g     float64 // nu_obs/nu_inf = 1/sqrt(1-2/r)
	edge  float64 // angle of the shadow's edge from the hole's direction
	lean  float64 // edge - pi/2, with its own digits: 0 on the photon sphere
	rule  *legendre
	table func() *bendTable // deflection by angle, for tracing; made on first use
}

// maxRadius keeps the shadow's angle far above the rounding of an angle.
const maxRadius = 1e9

// newHole prepares the static observer at s.Radius, which must be outside the horizon.
func newHole(s Spec) (*Hole, error) {
	if !(s.Radius > 2 && s.Radius <= maxRadius) {
		return nil, fail.Usage("spacetime: schwarzschild: radius %v: a static observer is outside the horizon, above 2 and at most %g", s.Radius, maxRadius)
	}
	axis, err := s.holeAxis()
	if err != nil {
		return nil, err
	}
	h := &Hole{r: s.Radius, axis: axis, rule: newLegendre()}
	h.g = 1 / math.Sqrt((s.Radius-2)/s.Radius)
	// sin(edge) = b_c sqrt(1-2/r)/r and cos(edge) = y sqrt(3-2y), y = 1-3/r, whose sign tells the photon sphere's sides
	// (Synge 1966, MNRAS 131, 463).
	y := (s.Radius - 3) / s.Radius
	sin, cos := 3/s.Radius*math.Sqrt(3*(s.Radius-2)/s.Radius), y*math.Sqrt(3-2*y)
	h.edge, h.lean = math.Atan2(sin, cos), math.Atan2(-cos, sin)
	h.table = sync.OnceValue(func() *bendTable { return newBendTable(h) })
	return h, nil
}

// Shadow returns the angular radius of the shadow in radians: directions nearer to the hole's see nothing.
func (h *Hole) Shadow() float64 { return h.edge }

// Shift returns g = nu_obs/nu_inf, the same for every direction.
func (h *Hole) Shift() float64 { return h.g }

// ray is the light seen at alpha from outward, an angle beyond the shadow's edge. The two add up to pi - edge; both are given
// because each keeps its own digits.
func (h *Hole) ray(alpha, beyond float64) lightRay {
	// B^2 - 1 = (sin^2 psi - sin^2 edge)/sin^2 edge = sin(psi-edge) sin(psi+edge)/sin^2 edge.
	sin := math.Sin(h.edge)
	sum := math.Sin(beyond + 2*h.edge)
	if h.edge > 1 {
		sum = -math.Sin(beyond + 2*h.lean)
	}
	excess := math.Sin(beyond) * sum / (sin * sin)
	b2 := 1 + excess
	if excess < -0.5 {
		b2 = math.Pow(math.Sin(alpha)/sin, 2)
	}
	return lightRay{alpha: alpha, b2: b2, excess: excess, w: 3 / h.r}
}

// bendAt integrates the deflection of light seen beyond radians outside the shadow's edge.
func (h *Hole) bendAt(beyond float64) float64 {
	return h.rule.deflect(h.ray(math.Pi-h.edge-beyond, beyond)).angle
}

// Trace implements Spacetime with the tabulated deflection.
func (h *Hole) Trace(dir Vec) (sky Vec, g float64, ok bool) {
	cos := dot(dir, h.axis)
	side := sub(dir, scale(cos, h.axis))
	sin := norm(side)
	psi := math.Atan2(sin, cos)
	if !(psi > h.edge) {
		return Vec{}, 0, false
	}
	if sin == 0 {
		return dir, h.g, true
	}
	s, c := math.Sincos(psi - h.table().at(psi-h.edge))
	return unit(add(scale(c, h.axis), scale(s/sin, side))), h.g, true
}
