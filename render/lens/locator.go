package lens

import (
	"context"
	"math"

	"grsplat/render/healpix"
)

// A Locator finds the triangles of a map that may hold a direction. It is a hierarchy of bounds over the triangles in their Morton
// order, so that neighbours in the image are neighbours in the hierarchy; and, for each cell of a coarse HEALPix grid, the list of
// those bounds that touch it and are no wider than it. The list takes the upper levels, which overlap where the map folds, off
// each look-up; the hierarchy below it does not grow with the length of the needles beside a shadow, as a list of triangles for
// each fine cell would. It only reads after NewLocator.
type Locator struct {
	m *Map
	// bound holds the levels one after the other, leaves first; those below leaves bound triangles.
	bound  []bound
	leaves int32
	top    []int32 // the coarsest level, in order
	// box bounds each triangle in the coordinates of its leaf.
	box []box
	// sense is the sign of det of each triangle's sky vectors.
	sense []int8
	slack float64 // of the floating edge test
	shape [maxCellOrder + 1]cellShape
	// cell holds the tree of sky cells: first those of topOrder.
	cell []cellNode
	list []int32 // of bounds, ascending in each cell's list
	// treeOrder is that of the finest cells of the tree.
	treeOrder int
}

// cellNode is a cell with the bounds list[first:first+count], or, where count is quartered, with its quarters from cell first on.
type cellNode struct{ first, count int32 }

// cellShape is the circumscribed circle of the HEALPix cells of an order.
type cellShape struct{ sin, cos, chord float64 }

const (
	leafTriangles = 8 // triangles in a leaf, at most
	fan           = 4 // bounds under one of the next level
	topBounds     = 16
	maxCellOrder  = 14 // finest cells that classes are made of: 13 arc seconds
	// A leaf stops growing when its radius would be this many times that of its largest triangle: the Morton curve jumps.
	leafSpread = 3.0
)

// NewLocator indexes a map, using threads threads (0 for all).
func NewLocator(ctx context.Context, m *Map, threads int) (*Locator, error) {
	l := &Locator{m: m, box: make([]box, len(m.Triangle)), sense: make([]int8, len(m.Triangle))}
	// The rounding of s . (p x q): 2 sqrt 3 + 3 units in the last place of |s||p||q|, with s a unit vector, and some to spare.
	l.slack = 1e-15 * math.Pow(m.longest(), 2)
	for o := range l.shape {
		radius := healpix.Radius(o)
		sin, cos := math.Sincos(radius)
		l.shape[o] = cellShape{sin, cos, 2*math.Sin(radius/2) + boundSlack}
	}
	err := spread(ctx, threads, len(m.Triangle), func(i int) {
		t := &m.Triangle[i]
		l.sense[i] = int8(volumeSign(m.Vertex[t[0]].Sky, m.Vertex[t[1]].Sky, m.Vertex[t[2]].Sky))
	})
	if err != nil {
		return nil, err
	}
	if err := l.grow(ctx, threads); err != nil {
		return nil, err
	}
	return l, l.tile(ctx, threads)
}

// run is a half-open range of triangles.
type run struct{ first, past int32 }

// grow builds the levels.
func (l *Locator) grow(ctx context.Context, threads int) error {
	c := &caster{Locator: l, unit: make([]Vec, len(l.m.Vertex)), cos: make([]float64, len(l.m.Triangle))}
	err := spread(ctx, threads, len(c.unit), func(i int) { c.unit[i] = unit(l.m.Vertex[i].Sky) })
	if err != nil {
		return err
	}
	if err := spread(ctx, threads, len(c.cos), func(t int) { c.measure(int32(t)) }); err != nil {
		return err
	}
	runs := c.gather()
	l.leaves = int32(len(runs))
	l.bound = make([]bound, len(runs))
	err = spreadBlocks(ctx, threads, len(runs), 256, func(i int) { l.bound[i] = c.bind(runs[i].first, runs[i].past) })
	if err != nil {
		return err
	}
	first := 0
	for len(l.bound)-first > topBounds {
		past := len(l.bound)
		for i := first; i < past; i += fan {
			below := l.bound[i:min(i+fan, past)]
			b := enclose(below)
			b.first, b.count = int32(i), int32(len(below))
			l.bound = append(l.bound, b)
		}
		first = past
	}
	for i := first; i < len(l.bound); i++ {
		l.top = append(l.top, int32(i))
	}
	return nil
}

// gather cuts the triangles into runs for the leaves.
func (c *caster) gather() []run {
	var out []run
	n := int32(len(c.cos))
	for first := int32(0); first < n; {
		sum, widest := c.axis(first), c.cos[first]
		past := first + 1
		for past < n && past-first < leafTriangles {
			grown := add(sum, c.axis(past))
			widest = math.Min(widest, c.cos[past])
			if c.reach(first, past+1, unit(grown)) < math.Cos(math.Min(1, leafSpread*math.Acos(math.Min(1, widest)))) {
				break
			}
			sum = grown
			past++
		}
		out = append(out, run{first, past})
		first = past
	}
	return out
}

// reach returns the cosine of the distance of the farthest corner of some triangles from a direction.
func (c *caster) reach(first, past int32, from Vec) float64 {
	least := 1.0
	for t := first; t < past; t++ {
		for _, v := range c.corners(t) {
			least = math.Min(least, dot(from, v))
		}
	}
	return least
}
