// Package psf is the circular Moffat point spread function: its tail radius, the status of a star image, the kernels of
// its sub-pixel phases, and the one function that says which pixels a stamp lights.
//
// Profile (Moffat 1969, A&A 3, 455), normalised over the plane, r in pixels:
//
//	I(r) = (beta-1)/(pi a^2) (1 + r^2/a^2)^-beta,   a = FWHM/(2 sqrt(2^(1/beta)-1)).
package psf

import (
	"math"

	"grsplat/render/fail"
)

// Sampling says what a pixel's weight is.
type Sampling int

const (
	Auto   Sampling = iota // Centre for FWHM >= 2 px, else Pixel
	Centre                 // the profile at the pixel's centre
	Pixel                  // the profile integrated over the pixel
)

func (s Sampling) String() string { return [...]string{"auto", "centre", "pixel"}[s] }

// ParseSampling reads the --psf-sampling flag.
func ParseSampling(text string) (Sampling, error) {
	for _, s := range []Sampling{Auto, Centre, Pixel} {
		if text == s.String() {
			return s, nil
		}
	}
	return 0, fail.Usage("psf sampling %q is not one of auto, centre, pixel", text)
}

// MaxCacheRadius bounds the cache radius: its kernels of 8 phases take 81 (2R+2)^2 8 bytes, 0.7 GiB at 512.
const MaxCacheRadius = 512

// Params are the PSF's flags, in pixels and in units of flux.
type Params struct {
	FWHM         float64  // full width at half maximum, px
	Beta         float64  // Moffat exponent, > 1
	Tail         float64  // fraction t of the flux outside the support of a cached event
	MinY         float64  // events of less luminance flux are discarded
	MaxCacheFlux float64  // Fc: brighter events are direct
	CacheRadius  int      // px; 0 derives it from Tail
	Phases       int      // P, sub-pixel phases along each axis
	Sampling     Sampling // Auto is resolved by New
	Direct       bool     // every event is direct
}

// Defaults are the parameters of a render without PSF flags.
func Defaults() Params {
	return Params{FWHM: 2.7, Beta: 4.5, Tail: 1e-8, MaxCacheFlux: 1e8, Phases: 8}
}

// Status is what becomes of a star image.
type Status int

const (
	Discarded   Status = iota // below MinY; never reaches a sink
	Direct                    // evaluated at its true position, with the wings its flux asks for
	Cached                    // stamped from the phase kernels
	WingClipped               // cached, its circle cut to the cache radius
)

func (s Status) String() string {
	return [...]string{"discarded", "direct", "cached", "wing_clipped"}[s]
}

// A PSF is ready to use and never changes.
type PSF struct {
	Params
	Alpha  float64 // a of the profile, px
	R      int     // cache radius, px
	Kernel *Kernel

	norm        float64 // (beta-1)/(pi a^2)
	tailRadius  float64 // r_t(Tail)
	cacheStatus Status  // Cached or WingClipped, the same for every cached event
}

// maxKernelBytes bounds the stamps of all phases, of which a sink keeps a copy of its own.
const maxKernelBytes = 2 << 30

// New checks the parameters and computes the phase kernels.
func New(p Params) (*PSF, error) {
	switch {
	case !(p.FWHM >= 0.1 && p.FWHM <= 1000):
		return nil, fail.Usage("psf: FWHM %g px is outside 0.1 to 1000", p.FWHM)
	case !(p.Beta >= 1.05 && p.Beta <= 100):
		return nil, fail.Usage("psf: Moffat beta %g is outside 1.05 to 100", p.Beta)
	case !(p.Tail >= 1e-15 && p.Tail < 1):
		return nil, fail.Usage("psf: relative tail %g is outside 1e-15 to 1", p.Tail)
	case !(p.MinY >= 0) || math.IsInf(p.MinY, 1):
		return nil, fail.Usage("psf: minimum luminance %g is not a finite number >= 0", p.MinY)
	case !(p.MaxCacheFlux > 0):
		return nil, fail.Usage("psf: greatest cached flux %g is not above 0", p.MaxCacheFlux)
	case p.Phases < 1 || p.Phases > 64:
		return nil, fail.Usage("psf: %d phases are outside 1 to 64", p.Phases)
	case p.CacheRadius < 0 || p.CacheRadius > MaxCacheRadius:
		return nil, fail.Usage("psf: cache radius %d px is outside 1 to %d", p.CacheRadius, MaxCacheRadius)
	}
	if p.Sampling == Auto {
		p.Sampling = Pixel
		if p.FWHM >= 2 {
			p.Sampling = Centre
		}
	}
	f := &PSF{Params: p, Alpha: p.FWHM / (2 * math.Sqrt(math.Exp2(1/p.Beta)-1))}
	f.norm = (p.Beta - 1) / (math.Pi * f.Alpha * f.Alpha)
	f.tailRadius = f.TailRadius(p.Tail)
	if f.R = p.CacheRadius; f.R == 0 {
		if !(f.tailRadius < MaxCacheRadius) {
			return nil, fail.Usage("psf: the tail %g reaches %.4g px, beyond the largest cache radius %d; set a cache radius or a larger tail", p.Tail, f.tailRadius, MaxCacheRadius)
		}
		f.R = int(math.Ceil(f.tailRadius)) + 1
	}
	if need := 8 * float64(p.Phases*p.Phases) * float64(2*f.R+1) * float64(2*f.R+1); need > maxKernelBytes {
		return nil, fail.Usage("psf: %dx%d phases of stamps of radius %d px take %.3g GiB, at most %d; choose fewer phases or a smaller radius",
			p.Phases, p.Phases, f.R, need/(1<<30), maxKernelBytes>>30)
	}
	f.cacheStatus = Cached
	if f.tailRadius > float64(f.R) {
		f.cacheStatus = WingClipped
	}
	f.Kernel = newKernel(f)
	return f, nil
}

// TailRadius returns r_t(t) in pixels: the fraction t of the flux lies outside it. From the flux outside r,
// (1 + r^2/a^2)^(1-beta).
func (f *PSF) TailRadius(t float64) float64 {
	return f.Alpha * math.Sqrt(math.Pow(t, 1/(1-f.Beta))-1)
}

// IsDirect says whether an event of this flux is summed apart from the stamps.
func (f *PSF) IsDirect(flux float64) bool { return f.Params.Direct || flux > f.MaxCacheFlux }

// Classify returns the status of a star image of luminance flux and the radius in pixels of its circle. A direct event
// brighter than Fc has the tail t Fc/F, so that it loses no more than t Fc in absolute flux.
func (f *PSF) Classify(flux float64) (Status, float64) {
	switch {
	case flux < f.MinY:
		return Discarded, 0
	case flux > f.MaxCacheFlux:
		return Direct, f.TailRadius(f.Tail * f.MaxCacheFlux / flux)
	case f.Params.Direct:
		return Direct, f.tailRadius
	}
	return f.cacheStatus, min(f.tailRadius, float64(f.R))
}

// Profile returns I(r) per square pixel from r^2.
func (f *PSF) Profile(r2 float64) float64 {
	return f.norm * math.Pow(1+r2/(f.Alpha*f.Alpha), -f.Beta)
}

// At returns the weight of the pixel whose centre lies (dx, dy) px from the star, by the PSF's sampling.
func (f *PSF) At(dx, dy float64) float64 {
	if f.Params.Sampling == Pixel {
		return f.pixelIntegral(dx, dy)
	}
	return f.Profile(dx*dx + dy*dy)
}

// TailFraction returns the fraction of the flux outside r px, (1 + r^2/a^2)^(1-beta).
func (f *PSF) TailFraction(r float64) float64 {
	return math.Pow(1+r*r/(f.Alpha*f.Alpha), 1-f.Beta)
}

// RoundedAway returns the fraction of the flux of one colour component that exact sums of 2^-bits lose, because its
// contributions there are below half a quantum: the flux between the radius where amplitude*I(r) falls below 2^-(bits+1) and
// the support. amplitude is |flux*colour|.
func (f *PSF) RoundedAway(amplitude, support float64, bits int) float64 {
	ratio := f.norm * amplitude * math.Ldexp(1, bits+1) // I(0)*amplitude in half quanta
	if !(ratio > 1) {
		return 1
	}
	r := f.Alpha * math.Sqrt(math.Pow(ratio, 1/f.Beta)-1)
	return max(f.TailFraction(r)-f.TailFraction(support), 0)
}
