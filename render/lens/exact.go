package lens

import "math"

// Exact signs. Whether a star is left or right of an edge decides which triangle has its image, and both neighbours must
// agree: a sign that is rounded would give a star on an edge two images, or none. sideOf and volumeSign evaluate determinants
// in floating-point expansions (Shewchuk 1997, Discrete Comput. Geom. 18, 305), and sideOf breaks ties as if the star were moved
// by infinitesimals along x, y, z (Edelsbrunner & Mucke 1990, ACM Trans. Graphics 9, 66): det(s,p,q) + e (p x q)_x + e^2 ...

// tiny is where components are flushed to zero, so that no product of three of them, nor its rounding error, underflows.
const tiny = 1e-60

func flush(v Vec) Vec {
	for i := range v {
		if math.Abs(v[i]) < tiny {
			v[i] = 0
		}
	}
	return v
}

// sideOf returns the sign of det(s, p, q), exact; where it is zero, that of the first non-zero component of p x q; and 0 only
// if p and q are parallel. It is antisymmetric in p and q, so each side of an edge gets the other's answer.
func sideOf(s, p, q Vec) int {
	if sign := volumeSign(flush(s), p, q); sign != 0 {
		return sign
	}
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		var e expansion
		e.addProduct(p[j], q[k])
		e.addProduct(-p[k], q[j])
		if sign := e.sign(); sign != 0 {
			return sign
		}
	}
	return 0
}

// volumeSign returns the exact sign of det(s, p, q) of components that are flushed.
func volumeSign(s, p, q Vec) int {
	// Rounding stays below 7 units in the last place of |s||p||q|, as in NewLocator.
	if d := triple(&s, &p, &q); d*d > 1e-30*dot(s, s)*dot(p, p)*dot(q, q) && math.Abs(d) > tiny {
		if d > 0 {
			return 1
		}
		return -1
	}
	var e expansion
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		e.addTriple(s[i], p[j], q[k])
		e.addTriple(-s[i], p[k], q[j])
	}
	return e.sign()
}

// expansion is an exact sum of doubles: non-overlapping, of growing magnitude.
type expansion struct {
	term [32]float64
	n    int
}

// add puts one more double in (Shewchuk's Grow-Expansion), leaving zeros out.
func (e *expansion) add(x float64) {
	n := 0
	for i := range e.n {
		sum, err := twoSum(x, e.term[i])
		if err != 0 {
			e.term[n] = err
			n++
		}
		x = sum
	}
	if x != 0 {
		e.term[n] = x
		n++
	}
	e.n = n
}

func (e *expansion) addProduct(a, b float64) {
	hi, lo := twoProduct(a, b)
	e.add(lo)
	e.add(hi)
}

func (e *expansion) addTriple(a, b, c float64) {
	hi, lo := twoProduct(b, c)
	e.addProduct(a, lo)
	e.addProduct(a, hi)
}

// sign of the sum is that of its largest term.
func (e *expansion) sign() int {
	if e.n == 0 {
		return 0
	}
	if e.term[e.n-1] > 0 {
		return 1
	}
	return -1
}

// twoSum returns a+b rounded and its error (Knuth).
func twoSum(a, b float64) (sum, err float64) {
	sum = a + b
	bb := sum - a
	return sum, (a - (sum - bb)) + (b - bb)
}

// twoProduct returns a*b rounded and its error.
func twoProduct(a, b float64) (product, err float64) {
	product = a * b
	return product, math.FMA(a, b, -product)
}
