package lens

import "math"

// A patch is a run of the map's triangles that lie together in the image, bounded on the sky by a cone and by two slabs through
// the observer, across and along. Beside a shadow triangles are needles on the sky, many times as long as they are wide and
// side by side: there the slab across bounds what the cone cannot. Patches, not triangles, are the items of the tree.
type patch struct {
	across, along Vec // unit normals of the slabs
	box           box
	axis          Vec // of the cone
	cos           float64
	first, count  int32
}

// box bounds x . across and x . along of a patch or of one of its triangles.
type box struct{ low, high [2]float64 }

const (
	patchFull = 8 // triangles in a patch
	// A patch stops growing when its radius would be this many times that of its largest triangle: the Morton curve jumps.
	patchSpread = 3.0
	// boundSlack covers the roundings of a bound and of its test.
	boundSlack = 4e-15
)

// holds returns the coordinates of a direction across and along the patch, if its bounds hold it.
func (p *patch) holds(v *Vec) (x, y float64, ok bool) {
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

// corners returns the unit sky vectors of a triangle.
func (l *Locator) corners(t int32) [3]Vec {
	v := &l.m.Triangle[t]
	return [3]Vec{unit(l.m.Vertex[v[0]].Sky), unit(l.m.Vertex[v[1]].Sky), unit(l.m.Vertex[v[2]].Sky)}
}

// cap returns the axis of a triangle and the cosine of the radius of the cap around it. Edges are below 90 degrees, so the cap is
// convex and holds the triangle.
func (l *Locator) cap(t int32) (axis Vec, cos float64) {
	c := l.corners(t)
	axis = unit(add(add(c[0], c[1]), c[2]))
	return axis, math.Min(dot(axis, c[0]), math.Min(dot(axis, c[1]), dot(axis, c[2])))
}

// gather cuts the triangles into patches.
func (l *Locator) gather() {
	n := int32(len(l.m.Triangle))
	for first := int32(0); first < n; {
		sum, largest := l.cap(first)
		past := first + 1
		for past < n && past-first < patchFull {
			axis, cos := l.cap(past)
			grown, least := add(sum, axis), math.Min(largest, cos)
			if l.reach(first, past+1, grown) < math.Cos(math.Min(1, patchSpread*math.Acos(math.Min(1, least)))) {
				break
			}
			sum, largest = grown, least
			past++
		}
		l.patch = append(l.patch, patch{first: first, count: past - first, axis: unit(sum)})
		first = past
	}
}

// reach returns the cosine of the distance of the farthest corner of some triangles from a direction.
func (l *Locator) reach(first, past int32, from Vec) float64 {
	from = unit(from)
	least := 1.0
	for t := first; t < past; t++ {
		for _, v := range l.corners(t) {
			least = math.Min(least, dot(from, v))
		}
	}
	return least
}

// bind computes the bounds of a patch around its axis, and those of its triangles.
func (l *Locator) bind(p *patch) {
	p.cos = 1
	far := p.axis
	for t := p.first; t < p.first+p.count; t++ {
		for _, v := range l.corners(t) {
			if d := dot(p.axis, v); d < p.cos {
				p.cos, far = d, v
			}
		}
	}
	// The patch is longest towards its farthest corner.
	n := cross(p.axis, far)
	if length := norm(n); length > 0 {
		p.across = scale(1/length, n)
		p.along = unit(cross(p.across, p.axis))
	}
	p.box = box{low: [2]float64{2, 2}, high: [2]float64{-2, -2}}
	for t := p.first; t < p.first+p.count; t++ {
		b := &l.box[t]
		_, cos := l.cap(t)
		c := l.corners(t)
		b.low[0], b.high[0] = interval(p.across, c, cos)
		b.low[1], b.high[1] = interval(p.along, c, cos)
		for k := range 2 {
			p.box.low[k] = math.Min(p.box.low[k], b.low[k])
			p.box.high[k] = math.Max(p.box.high[k], b.high[k])
		}
	}
	p.cos -= boundSlack
	if !(p.cos > 0) {
		p.cos = -2 // a cap beyond 90 degrees is not convex and bounds nothing
	}
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
