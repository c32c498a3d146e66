package search

// cluster is the hits of one task with the same m: w = first, first+1 .. first+count-1 (mod 2^13).
type cluster struct {
	task         Task
	m            uint32
	first, count uint32
}

// interval solves for the top bits: all V_k(m) lie on an arc from start, of length span, and the rotations 2^19 w that
// bring the arc inside [0, arc] are consecutive. ok is false when there is none.
func (t *terms) interval(m uint32) (first, count uint32, ok bool) {
	base := t.value(0, m)
	var low, high int32
	for k := 1; k < t.n; k++ {
		d := int32(t.value(k, m) - base)
		low, high = min(low, d), max(high, d)
	}
	span := uint32(high) - uint32(low)
	if span > arc {
		return 0, 0, false
	}
	const step = 1 << (32 - topBits)
	need := -(base + uint32(low)) // rotation that takes the arc's start to 0
	first = need >> (32 - topBits)
	if need&(step-1) != 0 {
		first++
	}
	rest := first*step - need // where the start lands, below step
	if rest > arc-span {
		return 0, 0, false
	}
	return first & topMask, (arc-span-rest)/step + 1, true
}

// appendSeeds appends the seeds of a cluster at a position, one for each w: u = 5w = t*M mod 2^13.
func (c *cluster) appendSeeds(out []uint64, p Pos) []uint64 {
	inverseM := inverse(multiplier & 0xffffffff)
	origin := uint64(c.task.Root) | uint64(c.m)<<lowBits
	for i := range c.count {
		top := 5 * (c.first + i) * inverseM & topMask
		s0 := origin | uint64(top)<<(lowBits+middleBits)
		out = append(out, (s0-offset(p.X, p.Z))&mask48)
	}
	return out
}
