package lens

import "math"

// A chart is the region of the image plane that a map covers, as a rectangle of parameters (p, q). In tan and car the
// parameters are the pixel itself. In zea they are the position angle, clockwise from up, and the angle from the look, both in
// radians: so the disc's rim and centre are sides of the rectangle.
type chart struct {
	optics         *Optics
	p0, p1, q0, q1 float64
	columns, rows  int  // root cells
	wrap           bool // the sides p0 and p1 are one meridian of the sky
	pole0, pole1   bool // the side q0 (q1) is one direction of the sky: up and down in car, forward and backward in zea
}

// rootPixels is the side of a root cell, about: coarse enough to be cheap, fine enough to notice a lens between its corners.
const rootPixels = 32

// newChart covers the frame and margin pixels around it, as far as the projection goes. A full sky has no margin.
func newChart(o *Optics, margin float64) *chart {
	c := &chart{optics: o}
	if o.cam.Projection == Zea {
		radius := 2 * o.pixels
		c.p1, c.q1 = 2*math.Pi, math.Pi
		c.wrap, c.pole0, c.pole1 = true, true, true
		c.rows = max(4, int(math.Ceil(radius/rootPixels)))
		c.columns = 4 * c.rows
		return c
	}
	halfX, halfY := float64(o.cam.W)/2+margin, float64(o.cam.H)/2+margin
	if o.cam.Projection == Car {
		if full := math.Pi * o.pixels; halfX >= full*(1-1e-12) {
			halfX, c.wrap = full, true
		}
		if full := math.Pi / 2 * o.pixels; halfY >= full*(1-1e-12) {
			halfY, c.pole0, c.pole1 = full, true, true
		}
	}
	c.p0, c.p1 = o.cx-halfX, o.cx+halfX
	c.q0, c.q1 = o.cy-halfY, o.cy+halfY
	c.columns = max(1, int(math.Ceil((c.p1-c.p0)/rootPixels)))
	c.rows = max(1, int(math.Ceil((c.q1-c.q0)/rootPixels)))
	if c.wrap {
		c.columns = max(8, c.columns) // so that two triangles share one edge at most
	}
	return c
}

// place returns the pixel of a parameter point and the direction seen there, in the observer's frame and with Ray's length.
func (c *chart) place(p, q float64) (x, y float64, dir Vec) {
	o := c.optics
	if o.cam.Projection != Zea {
		switch {
		case c.pole0 && q == c.q0:
			return p, q, o.up
		case c.pole1 && q == c.q1:
			return p, q, scale(-1, o.up)
		}
		dir, _ = o.Ray(p, q)
		return p, q, dir
	}
	sp, cp := math.Sincos(p)
	radius := 2 * o.pixels * math.Sin(q/2)
	x, y = o.cx+radius*sp, o.cy-radius*cp
	switch q {
	case c.q0:
		return o.cx, o.cy, o.forward
	case c.q1:
		return x, y, scale(-1, o.forward)
	}
	sq, cq := math.Sincos(q)
	return x, y, o.frame(sq*sp, sq*cp, cq)
}

// parameters is place backwards, for a pixel inside the projection.
func (c *chart) parameters(x, y float64) (p, q float64) {
	o := c.optics
	if o.cam.Projection != Zea {
		return x, y
	}
	r, u := x-o.cx, o.cy-y
	p = math.Atan2(r, u)
	if p < 0 {
		p += 2 * math.Pi
	}
	return p, 2 * math.Asin(math.Min(1, math.Hypot(r, u)/(2*o.pixels)))
}

// roots fills an empty mesh with the root grid: each cell is two triangles whose common base is the diagonal, so that every
// edge is the base of both its triangles or of neither, which newest-vertex bisection needs to end.
func (c *chart) roots(m *mesh) {
	nx, ny := c.columns, c.rows
	side := nx + 1
	for j := range ny + 1 {
		q := c.q0 + (c.q1-c.q0)*float64(j)/float64(ny)
		if j == ny {
			q = c.q1
		}
		for i := range nx + 1 {
			p := c.p0 + (c.p1-c.p0)*float64(i)/float64(nx)
			twin := int32(-1)
			if i == nx {
				p = c.p1
				if c.wrap {
					twin = int32(j * side)
				}
			}
			m.addVertex(p, q, twin)
		}
	}
	// Triangle 2k of cell k holds its top and right sides, 2k+1 its left and bottom sides.
	cell := func(i, j int) int32 {
		if c.wrap {
			i = (i + nx) % nx
		}
		if i < 0 || i >= nx || j < 0 || j >= ny {
			return -1
		}
		return int32(2 * (j*nx + i))
	}
	other := func(k int32) int32 {
		if k < 0 {
			return -1
		}
		return k + 1
	}
	for j := range ny {
		for i := range nx {
			v00 := int32(j*side + i)
			v10, v01, v11 := v00+1, v00+int32(side), v00+int32(side)+1
			self := cell(i, j)
			m.addTriangle([3]int32{v11, v00, v10}, [3]int32{other(cell(i, j-1)), other(cell(i+1, j)), self + 1})
			m.addTriangle([3]int32{v00, v11, v01}, [3]int32{cell(i, j+1), cell(i-1, j), self})
		}
	}
}
