package search

import "math/bits"

const rootWords = lowSize / 64

// rootSet is a set of 18-bit values, stored twice over plus a word, so that a rotated word is two plain reads.
type rootSet [2*rootWords + 1]uint64

// evenStates is the set of u with bit 17 of ((u ^ C)*M + 11) equal to 0: the values that s0 + d_k mod 2^18 may take,
// because an even draw 2 h_k needs that bit, the draw's lowest.
func evenStates() *rootSet {
	set := new(rootSet)
	for u := range uint64(lowSize) {
		if ((u^scramble)*multiplier+increment)>>17&1 == 0 {
			set[u>>6] |= 1 << (u & 63)
		}
	}
	set.double()
	return set
}

func (s *rootSet) double() {
	copy(s[rootWords:], s[:rootWords])
	s[2*rootWords] = s[0]
}

// word is word w of the set rotated down by d: its bit i is the set's bit 64 w + i + d mod 2^18.
func (s *rootSet) word(w int, d uint32) uint64 {
	i, shift := w+int(d>>6), d&63
	return s[i]>>shift | s[i+1]<<1<<(63-shift)
}

// rotatedAnd stores in dst the AND over k of the set rotated by each of the shifts.
func (s *rootSet) rotatedAnd(dst *rootSet, shifts []uint32) {
	for w := range rootWords {
		word := ^uint64(0)
		for _, d := range shifts {
			word &= s.word(w, d)
		}
		dst[w] = word
	}
	dst.double()
}

// appendCommon appends, in rising order, the members of the AND over k of the set rotated by each of the shifts.
func (s *rootSet) appendCommon(out []uint32, shifts []uint32) []uint32 {
	for w := range rootWords {
		word := ^uint64(0)
		for _, d := range shifts {
			word &= s.word(w, d)
			if word == 0 {
				break
			}
		}
		for ; word != 0; word &= word - 1 {
			out = append(out, uint32(w*64+bits.TrailingZeros64(word)))
		}
	}
	return out
}

// columnShifts are the X_a mod 2^18 of a corner, rowShifts the Z_b; d_k = X_a + Z_b.
func (s Shape) columnShifts(x uint32) []uint32 {
	out := make([]uint32, s.K)
	for a := range out {
		out[a] = uint32(shiftX(int32(x), a)) & lowMask
	}
	return out
}

func (s Shape) rowShifts(z uint32) []uint32 {
	out := make([]uint32, s.L)
	for b := range out {
		out[b] = uint32(shiftZ(int32(z), b)) & lowMask
	}
	return out
}

// rootFinder lists the roots of classes. It keeps the AND over a of the last x residue, which classes with the same x share.
type rootFinder struct {
	shape  Shape
	even   *rootSet
	column rootSet
	x      uint32
	ready  bool
}

// append appends the sorted roots of a class: every r with an even state at each chunk of the rectangle.
func (f *rootFinder) append(out []uint32, c Class) []uint32 {
	if !f.ready || f.x != c.X {
		f.even.rotatedAnd(&f.column, f.shape.columnShifts(c.X))
		f.x, f.ready = c.X, true
	}
	return f.column.appendCommon(out, f.shape.rowShifts(c.Z))
}

// Roots lists the sorted roots of a class.
func (s Shape) Roots(c Class) []uint32 {
	f := rootFinder{shape: s, even: evenStates()}
	return f.append(nil, c)
}
