package search

import (
	"math/bits"
	"slices"
)

// Groups. The 2^17 values m of a task are tried in groups m = g + 2^L n. For two chunks i, j let delta = D_i - D_j mod
// 2^17. If the low L bits of g + D_j do not carry when delta is added, then (m+D_i)^C' - (m+D_j)^C' is the same for every
// n, and so is V_i - V_j, whatever t: the group is dead unless that difference lies within pairArc. Such a pair with delta
// below 2^L speaks for the 2^L - delta groups without a carry.
//
// L = 13 is the group filter of 16; 25 chunks in 16 bins give 9 pairs or more at every g. Starting at a lower L, larger
// groups die by the pairs with small delta, and only what survives is split, down to groups of 16.
const (
	groupBits = 13 // the finest level, groups of 16
	coarsest  = 10 // lowest level at which a sieve may start
)

// pair is one test: with y = g + low, the group at g passes if y's low bits carry, or if
// c + ((y+delta)^C' - y^C') * M” <= 2*pairArc.
type pair struct{ low, delta, c uint32 }

// sieve holds the pairs of a task by rising level, and the list of living groups. A worker keeps one.
type sieve struct {
	terms terms
	pairs []pair
	level [groupBits + 1]int // pairs[:level[L]] have delta < 2^L
	list  []uint32
}

// build lists the pairs with delta below 2^13, those with fewer bits first.
func (s *sieve) build() {
	const all = maxChunks * (maxChunks - 1) / 2
	var found [all]pair
	var count [groupBits + 1]int
	t := &s.terms
	n := 0
	for i := 1; i < t.n; i++ {
		for j := range i {
			p, q := i, j
			delta := (t.d[p] - t.d[q]) & middleMask
			if delta > middleMask/2 {
				p, q = q, p
				delta = (t.d[p] - t.d[q]) & middleMask
			}
			if delta < 1<<groupBits {
				c := t.w[p] - t.w[q] + (t.d[p]-t.d[q]-delta)*circleMul + pairArc
				found[n] = pair{t.d[q] & middleMask, delta, c}
				n++
				count[bits.Len32(delta)]++
			}
		}
	}
	sum := 0
	for level, k := range count {
		s.level[level] = sum
		sum += k
	}
	s.pairs = slices.Grow(s.pairs[:0], n)[:n]
	for _, p := range found[:n] {
		at := &s.level[bits.Len32(p.delta)]
		s.pairs[*at] = p
		*at++
	}
}

// survivors returns the groups of 16, by their g in rising order, that pass the pairs of every level from start on.
func (s *sieve) survivors(start int) []uint32 {
	s.build()
	s.list = slices.Grow(s.list[:0], 1<<groupBits)
	for g := range uint32(1) << start {
		s.list = append(s.list, g)
	}
	s.apply(0, start, start)
	for level := start + 1; level <= groupBits; level++ {
		for _, g := range s.list {
			s.list = append(s.list, g|1<<(level-1))
		}
		s.apply(s.level[level-1], level, level)
		s.apply(0, level-1, level)
	}
	return s.list
}

// apply filters the list at a level. Pairs from index first on, with delta below 2^top, speak where adding delta to y's low
// level bits does not carry. If top is the level before, the list has already passed them where the lower bits do not
// carry either; what is new to them is y in [2^top - delta, 2^top).
func (s *sieve) apply(first, top, level int) {
	for i := range s.pairs[first:s.level[top]] {
		p := &s.pairs[first+i]
		if top == level {
			s.list = p.keep(s.list, level, 0, 1<<level-p.delta)
		} else {
			s.list = p.keep(s.list, level, 1<<top-p.delta, p.delta)
		}
	}
}

// keep filters the rising list in place by the pair, where y = g + low mod 2^level is in [from, from+length).
func (p *pair) keep(list []uint32, level int, from, length uint32) []uint32 {
	size := uint32(1) << level
	begin := (from - p.low) & (size - 1) // the first g, whose y is from
	end := begin + length
	if end <= size {
		i, _ := slices.BinarySearch(list, begin)
		j, _ := slices.BinarySearch(list, end)
		n := i + p.filter(list[i:i], list[i:j], from-begin)
		return append(list[:n], list[j:]...)
	}
	i, _ := slices.BinarySearch(list, end-size)
	j, _ := slices.BinarySearch(list, begin)
	n := p.filter(list[:0], list[:i], from-begin+size)
	m := n + copy(list[n:], list[i:j])
	return list[:m+p.filter(list[m:m], list[j:], from-begin)]
}

// filter stores at dst, which may overlap src from below, the g that pass with y = g + shift, and returns how many. There is no
// branch on the outcome, which is a coin toss that a processor cannot predict: the sign of a 64-bit difference is added up.
func (p *pair) filter(dst, src []uint32, shift uint32) int {
	delta, c := p.delta, p.c
	dst = dst[:len(src)]
	n := 0
	for _, g := range src {
		y := g + shift
		v := c + (((y+delta)^scrambleM)-(y^scrambleM))*circleMul
		dst[n] = g
		n += int((uint64(v) - (2*pairArc + 1)) >> 63)
	}
	return n
}
