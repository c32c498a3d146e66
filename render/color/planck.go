// Package color turns temperatures into light: Planck's law seen by the CIE 1931 2-degree observer as linear sRGB, colour
// indices into effective temperatures, and magnitudes of other bands into V.
//
// Temperatures are in kelvin and must be finite and positive; colours are linear sRGB with luminance 1 and may have a
// negative component (deep red and the far blue lie outside the sRGB triangle), which is kept.
package color

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// secondRadiation is hc/k in metre kelvin (CODATA 2018).
const secondRadiation = 1.438776877e-2

//go:embed cie1931-2deg-1nm.csv
var observerCSV string

// sample is one row of the observer's table: the wavelength as c2/lambda in kelvin and lambda^-5 times the colour
// matching functions, already turned into linear sRGB and luminance.
type sample struct {
	theta float64
	rgb   [3]float64
	y     float64
}

// observer is the table of the CIE 1931 2-degree colour matching functions, 360 to 830 nm in steps of 1 nm.
type observer []sample

// newObserver reads the embedded table. It panics on a damaged one: the file is part of the program.
func newObserver() observer {
	matrix := rgbFromXYZ()
	rows := strings.Fields(observerCSV)[1:]
	table := make(observer, len(rows))
	for i, row := range rows {
		var v [4]float64
		for j, field := range strings.SplitN(row, ",", 4) {
			x, err := strconv.ParseFloat(field, 64)
			if err != nil {
				panic(fmt.Sprintf("color: embedded observer, row %d: %v", i+1, err))
			}
			v[j] = x
		}
		// The wavelength in units of 555 nm keeps the sums near 1; the unit cancels in every ratio.
		weight := math.Pow(v[0]/555, -5)
		table[i].theta = secondRadiation / (v[0] * 1e-9)
		table[i].y = weight * v[2]
		for c := range 3 {
			table[i].rgb[c] = weight * (matrix[c][0]*v[1] + matrix[c][1]*v[2] + matrix[c][2]*v[3])
		}
	}
	return table
}

// rgbFromXYZ derives the unrounded matrix from XYZ to linear sRGB from the primaries and the white point of IEC 61966-2-1
// (Lindbloom, "RGB/XYZ Matrices").
func rgbFromXYZ() [3][3]float64 {
	primaries := [3][2]float64{{0.64, 0.33}, {0.30, 0.60}, {0.15, 0.06}}
	white := [2]float64{0.3127, 0.3290}
	var m [3][3]float64
	for c, xy := range primaries {
		m[0][c], m[1][c], m[2][c] = xy[0]/xy[1], 1, (1-xy[0]-xy[1])/xy[1]
	}
	w := [3]float64{white[0] / white[1], 1, (1 - white[0] - white[1]) / white[1]}
	inv := invert(m)
	for c := range 3 {
		scale := inv[c][0]*w[0] + inv[c][1]*w[1] + inv[c][2]*w[2]
		for r := range 3 {
			m[r][c] *= scale
		}
	}
	return invert(m)
}

// invert returns the inverse of a regular 3 x 3 matrix by cofactors.
func invert(m [3][3]float64) (inv [3][3]float64) {
	cofactor := func(r, c int) float64 {
		r1, r2, c1, c2 := (r+1)%3, (r+2)%3, (c+1)%3, (c+2)%3
		return m[r1][c1]*m[r2][c2] - m[r1][c2]*m[r2][c1]
	}
	det := m[0][0]*cofactor(0, 0) + m[0][1]*cofactor(0, 1) + m[0][2]*cofactor(0, 2)
	for r := range 3 {
		for c := range 3 {
			inv[c][r] = cofactor(r, c) / det
		}
	}
	return inv
}

// spectrum is what one temperature looks like, with derivatives with respect to ln T.
type spectrum struct {
	rgb, rgbSlope   [3]float64
	logY, logYSlope float64
}

// integrate sums Planck's law, lambda^-5/(exp(c2/(lambda T))-1), over the observer in steps of 1 nm. The exponential of the
// longest wavelength is taken out of the sum, so that nothing underflows at any temperature.
func (o observer) integrate(t float64) spectrum {
	least := o[len(o)-1].theta / t
	var rgb, slope [3]float64
	var y, ySlope float64
	for i := range o {
		s := &o[i]
		x := s.theta / t
		occupation := -1 / math.Expm1(-x) // 1/(1-exp(-x))
		planck := math.Exp(least-x) * occupation
		steep := planck * x * occupation // derivative of planck with respect to ln T, the common factor aside
		y += planck * s.y
		ySlope += steep * s.y
		for c := range 3 {
			rgb[c] += planck * s.rgb[c]
			slope[c] += steep * s.rgb[c]
		}
	}
	out := spectrum{logY: math.Log(y) - least, logYSlope: ySlope / y}
	for c := range 3 {
		out.rgb[c] = rgb[c] / y
		out.rgbSlope[c] = (slope[c] - out.rgb[c]*ySlope) / y
	}
	return out
}
