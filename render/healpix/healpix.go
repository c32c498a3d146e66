// Package healpix numbers equal-area cells of the sphere: the nested scheme of
// HEALPix (Gorski et al. 2005, ApJ 622, 759), for tiled catalogues and for the
// index of a lens map. Order o has 12*4^o cells.
//
// Directions are vectors of any non-zero length, so that the poles and the
// 0/360 seam are nothing special to a caller. The formulae are those of the
// paper's section 4, near the poles in the form that does not cancel.
//
// The package is its own because the one Go module of the scheme,
// github.com/owlpinetech/healpix, calls itself early stage and lacks what is
// used here: look-up by vector and cone queries.
package healpix

import "math"

// MaxOrder is the finest order whose cell numbers fit the scheme's 64 bits.
const MaxOrder = 29

// Row and longitude of the twelve faces' southernmost corners, in units of a
// face's height and of 45 degrees (Gorski et al. 2005, figure 4).
var (
	faceRow = [12]int64{2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4}
	faceLon = [12]int64{1, 3, 5, 7, 0, 2, 4, 6, 1, 3, 5, 7}
)

// Cells returns the number of cells of an order.
func Cells(order int) uint64 { return 12 << (2 * uint(order)) }

// Pixel returns the nested number of the cell that holds direction v.
// Every direction lies in exactly one cell; the zero vector and NaN have no
// meaning here and give some cell of the order.
func Pixel(order int, v [3]float64) uint64 {
	rho2 := v[0]*v[0] + v[1]*v[1]
	norm := math.Sqrt(rho2 + v[2]*v[2])
	z := v[2] / norm
	nside := int64(1) << uint(order)
	n := float64(nside)
	t := math.Atan2(v[1], v[0]) * (2 / math.Pi) // quarter turns, 0 <= t < 4
	if t < 0 {
		t += 4
	}
	if !(t < 4) {
		t = 0
	}
	if math.Abs(z) <= 2.0/3 {
		// Equatorial belt: rising and falling diagonals.
		a, b := n*(0.5+t), n*(0.75*z)
		up, down := int64(a-b), int64(a+b)
		fu, fd := up>>uint(order), down>>uint(order)
		face := fd + 8
		switch {
		case fu == fd:
			face = fu&3 | 4
		case fu < fd:
			face = fu & 3
		}
		return join(order, face, down&(nside-1), nside-1-up&(nside-1))
	}
	quarter := min(int64(t), 3)
	f := t - float64(quarter)
	// n sqrt(3 (1-|z|)), with 1-|z| = (rho/norm)^2/(1+|z|).
	s := n * math.Sqrt(3*rho2/(1+math.Abs(z))) / norm
	up := clamp(int64(f*s), nside)
	down := clamp(int64((1-f)*s), nside)
	if z > 0 {
		return join(order, quarter, nside-1-down, nside-1-up)
	}
	return join(order, quarter+8, up, down)
}

// Center returns the unit vector of a cell's centre.
func Center(order int, pix uint64) [3]float64 {
	face, x, y := split(order, pix)
	nside := int64(1) << uint(order)
	n := float64(nside)
	row := faceRow[face]<<uint(order) - x - y - 1
	ring := nside // quarter of the cells on this ring
	var z, rho float64
	switch {
	case row < nside:
		ring = row
		u := float64(ring) * float64(ring) / (3 * n * n)
		z, rho = 1-u, math.Sqrt(u*(2-u))
	case row > 3*nside:
		ring = 4*nside - row
		u := float64(ring) * float64(ring) / (3 * n * n)
		z, rho = u-1, math.Sqrt(u*(2-u))
	default:
		z = float64(2*nside-row) * 2 / (3 * n)
		rho = math.Sqrt((1 - z) * (1 + z))
	}
	lon := faceLon[face]*ring + x - y
	if lon < 0 {
		lon += 8 * ring
	}
	sin, cos := math.Sincos(float64(lon) / float64(ring) * (math.Pi / 4))
	return [3]float64{rho * cos, rho * sin, z}
}

// Radius returns an angle in radians that no point of a cell of this order
// exceeds in its distance from the cell's centre. The farthest corner belongs to
// the first cell of the ring |z| = 2/3 and lies on the ring before, at the face's
// edge.
func Radius(order int) float64 {
	n := float64(int64(1) << uint(order))
	sin, cos := math.Sincos(math.Pi / (4 * n))
	rho := math.Sqrt(5.0) / 3
	t := 1 - 1/n
	u := t * t / 3
	a := [3]float64{rho * cos, rho * sin, 2.0 / 3}
	b := [3]float64{math.Sqrt(u * (2 - u)), 0, 1 - u}
	// The slack covers the roundings of a centre and of an angle.
	return angle(a, b)*(1+1e-9) + 1e-15
}

// clamp keeps a diagonal's number inside its face: roundings on the rim of the
// polar cap may reach nside, and a NaN turns into any integer.
func clamp(i, nside int64) int64 { return max(0, min(i, nside-1)) }

// angle between two unit vectors, accurate at every size.
func angle(a, b [3]float64) float64 {
	c := [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
	return math.Atan2(math.Sqrt(c[0]*c[0]+c[1]*c[1]+c[2]*c[2]), a[0]*b[0]+a[1]*b[1]+a[2]*b[2])
}

// join interleaves a face's column and row into the nested number.
func join(order int, face, x, y int64) uint64 {
	return uint64(face)<<(2*uint(order)) | spread(uint64(x)) | spread(uint64(y))<<1
}

// split is the inverse of join.
func split(order int, pix uint64) (face int, x, y int64) {
	low := pix & (1<<(2*uint(order)) - 1)
	return int(pix >> (2 * uint(order))), int64(gather(low)), int64(gather(low >> 1))
}

// spread moves bit i of a 32-bit number to bit 2i.
func spread(v uint64) uint64 {
	v &= 0xffffffff
	v = (v ^ v<<16) & 0x0000ffff0000ffff
	v = (v ^ v<<8) & 0x00ff00ff00ff00ff
	v = (v ^ v<<4) & 0x0f0f0f0f0f0f0f0f
	v = (v ^ v<<2) & 0x3333333333333333
	return (v ^ v<<1) & 0x5555555555555555
}

// gather moves bit 2i to bit i.
func gather(v uint64) uint64 {
	v &= 0x5555555555555555
	v = (v ^ v>>1) & 0x3333333333333333
	v = (v ^ v>>2) & 0x0f0f0f0f0f0f0f0f
	v = (v ^ v>>4) & 0x00ff00ff00ff00ff
	v = (v ^ v>>8) & 0x0000ffff0000ffff
	return (v ^ v>>16) & 0x00000000ffffffff
}
