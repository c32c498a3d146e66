package lens

import (
	"math"
	"strings"

	"grsplat/render/fail"
)

// Spacetime bends light on its way from the sky to a static observer.
type Spacetime interface {
	// Trace follows the light that arrives from direction dir, a unit vector in the static observer's frame (axes parallel to
	// ICRS), back to the sky. sky is the unit direction far from the hole, g = nu_observer/nu_infinity. ok is false where the
	// light would have come out of the hole.
	Trace(dir Vec) (sky Vec, g float64, ok bool)
}

// Spec names a spacetime and its parameters, as flags and the .grlens header give them.
type Spec struct {
	Name   string  `json:"name"`
	Radius float64 `json:"radius,omitempty"` // observer's radial coordinate, in units of M
	Hole   Vec     `json:"hole"`             // direction of the hole, any non-zero length; unused in flat space
}

// Names of the spacetimes.
const (
	Minkowski     = "minkowski"
	Schwarzschild = "schwarzschild"
)

// Spacetimes lists the names that Spec.New knows.
func Spacetimes() []string { return []string{Minkowski, Schwarzschild} }

// New prepares the spacetime, or refuses it as a usage error.
func (s Spec) New() (Spacetime, error) {
	switch s.Name {
	case Minkowski:
		return flat{}, nil
	case Schwarzschild:
		return newHole(s)
	}
	return nil, fail.Usage("spacetime: %q is unknown: must be %s", s.Name, strings.Join(Spacetimes(), " or "))
}

// Flat reports whether light goes straight.
func (s Spec) Flat() bool { return s.Name == Minkowski }

// holeAxis returns the unit vector of the hole's direction.
func (s Spec) holeAxis() (Vec, error) {
	n := norm(s.Hole)
	if !(n > 0) || math.IsInf(n, 0) {
		return Vec{}, fail.Usage("spacetime: %s: hole direction %v is no direction", s.Name, s.Hole)
	}
	return scale(1/n, s.Hole), nil
}

// flat is Minkowski space: the identity.
type flat struct{}

func (flat) Trace(dir Vec) (Vec, float64, bool) { return dir, 1, true }
