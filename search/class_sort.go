package search

import "slices"

// classed is a batch sorted by class: order holds input indexes; runs of equal class are classes, and one or two classes,
// a class and its mirror, share a generator.
type classed struct {
	order      []uint32
	classes    []classRun
	generators []Class
}

// classRun is one class of a batch: its positions are order[first:first+count], its roots those of a generator plus shift.
type classRun struct {
	generator, shift, first, count uint32
}

// A key stands for a run of neighbouring positions of one class. It holds, from the top, x, the smaller of z and its mirror, one
// bit for "this is the mirror", and the run's number.
const (
	runBits = 16
	zBits   = 17
)

// classSorter sorts batches by class. It keeps its memory from batch to batch; what it returns is valid until the next.
type classSorter struct {
	keys, spare []uint64
	first       []uint32 // input index where each run begins, and where the last one ends
	out         classed
}

// byClass sorts a batch by class, mirror classes next to each other and equal x together. Up to 65,536 positions.
func (c *classSorter) byClass(s Shape, in []Pos) *classed {
	keys := c.sort(s, in)
	out := &c.out
	out.order = slices.Grow(out.order[:0], len(in))
	out.classes, out.generators = out.classes[:0], out.generators[:0]
	last := ^uint64(0)
	for _, key := range keys {
		run := key & (1<<runBits - 1)
		from, to := c.first[run], c.first[run+1]
		at := uint32(len(out.order))
		for i := from; i < to; i++ {
			out.order = append(out.order, i)
		}
		class := key >> runBits
		if class == last {
			out.classes[len(out.classes)-1].count += to - from
			continue
		}
		g := Class{uint32(class >> (zBits + 1)), uint32(class>>1) & (1<<zBits - 1)}
		if class>>1 != last>>1 || len(out.generators) == 0 {
			out.generators = append(out.generators, g)
		}
		next := classRun{generator: uint32(len(out.generators) - 1), first: at, count: to - from}
		if class&1 == 1 {
			next.shift = s.mirrorShift(g.Z)
		}
		out.classes = append(out.classes, next)
		last = class
	}
	return out
}

// sort returns the keys of a batch in order: a radix sort of three passes, from the low digit up, whose counts are taken
// while the keys are made. Equal classes keep the order of the input.
func (c *classSorter) sort(s Shape, in []Pos) []uint64 {
	const digit, passes = 12, 3
	var counts [passes][1 << digit]uint32
	c.keys, c.first = c.keys[:0], c.first[:0]
	mx, mz := s.Moduli()
	turn := -kappa() - uint32(s.L-1)
	last := ^uint64(0)
	for i, p := range in {
		x, z := uint32(p.X)&(mx-1), uint32(p.Z)&(mz-1)
		mirrored := uint32(0)
		if other := (turn - z) & (mz - 1); other < z {
			z, mirrored = other, 1
		}
		class := uint64(x)<<(zBits+1) | uint64(z)<<1 | uint64(mirrored)
		if class == last {
			continue
		}
		last = class
		c.keys = append(c.keys, class<<runBits|uint64(len(c.first)))
		c.first = append(c.first, uint32(i))
		for pass := range counts {
			counts[pass][class>>(pass*digit)&(1<<digit-1)]++
		}
	}
	c.first = append(c.first, uint32(len(in)))
	c.spare = slices.Grow(c.spare[:0], len(c.keys))[:len(c.keys)]
	for pass := range counts {
		start := &counts[pass]
		sum := uint32(0)
		for d, n := range start {
			start[d] = sum
			sum += n
		}
		for _, k := range c.keys {
			d := k >> (runBits + pass*digit) & (1<<digit - 1)
			c.spare[start[d]] = k
			start[d]++
		}
		c.keys, c.spare = c.spare, c.keys
	}
	return c.keys
}

// perPosition is the arrangement of modes 0 and 1: every position is a class and a generator of its own, in input order.
func (s Shape) perPosition(in []Pos) *classed {
	out := &classed{order: make([]uint32, len(in)), classes: make([]classRun, len(in)), generators: make([]Class, len(in))}
	mx, mz := s.Moduli()
	for i, p := range in {
		out.order[i] = uint32(i)
		out.classes[i] = classRun{generator: uint32(i), first: uint32(i), count: 1}
		out.generators[i] = Class{uint32(p.X) & (mx - 1), uint32(p.Z) & (mz - 1)}
	}
	return out
}
