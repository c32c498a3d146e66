package catalog

import "math"

// UnitVector of a longitude and latitude in degrees.
func UnitVector(lon, lat float64) [3]float64 {
	sinLon, cosLon := math.Sincos(lon * (math.Pi / 180))
	sinLat, cosLat := math.Sincos(lat * (math.Pi / 180))
	return [3]float64{cosLat * cosLon, cosLat * sinLon, sinLat}
}

// Degrees returns the longitude in [0, 360) and latitude of a unit vector; the latitude keeps its precision at the poles.
func Degrees(v [3]float64) (lon, lat float64) {
	lon = wrap(math.Atan2(v[1], v[0]) * (180 / math.Pi))
	return lon, math.Atan2(v[2], math.Hypot(v[0], v[1])) * (180 / math.Pi)
}

// wrap takes an angle into [0, 360) and leaves one that lies there unchanged to the bit. A tiny negative angle, whose sum with 360 rounds to
// 360, gives 0.
func wrap(lon float64) float64 {
	if lon >= 0 && lon < 360 {
		return lon
	}
	if lon = math.Mod(lon, 360); lon < 0 {
		lon += 360
	}
	if lon >= 360 {
		return 0
	}
	return lon
}

// radiansPerMas turns milliarcseconds into radians.
const radiansPerMas = math.Pi / (180 * 3600 * 1000)

// Move carries a unit vector along its proper motion (mas/yr, pmRA with cos dec) for a time in years: uniform motion along
// the tangent, normalised (ESA SP-1200, section 1.5.5, without parallax and radial velocity). It holds at any declination but the
// exact poles, where the directions of pmRA and pmDec are those at RA 0.
func Move(v [3]float64, pmRA, pmDec, years float64) [3]float64 {
	rho := math.Hypot(v[0], v[1])
	cosRA, sinRA := 1.0, 0.0
	if rho > 0 {
		cosRA, sinRA = v[0]/rho, v[1]/rho
	}
	east, north := pmRA*radiansPerMas*years, pmDec*radiansPerMas*years
	moved := [3]float64{
		v[0] - east*sinRA - north*v[2]*cosRA,
		v[1] + east*cosRA - north*v[2]*sinRA,
		v[2] + north*rho,
	}
	n := math.Sqrt(moved[0]*moved[0] + moved[1]*moved[1] + moved[2]*moved[2])
	return [3]float64{moved[0] / n, moved[1] / n, moved[2] / n}
}

// galactic is the rotation from ICRS to galactic coordinates (ESA SP-1200, section 1.5.3, equation 1.5.11).
var galactic = [3][3]float64{
	{-0.0548755604162154, -0.8734370902348850, -0.4838350155487132},
	{+0.4941094278755837, -0.4448296299600112, +0.7469822444972189},
	{-0.8676661490190047, -0.1980763734312015, +0.4559837761750669},
}

// FromGalactic turns a galactic unit vector into an ICRS one.
func FromGalactic(g [3]float64) (v [3]float64) {
	for i := range v {
		v[i] = galactic[0][i]*g[0] + galactic[1][i]*g[1] + galactic[2][i]*g[2]
	}
	return v
}
