package color

import (
	"fmt"
	"math"
)

// relation is a colour to temperature relation and the range of the colour for which it was published.
type relation struct {
	low, high float64
	teff      func(x float64) float64
}

// evaluate clamps x to the published range. A NaN gives NaN.
func (r relation) evaluate(x float64) (t float64, clamped bool) {
	inside := min(max(x, r.low), r.high)
	return r.teff(inside), inside != x
}

// inverseQuadratic is the usual form 5040/(a + b x + c x^2) at solar metallicity.
func inverseQuadratic(a, b, c float64) func(float64) float64 {
	return func(x float64) float64 { return 5040 / (a + b*x + c*x*x) }
}

var (
	ballesteros      = relation{-0.4, 2.0, func(x float64) float64 { return 4600 * (1/(0.92*x+1.7) + 1/(0.92*x+0.62)) }}
	casagrande       = relation{0.07, 0.80, inverseQuadratic(0.6393, 0.6104, 0.0920)}
	mucciarelliDwarf = relation{0.39, 1.50, inverseQuadratic(0.4929, 0.5092, -0.0353)}
	mucciarelliGiant = relation{0.33, 1.81, inverseQuadratic(0.5323, 0.4775, -0.0344)}
)

// TeffBV returns the effective temperature for B-V (Ballesteros 2012, EPL 97, 34008). Like its companions it clamps the
// colour to the range of the relation and says so.
func TeffBV(bv float64) (t float64, clamped bool) { return ballesteros.evaluate(bv) }

// TeffJKs returns the effective temperature for 2MASS J-Ks at [Fe/H] = 0 (Casagrande et al. 2010, A&A 512, A54).
func TeffJKs(jks float64) (t float64, clamped bool) { return casagrande.evaluate(jks) }

// TeffBPRP returns the effective temperature of a dwarf for Gaia BP-RP at [Fe/H] = 0 (Mucciarelli, Bellazzini & Massari
// 2021, A&A 653, A90).
func TeffBPRP(bprp float64) (t float64, clamped bool) { return mucciarelliDwarf.evaluate(bprp) }

// TeffBPRPGiant is TeffBPRP for a giant.
func TeffBPRPGiant(bprp float64) (t float64, clamped bool) { return mucciarelliGiant.evaluate(bprp) }

// Band is a photometric band of the Vega system.
type Band struct {
	Name       string
	ZeroJy     float64 // flux density of magnitude 0, jansky
	Wavelength float64 // effective wavelength, micrometre
	Source     string
}

// Bands lists the bands that ToV knows; V comes first.
func Bands() []Band { return bands[:] }

var bands = [...]Band{
	{"V", 3636, 0.545, "Bessell, Castelli & Plez 1998"},
	{"J", 1594, 1.235, "Cohen, Wheaton & Megeath 2003"},
	{"H", 1024, 1.662, "Cohen, Wheaton & Megeath 2003"},
	{"Ks", 666.7, 2.159, "Cohen, Wheaton & Megeath 2003"},
	{"G", 3228.75, 0.6218, "Gaia EDR3, SVO Filter Profile Service"},
	{"BP", 3552.01, 0.511, "Gaia EDR3, SVO Filter Profile Service"},
	{"RP", 2554.95, 0.7769, "Gaia EDR3, SVO Filter Profile Service"},
}

// ToV returns the V magnitude of a black body of teff kelvin whose magnitude in the named band is mag: the flux densities
// of both bands follow Planck's law at their effective wavelengths. An unknown band gives NaN.
func ToV(band string, mag, teff float64) float64 {
	for i := range bands {
		if bands[i].Name == band {
			return mag + 2.5*(bands[i].logPlanck(teff)-bands[0].logPlanck(teff))
		}
	}
	return math.NaN()
}

// Derivation says how ToV turns a magnitude of the named band into V, with its constants and their sources. It is empty for V and
// for a band that is unknown.
func Derivation(band string) string {
	for i := range bands[1:] {
		if b, v := &bands[1+i], &bands[0]; b.Name == band {
			return fmt.Sprintf("V from %s by the black body of each star's temperature between %s = 0 at %g Jy, %g um (%s) and V = 0 at %g Jy, %g um (%s)",
				b.Name, b.Name, b.ZeroJy, b.Wavelength, b.Source, v.ZeroJy, v.Wavelength, v.Source)
		}
	}
	return ""
}

// logPlanck returns log10 of B_nu(T) at the effective wavelength in units of the zero point, up to a common constant.
// B_nu ~ lambda^-3/(exp(x)-1), and ln(exp(x)-1) = x + ln(1-exp(-x)) holds for any x.
func (b *Band) logPlanck(teff float64) float64 {
	x := secondRadiation / (b.Wavelength * 1e-6 * teff)
	return (-3*math.Log(b.Wavelength) - x - math.Log(-math.Expm1(-x)) - math.Log(b.ZeroJy)) / math.Ln10
}
