package healpix

import (
	"math"
	"slices"
)

// Cone lists, in ascending order, the cells of an order that a cone around
// centre may touch; radius is in radians. The list is conservative: it holds
// every touched cell, and at the rim some that are only near. A radius of pi
// or more lists the whole order; a negative or NaN radius lists nothing.
func Cone(order int, centre [3]float64, radius float64) []uint64 {
	var out []uint64
	for _, r := range ConeRanges(order, centre, radius) {
		out = slices.Grow(out, int(r[1]-r[0]))
		for p := r[0]; p < r[1]; p++ {
			out = append(out, p)
		}
	}
	return out
}

// ConeRanges is Cone as half-open ranges [first, past) of cell numbers,
// ascending and apart, so that a wide cone at a fine order stays small.
func ConeRanges(order int, centre [3]float64, radius float64) [][2]uint64 {
	if !(radius >= 0) {
		return nil
	}
	norm := math.Sqrt(centre[0]*centre[0] + centre[1]*centre[1] + centre[2]*centre[2])
	for i := range centre {
		centre[i] /= norm
	}
	c := cone{order: order, centre: centre, radius: radius}
	for o := range c.reach {
		c.reach[o] = Radius(o)
	}
	for face := range uint64(12) {
		c.descend(0, face)
	}
	return c.out
}

type cone struct {
	order  int
	centre [3]float64
	radius float64
	reach  [MaxOrder + 1]float64
	out    [][2]uint64
}

// descend adds the cells under one coarser cell.
func (c *cone) descend(order int, pix uint64) {
	d := angle(c.centre, Center(order, pix))
	if d > c.radius+c.reach[order] {
		return
	}
	if order == c.order || d+c.reach[order] <= c.radius {
		shift := 2 * uint(c.order-order)
		c.add(pix<<shift, (pix+1)<<shift)
		return
	}
	for child := range uint64(4) {
		c.descend(order+1, pix<<2|child)
	}
}

func (c *cone) add(first, past uint64) {
	if n := len(c.out); n > 0 && c.out[n-1][1] == first {
		c.out[n-1][1] = past
		return
	}
	c.out = append(c.out, [2]uint64{first, past})
}
