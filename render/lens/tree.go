package lens

import (
	"context"
	"math"

	"grsplat/render/healpix"
)

// A Locator finds the triangles of a map that may hold a direction: a quadtree of HEALPix cells in which a leaf lists the
// patches of triangles that touch it. A cell is cut while that shortens the lists. It only reads after NewLocator.
type Locator struct {
	m *Map
	// top holds the node of every cell of topOrder.
	top  []int32
	node []treeNode
	// strip holds the directions along which nodes are striped.
	strip []stripes
	// list holds the patches of all leaves, ascending in each.
	list  []int32
	patch []patch
	// box bounds each triangle in the coordinates of its patch.
	box []box
	// sense is the sign of det of each triangle's sky vectors.
	sense []int8
	slack float64 // of the floating edge test
}

// treeNode is a leaf with count patches of list from first on; or, where count is quartered, it has the four children from node
// first on; or, where count is striped, the children that strip first says.
type treeNode struct{ first, count int32 }

const (
	quartered = -1
	striped   = -2
)

// stripes cut a cell into parallel strips, along which its patches are long.
type stripes struct {
	normal Vec // to the strips
	low    float64
	scale  float64 // strips per unit of x . normal
	first  int32   // node of the first strip, a leaf; the others follow
	count  int32
}

// at returns the number of the strip that holds x . normal = d.
func (s *stripes) at(d float64) int32 { return max(0, min(int32((d-s.low)*s.scale), s.count-1)) }

const (
	topOrder  = 5
	leafOrder = 14 // finest cells: 13 arc seconds
)

// NewLocator indexes a map, using threads threads (0 for all).
func NewLocator(ctx context.Context, m *Map, threads int) (*Locator, error) {
	l := &Locator{
		m:     m,
		box:   make([]box, len(m.Triangle)),
		sense: make([]int8, len(m.Triangle)),
	}
	// The rounding of s . (p x q): 2 sqrt 3 + 3 units in the last place of |s||p||q|, with s a unit vector, and some to spare.
	l.slack = 1e-15 * math.Pow(m.longest(), 2)
	err := spread(ctx, threads, len(m.Triangle), func(i int) {
		t := &m.Triangle[i]
		l.sense[i] = int8(volumeSign(m.Vertex[t[0]].Sky, m.Vertex[t[1]].Sky, m.Vertex[t[2]].Sky))
	})
	if err != nil {
		return nil, err
	}
	l.gather()
	err = spread(ctx, threads, len(l.patch), func(i int) { l.bind(&l.patch[i]) })
	if err != nil {
		return nil, err
	}
	return l, l.grow(ctx, threads)
}

// join puts the subtrees into one array each, in the order of the cells. Empty cells share node 0.
func (l *Locator) join(twigs []twig) {
	nodes, entries, strips := 1, 0, 0
	for i := range twigs {
		nodes += len(twigs[i].node)
		entries += len(twigs[i].list)
		strips += len(twigs[i].strip)
	}
	l.top = make([]int32, len(twigs))
	l.node = make([]treeNode, 1, nodes)
	l.list = make([]int32, 0, entries)
	l.strip = make([]stripes, 0, strips)
	for i := range twigs {
		w := &twigs[i]
		if len(w.node) == 0 {
			continue
		}
		node, first, strip := int32(len(l.node)), int32(len(l.list)), int32(len(l.strip))
		l.top[i] = node
		for _, n := range w.node {
			switch n.count {
			case quartered:
				n.first += node
			case striped:
				n.first += strip
			default:
				n.first += first
			}
			l.node = append(l.node, n)
		}
		for _, s := range w.strip {
			s.first += node
			l.strip = append(l.strip, s)
		}
		l.list = append(l.list, w.list...)
		*w = twig{}
	}
}

// Occupied reports whether a triangle may touch a HEALPix cell (nested); false means that no star in it has an image.
func (l *Locator) Occupied(order int, pix uint64) bool {
	if order < topOrder {
		shift := 2 * uint(topOrder-order)
		for _, at := range l.top[pix<<shift : (pix+1)<<shift] {
			if l.node[at].count != 0 {
				return true
			}
		}
		return false
	}
	return l.node[l.descend(order, pix)].count != 0
}

// descend returns the node of a cell of topOrder or finer: its own, or the leaf or striped
// node that holds it.
func (l *Locator) descend(order int, pix uint64) int32 {
	shift := 2 * uint(order-topOrder)
	at := l.top[pix>>shift]
	for l.node[at].count == quartered && shift > 0 {
		shift -= 2
		at = l.node[at].first + int32(pix>>shift&3)
	}
	return at
}

// leafOf returns the leaf of a direction.
func (l *Locator) leafOf(v *Vec) int32 {
	at := l.descend(leafOrder, healpix.Pixel(leafOrder, *v))
	if l.node[at].count != striped {
		return at
	}
	s := &l.strip[l.node[at].first]
	return s.first + s.at(s.normal[0]*v[0]+s.normal[1]*v[1]+s.normal[2]*v[2])
}
