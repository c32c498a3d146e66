package mesh

import (
	"math"

	"grsplat/render/psf"
)

// A rim is how the mesh ends a stamp at its circle. With all P phase planes each lattice point's stamp ends sharply, at the circle
// around the point. A coarser grid cannot hold a step, so there the stamp fades over a few sigma around the circle:
//
//	T(d) = erfc((d - r0)/(sigma sqrt 2))/2,  cut at r0 +- reach,
//
// with r0 such that the stamp keeps its flux. Either way a stamp differs from the event's own by at most half (or all) of
// I(support) within 2 px of the circle, and nowhere else.
type rim struct {
	support float64
	sigma   float64 // px; 0 ends sharply
	r0      float64
}

// fadeSigma, px, has exp(-2 pi^2 sigma^2 f^2) = fadeLeak at the 2 cycles a pixel that a grid of Q = 4 holds: times the step
// I(support) of 5e-11 of the peak, 3e-15.
const (
	fadeSigma = 0.35
	fadeLeak  = 6e-5
)

// fadeReach is 5.1 sigma: erfc leaves 2e-7 of I(support) there.
const fadeReach = 1.8

func sharpRim(support float64) rim { return rim{support: support, r0: support} }

// fadingRim finds r0 by bisection of the flux that fading adds outside the circle and takes inside.
func fadingRim(f *psf.PSF, support float64) rim {
	m := rim{support: support, sigma: fadeSigma}
	lo, hi := support-1, support+1
	for range 50 {
		m.r0 = (lo + hi) / 2
		if m.excess(f) > 0 {
			hi = m.r0
		} else {
			lo = m.r0
		}
	}
	return m
}

// excess is the integral over the plane of I (T - [d <= support]) by the midpoint rule, fine enough for a smooth T on
// either side of the step.
func (m *rim) excess(f *psf.PSF) float64 {
	const steps = 300
	h, sum := (fadeReach+1)/steps, 0.0
	for i := range steps {
		for _, side := range []float64{-1, 1} {
			d := m.support + side*h*(float64(i)+0.5)
			weight := m.at(d)
			if side < 0 {
				weight--
			}
			sum += weight * f.Profile(d*d) * d
		}
	}
	return sum * h
}

// at returns T at distance d px from a lattice point.
func (m *rim) at(d float64) float64 {
	switch {
	case m.sigma == 0:
		if d <= m.support {
			return 1
		}
		return 0
	case d < m.r0-fadeReach:
		return 1
	case d > m.r0+fadeReach:
		return 0
	}
	return math.Erfc((d-m.r0)/(m.sigma*math.Sqrt2)) / 2
}

// weight is T for a pixel (dx,dy) px from a lattice point; without fading it is the test of psf.Disc.
func (m *rim) weight(dx, dy float64) float64 {
	d2 := dx*dx + dy*dy
	if m.sigma == 0 {
		if d2 <= m.support*m.support {
			return 1
		}
		return 0
	}
	return m.at(math.Sqrt(d2))
}
