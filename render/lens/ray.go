package lens

import (
	"math"

	"grsplat/render/fail"
)

// A Ray is the exact fate of the light that a static observer sees at one angle from the hole.
type Ray struct {
	Psi        float64  `json:"psi_deg"`
	Phi        *float64 `json:"phi_deg"`        // swept angle, 180 - psi + deflection; null if captured
	Deflection *float64 `json:"deflection_rad"` // null if captured
	Mu         *float64 `json:"mu"`             // |sin psi dpsi/(sin phi dphi)|; null if captured or infinite
	G          *float64 `json:"g"`              // nu_obs/nu_inf; null if captured
	Captured   bool     `json:"captured"`
}

// Rays returns the fate of the light seen at some angles from the hole's direction, in degrees, by the exact integral.
func (s Spec) Rays(psiDeg []float64) ([]Ray, error) {
	space, err := s.New()
	if err != nil {
		return nil, err
	}
	out := make([]Ray, 0, len(psiDeg))
	for _, psi := range psiDeg {
		ray, err := rayIn(space, psi)
		if err != nil {
			return nil, err
		}
		out = append(out, ray)
	}
	return out, nil
}

func rayIn(space Spacetime, psiDeg float64) (Ray, error) {
	if !(psiDeg >= 0 && psiDeg <= 180) {
		return Ray{}, fail.Usage("ray: psi %v: must be 0 to 180 degrees", psiDeg)
	}
	if h, ok := space.(*Hole); ok {
		return h.Ray(psiDeg), nil
	}
	phi, deflection, mu, g := 180-psiDeg, 0.0, 1.0, 1.0
	return Ray{Psi: psiDeg, Phi: &phi, Deflection: &deflection, Mu: &mu, G: &g}, nil
}

// Ray integrates the light seen at psiDeg degrees from the hole's direction, 0 to 180. Its digits are those of the deflection
// integral: near the shadow's edge those of psi - edge.
func (h *Hole) Ray(psiDeg float64) Ray {
	alpha := (180 - psiDeg) * (math.Pi / 180)
	beyond := math.Pi - h.edge - alpha
	if psiDeg < 90 {
		beyond = psiDeg*(math.Pi/180) - h.edge
	}
	if !(beyond > 0) {
		return Ray{Psi: psiDeg, Captured: true}
	}
	ray := h.ray(alpha, beyond)
	b := h.rule.deflect(ray)
	phi := alpha + b.angle
	// d(phi)/d(alpha) at fixed r: the upper limit's own h, where it moves, and d ln b/d alpha = cot alpha. The product with
	// sin alpha is formed first, so that alpha = 0 needs no limit.
	sin, cos := math.Sincos(alpha)
	gain := sin + b.slope*cos
	if ray.excess >= 0 {
		y := (h.r - 3) / h.r
		root := math.Sqrt((h.r - 2) / h.r)
		gain += sin * (3 - 2/(1+root)) / (h.r * y)
	}
	mu := math.Abs(sin / math.Sin(phi) * (sin / gain))
	if alpha == 0 {
		// phi = alpha/sqrt(1-2/r) near the outward direction.
		mu = (h.r - 2) / h.r
	}
	degrees := phi * (180 / math.Pi)
	out := Ray{Psi: psiDeg, Phi: &degrees, Deflection: &b.angle, G: &h.g}
	if !math.IsInf(mu, 0) && !math.IsNaN(mu) {
		out.Mu = &mu
	}
	return out
}

// An Impact is a ray from infinity to infinity.
type Impact struct {
	B          float64  `json:"b"`
	Deflection *float64 `json:"deflection_rad"` // null if captured
	Periapsis  *float64 `json:"periapsis"`      // null if captured
	Captured   bool     `json:"captured"`
}

// Impacts returns the fate of rays from infinity with some impact parameters, in units of M.
func (s Spec) Impacts(b []float64) ([]Impact, error) {
	out := make([]Impact, 0, len(b))
	for _, b := range b {
		ray, err := RayFromInfinity(b)
		switch {
		case err != nil:
			return nil, err
		case s.Flat():
			straight := 0.0
			ray = Impact{B: b, Deflection: &straight, Periapsis: &b}
		case s.Name != Schwarzschild:
			_, err := s.New()
			return nil, err
		}
		out = append(out, ray)
	}
	return out, nil
}

// RayFromInfinity integrates, in Schwarzschild space, the light of impact parameter b > 0, in units of M.
func RayFromInfinity(b float64) (Impact, error) {
	if !(b > 0 && !math.IsInf(b, 0)) {
		return Impact{}, fail.Usage("ray: impact %v: must be positive and finite", b)
	}
	if !(b > CriticalImpact) {
		return Impact{B: b, Captured: true}, nil
	}
	excess := (b - CriticalImpact) * (b + CriticalImpact) / 27
	deflection := newLegendre().deflect(lightRay{alpha: math.Pi, b2: 1 + excess, excess: excess}).angle
	w, _ := solveCubic(1/(1+excess), excess/(1+excess))
	periapsis := 3 / w
	return Impact{B: b, Deflection: &deflection, Periapsis: &periapsis}, nil
}
