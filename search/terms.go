package search

// The circle. h_k must be 0 mod 5 and below 2^30, with q_k = 2 h_k the chunk's draw. Multiplying by 4/5 mod 2^32 turns
// "0 mod 5" into "small": 4h/5 mod 2^32 = 4j for h = 5j, and every other residue of 30-bit h lands above 2^32/5. So with
//
//	V_k(m) = 4/5 E_k(m) mod 2^32 = W_k + ((m + D_k) ^ C') * M'',  W_k = 4/5 A_k,  M'' = 4/5 M,
//
// a seed is a hit when one rotation 2^19 w (u = 5w, because 4/5 * 2^17 u = 2^19 u/5) takes every V_k into [0, arc].
// Everything is 32-bit arithmetic without masks: bits above 30 of a product with M” vanish.
const (
	fifth     = 0xCCCCCCCD // 1/5 mod 2^32
	fourFifth = 4 * fifth & 0xffffffff
	circleMul = fourFifth * multiplier & 0xffffffff // M''
	scrambleM = scramble >> lowBits                 // C', 17 bits

	// arc is 4/5 of the largest h = 5j whose draw 10j stays below 2147483640, where Java draws again.
	arc = 4 * (2147483640/10 - 1)
	// pairArc bounds the difference of two V of one seed, as the difference filter states it: (E_i - E_j mod 2^30) is 0
	// or 4 mod 5. It lets differences of a redrawn 2147483640 through, which the interval step then refuses.
	pairArc = 4 * (1 << 30 / 5)

	middleBits = 17
	middleMask = 1<<middleBits - 1
	topBits    = 13
	topMask    = 1<<topBits - 1
)

// Task is one unit of search: a position, by its index, and a root of its class.
type Task struct{ Pos, Root uint32 }

// terms are the constants of a task: V_k(m) = w[k] + ((m + d[k]) ^ C') * M”.
type terms struct {
	n    int
	w, d [maxChunks]uint32
}

// set computes the terms of a task. The shifts d_k = X_a + Z_b have 48 bits; the low 18 meet the root, and their carry
// goes into d[k] = D_k.
func (t *terms) set(s Shape, p Pos, root uint32) {
	var row [8]uint64
	for b := range s.L {
		row[b] = shiftZ(p.Z, b)
	}
	t.n = s.Chunks()
	k := 0
	for a := range s.K {
		column := shiftX(p.X, a) + uint64(root)
		for b := range s.L {
			sum := (column + row[b]) & mask48
			state := (sum&lowMask^scramble&lowMask)*multiplier + increment
			t.w[k] = uint32(state>>lowBits) * fourFifth
			t.d[k] = uint32(sum >> lowBits)
			k++
		}
	}
}

// value is V_k(m).
func (t *terms) value(k int, m uint32) uint32 {
	return t.w[k] + ((m+t.d[k])^scrambleM)*circleMul
}

// differs is the difference filter: it tells whether some V_k(m) lies too far from V_0(m).
func (t *terms) differs(m uint32) bool {
	base := t.value(0, m) - pairArc
	for k := 1; k < t.n; k++ {
		if t.value(k, m)-base > 2*pairArc {
			return true
		}
	}
	return false
}
