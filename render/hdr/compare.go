package hdr

import (
	"fmt"
	"math"
)

// A Diff says how far frame A is from frame B, the reference.
type Diff struct {
	Identical  bool       `json:"identical"`    // bit for bit
	MaxAbs     float64    `json:"max_abs"`      // largest |a-b|
	MaxAbsPeak float64    `json:"max_abs_peak"` // the same over the peak of |b|
	MaxRel     float64    `json:"max_rel"`      // largest |a-b|/|b| where |b| > floor * peak
	FluxRelRGB [3]float64 `json:"flux_rel_rgb"` // |A-B|/|B| of the plane totals
	FluxRelY   float64    `json:"flux_rel_y"`   // the same of the total luminance
	Pixels     int        `json:"pixels"`       // pixels compared
	Differing  int        `json:"differing"`    // pixels that differ in any plane
}

// Compare measures a against b. The relative error is taken where |b| exceeds floor times the peak of |b|, the largest value
// of any plane. A NaN in either frame makes the figures NaN, so that `!(d <= tol)` catches it.
func Compare(a, b *Frame, floor float64) (Diff, error) {
	if a.W != b.W || a.H != b.H {
		return Diff{}, fmt.Errorf("compare: frames of %dx%d and %dx%d pixels", a.W, a.H, b.W, b.H)
	}
	peak := b.Peak()
	d := Diff{Identical: true, Pixels: a.W * a.H}
	for i := 0; i < a.W*a.H; i++ {
		differs := false
		for c := range a.Plane {
			va, vb := a.Plane[c][i], b.Plane[c][i]
			if math.Float64bits(va) == math.Float64bits(vb) {
				continue
			}
			differs = differs || va != vb
			d.Identical = false
			e := math.Abs(va - vb)
			d.MaxAbs = maxNaN(d.MaxAbs, e)
			if !(math.Abs(vb) <= floor*peak) {
				d.MaxRel = maxNaN(d.MaxRel, e/math.Abs(vb))
			}
		}
		if differs {
			d.Differing++
		}
	}
	if peak > 0 {
		d.MaxAbsPeak = d.MaxAbs / peak
	}
	ta, tb := a.Total(), b.Total()
	for c := range ta {
		d.FluxRelRGB[c] = relative(ta[c], tb[c])
	}
	d.FluxRelY = relative(Luminance(ta), Luminance(tb))
	return d, nil
}

// Peak returns the largest magnitude of any plane, NaN if there is one.
func (f *Frame) Peak() float64 {
	var peak float64
	for _, plane := range f.Plane {
		for _, v := range plane {
			peak = maxNaN(peak, math.Abs(v))
		}
	}
	return peak
}

// maxNaN is max with NaN winning, cheaper than math.Max.
func maxNaN(a, b float64) float64 {
	if b > a || b != b {
		return b
	}
	return a
}

func relative(a, b float64) float64 {
	if a == b {
		return 0
	}
	return math.Abs(a-b) / math.Abs(b)
}
