package lens

import (
	"context"
	"math"
	"runtime"

	"grsplat/render/healpix"
)

// A cutter builds the tree of a locator.
type cutter struct {
	*Locator
	sin, cos [leafOrder + 1]float64 // of the circumscribed radius of the cells of each order
	chord    [leafOrder + 1]float64 // and its chord
	centre   [topOrder + 1][]Vec    // of the cells down to topOrder
}

func newCutter(l *Locator) *cutter {
	c := &cutter{Locator: l}
	for o := range c.sin {
		radius := healpix.Radius(o)
		c.sin[o], c.cos[o] = math.Sincos(radius)
		c.chord[o] = 2*math.Sin(radius/2) + boundSlack
	}
	for o := range c.centre {
		c.centre[o] = make([]Vec, healpix.Cells(o))
		for pix := range c.centre[o] {
			c.centre[o][pix] = healpix.Center(o, uint64(pix))
		}
	}
	return c
}

// touches reports whether a patch may touch the cell of an order with the given centre. It errs on the side of yes.
func (c *cutter) touches(order int, centre *Vec, p *patch) bool {
	reach := c.chord[order]
	if d := dot(p.across, *centre); d < p.box.low[0]-reach || d > p.box.high[0]+reach {
		return false
	}
	if d := dot(p.along, *centre); d < p.box.low[1]-reach || d > p.box.high[1]+reach {
		return false
	}
	if p.cos < 0 {
		return true
	}
	// The sum of the radii is below 180 degrees.
	sin := math.Sqrt(math.Max(0, 1-p.cos*p.cos))
	return dot(p.axis, *centre) >= c.cos[order]*p.cos-c.sin[order]*sin-boundSlack
}

// A twig is the subtree of one top cell while it grows, with numbers of its own.
type twig struct {
	node  []treeNode
	strip []stripes
	list  []int32
}

// grow builds the tree: patches are dealt to the top cells, whose subtrees then grow side by side.
func (l *Locator) grow(ctx context.Context, threads int) error {
	c := newCutter(l)
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	// Each thread deals a run of patches; the runs of a cell, put together, ascend.
	deals := make([][][]int32, threads)
	err := spreadBlocks(ctx, threads, threads, 1, func(k int) {
		deals[k] = make([][]int32, healpix.Cells(topOrder))
		n := len(l.patch)
		for t := k * n / threads; t < (k+1)*n/threads; t++ {
			for face := range uint64(12) {
				c.deal(deals[k], 0, face, int32(t))
			}
		}
	})
	if err != nil {
		return err
	}
	twigs := make([]twig, healpix.Cells(topOrder))
	err = spreadBlocks(ctx, threads, len(twigs), 8, func(cell int) {
		var in []int32
		for _, deal := range deals {
			in = append(in, deal[cell]...)
			deal[cell] = nil
		}
		if len(in) > 0 {
			w := &twigs[cell]
			w.node = append(w.node, treeNode{})
			c.grow(w, 0, topOrder, uint64(cell), in)
		}
	})
	if err != nil {
		return err
	}
	l.join(twigs)
	return nil
}

// deal adds a patch to the lists of the top cells below a cell that it may touch.
func (c *cutter) deal(lists [][]int32, order int, cell uint64, p int32) {
	if !c.touches(order, &c.centre[order][cell], &c.patch[p]) {
		return
	}
	if order == topOrder {
		lists[cell] = append(lists[cell], p)
		return
	}
	for k := range uint64(4) {
		c.deal(lists, order+1, cell<<2|k, p)
	}
}

const (
	leafFull = 6 // patches that a leaf may have without a try at cutting it
	// Quarters of a cell list a quarter of the compact patches each and half of the long ones, and some more for the overlap. Above
	// goodQuarter strips are tried first; above fairQuarter the cell is not quartered.
	goodQuarter = 0.45
	fairQuarter = 0.55
	stripFull   = 3 // patches in a strip, if none were in two
	copies      = 4 // strips that list a patch, at most, on average
)

// grow makes the subtree of node at, a cell of the order that may touch the patches of in.
func (c *cutter) grow(w *twig, at, order int, cell uint64, in []int32) {
	if len(in) <= leafFull {
		w.leaf(at, in)
		return
	}
	var child [4][]int32
	share := 1.0
	if order < leafOrder {
		sum := 0
		for k := range child {
			centre := healpix.Center(order+1, cell<<2|uint64(k))
			child[k] = make([]int32, 0, len(in)/2+4)
			for _, p := range in {
				if c.touches(order+1, &centre, &c.patch[p]) {
					child[k] = append(child[k], p)
				}
			}
			sum += len(child[k])
		}
		share = float64(sum) / float64(4*len(in))
	}
	if share > goodQuarter && c.stripe(w, at, order, healpix.Center(order, cell), in) {
		return
	}
	if share > fairQuarter {
		w.leaf(at, in)
		return
	}
	first := len(w.node)
	w.node = append(w.node, make([]treeNode, 4)...)
	w.node[at] = treeNode{int32(first), quartered}
	for k := range child {
		c.grow(w, first+k, order+1, cell<<2|uint64(k), child[k])
	}
}

// leaf lists in at node at.
func (w *twig) leaf(at int, in []int32) {
	w.node[at] = treeNode{int32(len(w.list)), int32(len(in))}
	w.list = append(w.list, in...)
}

// stripe cuts the cell around a centre into strips, unless that would copy its patches too often.
func (c *cutter) stripe(w *twig, at, order int, centre Vec, in []int32) bool {
	n := int32(len(in) / stripFull)
	if n < 2 {
		return false
	}
	// Strips lie along the longest of the patches.
	longest := &c.patch[in[0]]
	for _, i := range in {
		if p := &c.patch[i]; p.cos < longest.cos {
			longest = p
		}
	}
	middle, reach := dot(longest.across, centre), c.chord[order]
	s := stripes{normal: longest.across, low: middle - reach, scale: float64(n) / (2 * reach), first: int32(len(w.node)), count: n}
	type span struct{ from, to int32 }
	spans := make([]span, len(in))
	total := 0
	for i, p := range in {
		low, high := c.extent(order, &centre, &s.normal, &c.patch[p])
		spans[i] = span{s.at(low), s.at(high)}
		total += int(spans[i].to - spans[i].from + 1)
	}
	if total > copies*len(in) {
		return false
	}
	w.node[at] = treeNode{int32(len(w.strip)), striped}
	w.strip = append(w.strip, s)
	w.node = append(w.node, make([]treeNode, n)...)
	for k := range n {
		first := len(w.list)
		for i, p := range in {
			if spans[i].from <= k && k <= spans[i].to {
				w.list = append(w.list, p)
			}
		}
		w.node[s.first+k] = treeNode{int32(first), int32(len(w.list) - first)}
	}
	return true
}

// extent bounds x . normal for the points x of a patch in a cell. With a slab's normal m, normal = a m + r and so x . normal =
// a (x . m) + x . r, where the slab bounds x . m, and x . r is that of the cell's centre give or take |r| times the cell's chord.
func (c *cutter) extent(order int, centre, normal *Vec, p *patch) (low, high float64) {
	reach := c.chord[order]
	a := dot(*normal, p.across)
	r := sub(*normal, scale(a, p.across))
	d, e := dot(*centre, r), norm(r)*reach+boundSlack
	x, y := a*p.box.low[0], a*p.box.high[0]
	middle := dot(*centre, *normal)
	return math.Max(middle-reach, math.Min(x, y)+d-e), math.Min(middle+reach, math.Max(x, y)+d+e)
}
