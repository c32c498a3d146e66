package hdr

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/bits"
)

// DefaultQuantumBits is k of the exact quantum 2^-k.
const DefaultQuantumBits = 44

// Sums is a frame of exact sums: every pixel holds a 128-bit two's-complement integer Hi*2^64 + Lo, in units of 2^-Bits.
// Integer addition is associative, so equal contributions give equal bits in any order, on any number of threads.
type Sums struct {
	W, H, Bits int
	Hi         [3][]int64
	Lo         [3][]uint64
}

// NewSums returns zero sums of w x h pixels in units of 2^-quantumBits: 48 w h bytes.
func NewSums(w, h, quantumBits int) *Sums {
	s := &Sums{W: w, H: h, Bits: quantumBits}
	n := w * h
	for c := range s.Hi {
		s.Hi[c], s.Lo[c] = make([]int64, n), make([]uint64, n)
	}
	return s
}

// Add adds the 128-bit integer hi*2^64 + lo to pixel i of a plane.
func (s *Sums) Add(plane, i int, hi int64, lo uint64) {
	sum, carry := bits.Add64(s.Lo[plane][i], lo, 0)
	s.Lo[plane][i] = sum
	s.Hi[plane][i] += hi + int64(carry)
}

// AddInt64 adds q to pixel i of a plane.
func (s *Sums) AddInt64(plane, i int, q int64) { s.Add(plane, i, q>>63, uint64(q)) }

// Merge adds t, of equal size and quantum.
func (s *Sums) Merge(t *Sums) {
	for c := range s.Hi {
		for i := range s.Hi[c] {
			s.Add(c, i, t.Hi[c][i], t.Lo[c][i])
		}
	}
}

// Resolve overwrites dst, of equal size, with the sums, each rounded once to the nearest float64, ties to even.
func (s *Sums) Resolve(dst *Frame) {
	for c := range s.Hi {
		for i, hi := range s.Hi[c] {
			dst.Plane[c][i] = toFloat(hi, s.Lo[c][i], s.Bits)
		}
	}
}

// toFloat rounds (hi*2^64 + lo) * 2^-k to float64. A 128-bit magnitude is first cut to 64 bits with the lost part kept
// as a sticky lowest bit, far below the 53 bits that the conversion keeps, so the one rounding is correct.
func toFloat(hi int64, lo uint64, k int) float64 {
	negative := hi < 0
	h := uint64(hi)
	if negative {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		h, _ = bits.Sub64(0, h, borrow)
	}
	exp := -k
	if h != 0 {
		shift := 64 - bits.LeadingZeros64(h)
		sticky := lo<<(64-shift) != 0
		lo = h<<(64-shift) | lo>>shift
		if sticky {
			lo |= 1
		}
		exp += shift
	}
	v := math.Ldexp(float64(lo), exp)
	if negative {
		return -v
	}
	return v
}

// Quantise returns q = c*2^k rounded to nearest, ties to even, as the 128-bit integer hi*2^64 + lo. It is exact for every
// finite c below 2^(126-k) in magnitude; larger values and NaN have no place in a sum and panic.
func Quantise(c float64, k int) (hi int64, lo uint64) {
	scaled := c * math.Float64frombits(uint64(1023+k)<<52) // times 2^k, exact
	if math.Abs(scaled) < 1<<62 {
		q := int64(math.RoundToEven(scaled))
		return q >> 63, uint64(q)
	}
	if !(math.Abs(scaled) < 0x1p126) {
		panic("hdr: quantise: contribution beyond 2^126 quanta")
	}
	// From 2^62 up a float64 is an integer: its mantissa shifted left.
	mantissa, exp := math.Frexp(math.Abs(scaled))
	m, shift := uint64(mantissa*(1<<53)), exp-53
	lo = m << shift
	var h uint64
	if shift < 64 {
		h = m >> (64 - shift)
	} else {
		h = m << (shift - 64)
	}
	hi = int64(h)
	if c < 0 {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		h, _ = bits.Sub64(0, h, borrow)
		hi = int64(h)
	}
	return hi, lo
}

// SHA256 returns the hex digest of the sums: the little-endian bytes of width, height and quantum bits (8 bytes each), then
// of the pairs (Lo, Hi) plane by plane.
func (s *Sums) SHA256() string {
	h := sha256.New()
	buf := make([]byte, 0, 1<<16)
	for _, v := range []int{s.W, s.H, s.Bits} {
		buf = binary.LittleEndian.AppendUint64(buf, uint64(v))
	}
	for c := range s.Hi {
		for i, hi := range s.Hi[c] {
			buf = binary.LittleEndian.AppendUint64(buf, s.Lo[c][i])
			buf = binary.LittleEndian.AppendUint64(buf, uint64(hi))
			if len(buf) >= 1<<16-16 {
				h.Write(buf)
				buf = buf[:0]
			}
		}
	}
	h.Write(buf)
	return hex.EncodeToString(h.Sum(nil))
}
