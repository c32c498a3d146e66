package lens

import "math"

// A bound encloses a run of the map's triangles, which lie together in the image, by a cone and by two slabs through the observer,
// across and along. Beside a shadow triangles are needles on the sky, many times as long as they are wide and side by side:
// there the slab across bounds what the cone cannot.
type bound struct {
	across, along Vec // unit normals of the slabs
	box           box
	axis          Vec // of the cone
	cos           float64
	// In a leaf the triangles, above it the bounds of the level below.
	first, count int32
}

// box bounds x . across and x . along.
type box struct{ low, high [2]float64 }

// boundSlack covers the roundings of a bound and of its test.
const boundSlack = 4e-15

// holds returns the coordinates of a direction across and along, if the bound holds it.
func (p *bound) holds(v *Vec) (x, y float64, ok bool) {
	x = p.across[0]*v[0] + p.across[1]*v[1] + p.across[2]*v[2]
	if x < p.box.low[0] || x > p.box.high[0] {
		return x, 0, false
	}
	if p.axis[0]*v[0]+p.axis[1]*v[1]+p.axis[2]*v[2] < p.cos {
		return x, 0, false
	}
	y = p.along[0]*v[0] + p.along[1]*v[1] + p.along[2]*v[2]
	return x, y, y >= p.box.low[1] && y <= p.box.high[1]
}

func (b *box) holds(x, y float64) bool {
	return x >= b.low[0] && x <= b.high[0] && y >= b.low[1] && y <= b.high[1]
}

// A caster holds what bounds are computed from.
type caster struct {
	*Locator
	unit []Vec     // sky directions of the vertices
	cos  []float64 // of the radius of the cap around each triangle
}

// corners returns the unit sky vectors of a triangle.
func (c *caster) corners(t int32) [3]Vec {
	v := &c.m.Triangle[t]
	return [3]Vec{c.unit[v[0]], c.unit[v[1]], c.unit[v[2]]}
}

// axis returns the middle direction of a triangle.
func (c *caster) axis(t int32) Vec {
	v := c.corners(t)
	return unit(add(add(v[0], v[1]), v[2]))
}

// measure fills in the cap of a triangle. Edges are below 90 degrees, so the cap is convex and holds the triangle.
func (c *caster) measure(t int32) {
	v, axis := c.corners(t), c.axis(t)
	c.cos[t] = math.Min(dot(axis, v[0]), math.Min(dot(axis, v[1]), dot(axis, v[2])))
}

// bind computes the bound of triangles first to past-1, and their own boxes in its coordinates.
func (c *caster) bind(first, past int32) bound {
	p := bound{cos: 1, first: first, count: past - first}
	for t := first; t < past; t++ {
		p.axis = add(p.axis, c.axis(t))
	}
	if n := norm(p.axis); n > 0 {
		p.axis = scale(1/n, p.axis)
	}
	far := p.axis
	for t := first; t < past; t++ {
		for _, v := range c.corners(t) {
			if d := dot(p.axis, v); d < p.cos {
				p.cos, far = d, v
			}
		}
	}
	// The run is longest towards its farthest corner.
	p.frame(cross(p.axis, far))
	p.box = box{low: [2]float64{2, 2}, high: [2]float64{-2, -2}}
	for t := first; t < past; t++ {
		cos, v := c.cos[t], c.corners(t)
		var b box
		b.low[0], b.high[0] = interval(p.across, v, cos)
		b.low[1], b.high[1] = interval(p.along, v, cos)
		for k := range 2 {
			p.box.low[k] = math.Min(p.box.low[k], b.low[k])
			p.box.high[k] = math.Max(p.box.high[k], b.high[k])
		}
		c.box[t] = b
	}
	p.cos -= boundSlack
	if !(p.cos > 0) {
		p.cos = -2 // a cap beyond 90 degrees is not convex and bounds nothing
	}
	return p
}

// frame sets the slabs' normals: across along n as far as that is perpendicular to the axis, along perpendicular to both.
func (p *bound) frame(n Vec) {
	n = sub(n, scale(dot(n, p.axis), p.axis))
	if norm(n) == 0 {
		n = cross(p.axis, Vec{0, 0, 1})
		if math.Abs(p.axis[2]) > 0.9 {
			n = cross(p.axis, Vec{1, 0, 0})
		}
	}
	p.across = unit(n)
	p.along = unit(cross(p.across, p.axis))
}

// enclose returns a bound that holds every direction that one of the given bounds holds. So what a search finds does not depend
// on the level at which it starts.
func enclose(in []bound) bound {
	p := bound{cos: 1}
	var across Vec
	for i := range in {
		p.axis = add(p.axis, in[i].axis)
		n := in[i].across
		if dot(n, across) < 0 {
			n = scale(-1, n)
		}
		across = add(across, n)
	}
	if norm(p.axis) < 1e-3 {
		p.axis = in[0].axis
	}
	p.axis = unit(p.axis)
	p.frame(across)
	p.box = box{low: [2]float64{2, 2}, high: [2]float64{-2, -2}}
	for i := range in {
		c := &in[i]
		// The slack covers the rounding of an arc cosine near 0.
		radius := separation(p.axis, c.axis) + math.Acos(math.Max(-1, math.Min(1, c.cos))) + 1e-7
		p.cos = math.Min(p.cos, math.Cos(math.Min(radius, math.Pi)))
		for k, n := range [...]Vec{p.across, p.along} {
			low, high := c.extent(n)
			p.box.low[k], p.box.high[k] = math.Min(p.box.low[k], low), math.Max(p.box.high[k], high)
		}
	}
	if !(p.cos > 0) {
		p.cos = -2
	}
	return p
}

// extent bounds x . n for the directions x that a bound holds: the sum over the bound's own perpendicular axes of n's component
// times x's.
func (p *bound) extent(n Vec) (low, high float64) {
	terms := [...]struct{ n, low, high float64 }{
		{dot(n, p.across), p.box.low[0], p.box.high[0]},
		{dot(n, p.along), p.box.low[1], p.box.high[1]},
		{dot(n, p.axis), math.Max(-1, p.cos), 1},
	}
	for _, t := range terms {
		low += math.Min(t.n*t.low, t.n*t.high)
		high += math.Max(t.n*t.low, t.n*t.high)
	}
	return math.Max(low, -1) - boundSlack, math.Min(high, 1) + boundSlack
}

// interval bounds x . n for the points x of a triangle with the given corners, whose cap's cosine is cos: x is (sum of w c)/|sum of
// w c| with weights w of sum 1, and cos <= |sum of w c| <= 1.
func interval(n Vec, corners [3]Vec, cos float64) (low, high float64) {
	a, b, c := dot(n, corners[0]), dot(n, corners[1]), dot(n, corners[2])
	low, high = math.Min(a, math.Min(b, c)), math.Max(a, math.Max(b, c))
	if low < 0 {
		low /= cos
	}
	if high > 0 {
		high /= cos
	}
	return low - boundSlack, high + boundSlack
}
