package psf

import "math"

// A Disc is the set of pixels of a w x h frame that a stamp lights: pixel (i,j) is lit when
// (i-x)^2 + (j-y)^2 <= support^2, each operation rounded to nearest even in float64. Every sink, count and fill alike, asks
// a Disc; shaders/footprint.glsl says the same.
type Disc struct {
	Y0, Y1 int // rows that may be lit, inclusive, inside the frame; Y1 < Y0 when none

	x, y, s2 float64
	w        int
}

// NewDisc returns the disc of radius support px around (x,y) px.
func NewDisc(x, y, support float64, w, h int) Disc {
	d := Disc{x: x, y: y, s2: support * support, w: w}
	d.Y0 = int(max(math.Ceil(y-support)-1, 0))
	d.Y1 = int(min(math.Floor(y+support)+1, float64(h-1)))
	if !(y+support >= -1 && y-support <= float64(h)) {
		d.Y0, d.Y1 = 0, -1
	}
	return d
}

// Row returns the lit pixels x0..x1 of row j, inclusive, inside the frame; x1 < x0 when none. In a row the rounded test is
// monotone in |i-x|, so the lit pixels are one run; its ends are guessed by a square root, clipped to the frame, where a step of one is
// exact however large the disc is, and settled by the test.
func (d *Disc) Row(j int) (x0, x1 int) {
	dy := float64(j) - d.y
	dy2 := float64(dy * dy)
	if !(dy2 <= d.s2) {
		return 0, -1
	}
	half := math.Sqrt(d.s2 - dy2)
	last := float64(d.w - 1)
	lo, hi := min(max(math.Ceil(d.x-half), 0), last+1), max(min(math.Floor(d.x+half), last), -1)
	for lo > 0 && d.lit(lo-1, dy2) {
		lo--
	}
	for lo <= hi && !d.lit(lo, dy2) {
		lo++
	}
	for hi < last && d.lit(hi+1, dy2) {
		hi++
	}
	for hi >= lo && !d.lit(hi, dy2) {
		hi--
	}
	if !(lo <= hi) {
		return 0, -1
	}
	return int(lo), int(hi)
}

func (d *Disc) lit(i, dy2 float64) bool {
	dx := i - d.x
	return float64(dx*dx)+dy2 <= d.s2
}

// Touches says whether the disc lights any pixel of the frame.
func (d *Disc) Touches() bool {
	for j := d.Y0; j <= d.Y1; j++ {
		if x0, x1 := d.Row(j); x0 <= x1 {
			return true
		}
	}
	return false
}

// Pixels counts the lit pixels of the frame.
func (d *Disc) Pixels() int64 {
	var n int64
	for j := d.Y0; j <= d.Y1; j++ {
		if x0, x1 := d.Row(j); x0 <= x1 {
			n += int64(x1 - x0 + 1)
		}
	}
	return n
}
