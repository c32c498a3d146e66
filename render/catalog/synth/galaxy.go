package synth

import (
	"math"
	"math/rand/v2"
)

// Scales of the Galaxy in kpc.
const (
	sunRadius    = 8.2
	discLength   = 2.6
	discHeight   = 0.3
	bulgeScale   = 0.7
	haloScale    = 3.0
	giantsShare  = 0.55 // of the candidates
	bulgeShare   = 0.30 // of the giants
	haloShare    = 0.04
	clumpShare   = 0.6 // of the giants are in the red clump
	clumpKs      = -1.61
	dustHeight   = 0.1
	dustPerKpc   = 0.7 // mag of A_V in the plane near the Sun
	farthest     = 30.0
	faintestMain = 6.0
)

// candidate is a star before dust and the magnitude limit.
type candidate struct {
	direction [3]float64 // galactic unit vector
	distance  float64    // kpc
	absKs     float64
	jks       float64 // intrinsic
}

// draw makes a candidate; ok is false for a place that is too near, too far or, for a dwarf, rejected by the density.
func draw(rng *rand.Rand) (s candidate, ok bool) {
	if rng.Float64() < giantsShare {
		return giant(rng)
	}
	return dwarf(rng)
}

// giant places a star by the densities of disc, bulge and halo.
func giant(rng *rand.Rand) (s candidate, ok bool) {
	var x, y, z float64 // galactocentric; the Sun is at x = -sunRadius
	switch part := rng.Float64(); {
	case part < bulgeShare:
		x, y, z = bulgeScale*rng.NormFloat64(), bulgeScale*rng.NormFloat64(), 0.6*bulgeScale*rng.NormFloat64()
	case part < bulgeShare+haloShare:
		radius := haloScale * (rng.ExpFloat64() + rng.ExpFloat64() + rng.ExpFloat64())
		d := direction(rng)
		x, y, z = radius*d[0], radius*d[1], radius*d[2]
	default:
		radius, phi := discLength*(rng.ExpFloat64()+rng.ExpFloat64()), 2*math.Pi*rng.Float64()
		sin, cos := math.Sincos(phi)
		x, y, z = radius*cos, radius*sin, discHeight*rng.ExpFloat64()
		if rng.Uint64()&1 == 0 {
			z = -z
		}
	}
	x += sunRadius
	s.distance = math.Sqrt(x*x + y*y + z*z)
	if s.distance < 0.02 || s.distance > farthest {
		return s, false
	}
	s.direction = [3]float64{x / s.distance, y / s.distance, z / s.distance}
	if rng.Float64() < clumpShare {
		s.absKs = clumpKs + 0.22*rng.NormFloat64()
		s.jks = 0.62 + 0.05*rng.NormFloat64()
		return s, true
	}
	s.absKs = max(1-1.45*rng.ExpFloat64(), -7.5)
	s.jks = 0.68 - 0.055*s.absKs + 0.04*rng.NormFloat64()
	return s, true
}

// dwarf draws a main-sequence star from the volume in which it is bright enough, thinned by the density of the disc.
func dwarf(rng *rand.Rand) (s candidate, ok bool) {
	// The luminosity function rises to faint stars; seen in a limited volume, bright ones win by its size.
	s.absKs = faintestMain * math.Pow(rng.Float64(), 1.3)
	reach := 0.01 * math.Pow(10, 0.2*(limitKs-s.absKs))
	s.distance = reach * math.Cbrt(rng.Float64())
	s.direction = direction(rng)
	if s.distance < 1e-3 {
		return s, false
	}
	radius := math.Hypot(sunRadius-s.distance*s.direction[0], s.distance*s.direction[1])
	height := math.Abs(s.distance * s.direction[2])
	if rng.Float64() > math.Exp(-height/discHeight-(radius-sunRadius)/discLength) {
		return s, false
	}
	s.jks = 0.05 + 0.78*math.Pow(s.absKs/faintestMain, 0.7) + 0.04*rng.NormFloat64()
	return s, true
}

// direction is uniform on the sphere.
func direction(rng *rand.Rand) [3]float64 {
	z := 2*rng.Float64() - 1
	rho := math.Sqrt(1 - z*z)
	sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
	return [3]float64{rho * cos, rho * sin, z}
}

// waves of the dust's pattern.
const waves = 10

// wave is one component of the logarithm of the dust's density on the sky.
type wave struct {
	vector [3]float64 // radians of phase per unit of the direction
	phase  float64
	height float64
}

// newWave makes finer waves weaker.
func newWave(rng *rand.Rand, i int) wave {
	size := 3 * math.Pow(1.55, float64(i))
	d := direction(rng)
	return wave{[3]float64{size * d[0], size * d[1], 1.6 * size * d[2]}, 2 * math.Pi * rng.Float64(), 0.75 * math.Pow(0.86, float64(i))}
}

// extinction is A_V up to a distance: an exponential layer of dust, denser inwards, times a pattern of clouds.
func (r *Reader) extinction(d [3]float64, distance float64) float64 {
	slope := math.Abs(d[2]) / dustHeight
	path := distance
	if slope*distance > 1e-6 {
		path = -math.Expm1(-slope*distance) / slope
	}
	pattern := 0.0
	for i := range r.dust {
		w := &r.dust[i]
		pattern += w.height * math.Sin(w.phase+w.vector[0]*d[0]+w.vector[1]*d[1]+w.vector[2]*d[2])
	}
	inward := 1 + 0.8*max(d[0], 0)
	return min(dustPerKpc*path*inward*math.Exp(pattern), 30)
}
