package color

import "math"

// Range and density of the interpolated table. Cubic Hermite interpolation in ln T with these knots stays below 1e-8 relative
// error (asserted by the tests to 1e-7, the project's bound); outside the range Lookup integrates.
const (
	TableMin  = 100.0 // K
	TableMax  = 1e7   // K
	tableSize = 1536
)

// Table gives colour and luminance of a black body. It is immutable and safe for concurrent use.
type Table struct {
	observer observer
	knots    []spectrum // at ln T = first + i*step; empty where every lookup integrates
	first    float64
	inverse  float64 // 1/step
}

// NewTable tabulates Planck's law between TableMin and TableMax (about 20 ms).
func NewTable() *Table {
	t := NewExact()
	t.first = math.Log(TableMin)
	step := (math.Log(TableMax) - t.first) / (tableSize - 1)
	t.inverse = 1 / step
	t.knots = make([]spectrum, tableSize)
	for i := range t.knots {
		k := t.observer.integrate(math.Exp(t.first + float64(i)*step))
		// Slopes per knot interval, as the Hermite basis wants them.
		k.logYSlope *= step
		for c := range 3 {
			k.rgbSlope[c] *= step
		}
		t.knots[i] = k
	}
	return t
}

// NewExact returns a table whose every lookup sums the 471 wavelengths (`--color-exact`).
func NewExact() *Table { return &Table{observer: newObserver()} }

// Lookup returns the linear sRGB of a black body of t kelvin, scaled to luminance 1, and the natural logarithm of its
// luminance at fixed solid angle, in a unit common to all temperatures.
func (t *Table) Lookup(kelvin float64) (rgb [3]float64, logY float64) {
	if len(t.knots) == 0 || !(kelvin >= TableMin && kelvin < TableMax) {
		s := t.observer.integrate(kelvin)
		return s.rgb, s.logY
	}
	u := (math.Log(kelvin) - t.first) * t.inverse
	i := min(max(int(u), 0), len(t.knots)-2)
	u -= float64(i)
	a, b := &t.knots[i], &t.knots[i+1]
	// Cubic Hermite basis.
	v := 1 - u
	h0, g0 := (1+2*u)*v*v, u*v*v
	h1, g1 := u*u*(3-2*u), -u*u*v
	for c := range 3 {
		rgb[c] = h0*a.rgb[c] + g0*a.rgbSlope[c] + h1*b.rgb[c] + g1*b.rgbSlope[c]
	}
	return rgb, h0*a.logY + g0*a.logYSlope + h1*b.logY + g1*b.logYSlope
}

// Shift returns the colour of a black body of t kelvin seen with frequencies multiplied by g, and the factor Yb(gT)/Yb(T) by
// which its luminance at fixed solid angle changes. The factor is a ratio of logarithms raised last: it underflows to
// 0 for a star shifted out of sight and cannot overflow for t above 50 K.
func (t *Table) Shift(kelvin, g float64) (rgb [3]float64, ratio float64) {
	rgb, seen := t.Lookup(g * kelvin)
	if g == 1 {
		return rgb, 1
	}
	_, emitted := t.Lookup(kelvin)
	return rgb, math.Exp(seen - emitted)
}
