package mesh

import (
	"math"

	"grsplat/render/psf"
)

// V, by which the nodes of the bound at the rims are weighed (bound.go). A pixel sees an event between four nodes; the event's
// bilinear weights times their V must be at least E at the event. Each square between nodes has this demanded at points 1/64 px
// apart, at each of E's maximum within half a step all round, since the mix within a small square is least at a corner of it:
//
//	sum over the four nodes of weight(point) V(node - pixel) >= max of E near the point.
//
// V starts at E of the node and is raised, bit by bit and most where the point is near, until nothing is left below. For the
// default PSF the mean of V is 0.53 px times I(support) along the circle, where E itself has 0.31 and the maximum of E over squares
// of half a pixel 0.68.
const nodeSteps = 64 // points a pixel along an axis

// nodes holds V of the first quadrant, which the others mirror.
type nodes struct {
	perPixel, edge int // nodes along a pixel, nodes along the quadrant
	v              []float64
}

// A demand is that the mix at a point of the square whose first node is at is at least e.
type demand struct {
	at     int32
	e      float64
	weight [4]float64
}

func newNodes(f *psf.PSF, m *rim, p, perPixel int) *nodes {
	low, high := m.reach(p)
	n := &nodes{perPixel: perPixel, edge: int(math.Ceil(high*float64(perPixel))) + 2}
	n.v = make([]float64, n.edge*n.edge)
	most := m.tabulate(f, p, low, high)
	below := n.demands(most, low, high)
	for up := 0.02; len(below) > 0; up = min(up+0.01, 1) {
		below = n.raise(below, up)
	}
	for i := range n.v {
		n.v[i] *= 1 + 2*nodeSlack
	}
	return n
}

// nodeSlack is what a demand may be short of, relatively, for the rounding of sums.
const nodeSlack = 1e-9

// reach returns the distances between which E is not zero.
func (m *rim) reach(p int) (low, high float64) {
	if m.sigma == 0 {
		return m.support - math.Sqrt2/float64(p), m.support + math.Sqrt2/float64(p)
	}
	return m.r0 - fadeReach - 1/float64(p), m.r0 + fadeReach + 1/float64(p)
}

// tabulate returns the largest E within half a step of a point, as a function of the point's distance.
func (m *rim) tabulate(f *psf.PSF, p int, low, high float64) func(d float64) float64 {
	const fine = 1024 // entries a pixel
	near := math.Sqrt2 / (2 * nodeSteps)
	low, high = max(low-near, 0), high+near
	table := make([]float64, int((high-low)*fine)+2)
	for i := range table {
		d := low + float64(i)/fine
		table[i] = m.difference(f, max(d-near, 0), d+1.0/fine+near, p)
	}
	return func(d float64) float64 {
		if !(d >= low && d < high) {
			return 0
		}
		return table[int((d-low)*fine)]
	}
}

// demands sets V to E and returns the demands that it does not meet.
func (n *nodes) demands(most func(d float64) float64, low, high float64) (below []demand) {
	h := 1 / float64(n.perPixel)
	for j := range n.edge {
		for i := range n.edge {
			n.v[j*n.edge+i] = most(math.Hypot(float64(i)*h, float64(j)*h))
		}
	}
	steps := nodeSteps / n.perPixel
	for j := range n.edge - 1 {
		for i := range n.edge - 1 {
			x, y := float64(i)*h, float64(j)*h
			if math.Hypot(x, y) > high+1 || math.Hypot(x+h, y+h) < low-1 {
				continue
			}
			for v := range steps + 1 {
				for u := range steps + 1 {
					dx, dy := x+float64(u)/nodeSteps, y+float64(v)/nodeSteps
					e := most(math.Sqrt(dx*dx + dy*dy))
					if e == 0 {
						continue
					}
					tx, ty := float64(u)/float64(steps), float64(v)/float64(steps)
					d := demand{at: int32(j*n.edge + i), e: e, weight: [4]float64{(1 - tx) * (1 - ty), tx * (1 - ty), (1 - tx) * ty, tx * ty}}
					if n.mix(&d)*(1+nodeSlack) < e {
						below = append(below, d)
					}
				}
			}
		}
	}
	return below
}

func (n *nodes) mix(d *demand) float64 {
	v := n.v[d.at:]
	return d.weight[0]*v[0] + d.weight[1]*v[1] + d.weight[2]*v[n.edge] + d.weight[3]*v[n.edge+1]
}

// raise meets a part of each demand, and returns those not met before. V never falls, so the others stay met.
func (n *nodes) raise(all []demand, up float64) (below []demand) {
	below = all[:0]
	for i := range all {
		d := all[i]
		short := d.e - n.mix(&d)
		if !(short > nodeSlack*d.e) {
			continue
		}
		below = append(below, d)
		square := 0.0
		for _, w := range d.weight {
			square += w * w
		}
		v := n.v[d.at:]
		for k, at := range [4]int{0, 1, n.edge, n.edge + 1} {
			v[at] += up * short * d.weight[k] / square
		}
	}
	return below
}

// grid returns V of node (nx,ny) of a pixel, by offsets -r-1..r+1 of the lit pixel.
func (n *nodes) grid(nx, ny, r int) []float64 {
	at := func(offset, node int) int {
		k := offset*n.perPixel - node
		return min(max(k, -k), n.edge-1) // the last is 0
	}
	stride := 2*r + 3
	g := make([]float64, stride*stride)
	for j := range stride {
		for i := range stride {
			g[j*stride+i] = n.v[at(j-r-1, ny)*n.edge+at(i-r-1, nx)]
		}
	}
	return g
}
