package lens

import "math"

// Vec is a vector of three-space: ICRS unless a comment says otherwise.
type Vec = [3]float64

// Direction returns the unit vector of a right ascension and declination in degrees. Multiples of 90 degrees are exact.
func Direction(raDeg, decDeg float64) Vec {
	sa, ca := sincosDegrees(raDeg)
	sd, cd := sincosDegrees(decDeg)
	return Vec{cd * ca, cd * sa, sd}
}

// sincosDegrees is exact at multiples of 90 degrees.
func sincosDegrees(deg float64) (sin, cos float64) {
	quarter := math.Round(deg / 90)
	sin, cos = math.Sincos((deg - 90*quarter) * (math.Pi / 180))
	switch math.Mod(math.Mod(quarter, 4)+4, 4) {
	case 1:
		return cos, -sin
	case 2:
		return -sin, -cos
	case 3:
		return -cos, sin
	}
	return sin, cos
}

func dot(a, b Vec) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func cross(a, b Vec) Vec {
	return Vec{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func scale(f float64, a Vec) Vec { return Vec{f * a[0], f * a[1], f * a[2]} }

func add(a, b Vec) Vec { return Vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

func sub(a, b Vec) Vec { return Vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func norm(a Vec) float64 { return math.Sqrt(dot(a, a)) }

func unit(a Vec) Vec { return scale(1/norm(a), a) }

// separation is the angle between two vectors of any length, accurate at every size.
func separation(a, b Vec) float64 { return math.Atan2(norm(cross(a, b)), dot(a, b)) }

// solidAngle of the triangle of three directions of any length (van Oosterom & Strackee 1983, IEEE Trans. Biomed. Eng.
// 30, 125). The determinant is taken of differences, so that a small triangle keeps its relative accuracy.
func solidAngle(a, b, c Vec) float64 {
	la, lb, lc := norm(a), norm(b), norm(c)
	a, b, c = scale(1/la, a), scale(1/lb, b), scale(1/lc, c)
	volume := math.Abs(dot(a, cross(sub(b, a), sub(c, a))))
	return 2 * math.Atan2(volume, 1+dot(a, b)+dot(b, c)+dot(c, a))
}
