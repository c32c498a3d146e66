package search

import (
	"fmt"
	"strconv"
	"strings"

	"grsplat/render/fail"
)

// Shape is a rectangle of K chunks along x and L along z. Chunk k = a*L + b lies at (x+a, z+b).
type Shape struct{ K, L int }

// maxChunks is the chunk count of the largest shape, 8 x 8.
const maxChunks = 64

// Chunks is K*L.
func (s Shape) Chunks() int { return s.K * s.L }

func (s Shape) String() string { return fmt.Sprintf("%dx%d", s.K, s.L) }

// Validate accepts sides of 1 to 8 and at least 9 chunks; with fewer, nearly every seed is a hit somewhere.
func (s Shape) Validate() error {
	if s.K < 1 || s.L < 1 || s.K > 8 || s.L > 8 || s.Chunks() < 9 {
		return fail.Usage("shape: %s: sides must be 1 to 8 and cover 9 chunks or more", s)
	}
	return nil
}

// ParseShape reads "5x5".
func ParseShape(text string) (Shape, error) {
	k, l, _ := strings.Cut(text, "x")
	s := Shape{side(k), side(l)}
	if s.K == 0 || s.L == 0 {
		return s, fail.Usage("shape: %q: want KxL, like 5x5", text)
	}
	return s, s.Validate()
}

// side reads a number of at least 1, or returns 0.
func side(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// The world is the chunks with |x|, |z| <= WorldEdge.
const WorldEdge = 1_875_000

const (
	lowBits = 18 // bit 17 of a state depends on these bits alone
	lowSize = 1 << lowBits
	lowMask = lowSize - 1
)

// shiftX is X_a of a corner x: F(x+a,z) - F(x,z), which does not depend on z. shiftZ is Z_b.
func shiftX(x int32, a int) uint64 { return offsetX(x+int32(a)) - offsetX(x) }
func shiftZ(z int32, b int) uint64 { return offsetZ(z+int32(b)) - offsetZ(z) }

// Moduli returns the periods of the classes: the shifts mod 2^18 of every chunk of the shape depend on x mod mx and
// z mod mz alone. X_a(x+p) - X_a(x) = 2 a p 4987142 and Z_b(z+p) - Z_b(z) = 2 b p 4392871 mod 2^18 (int wrapping is
// mod 2^32, so it drops out), hence the smallest power of two p that makes every one of them vanish. Every valid shape
// has both sides of 2 or more, so the moduli are 2^16 and 2^17; the tests verify them and that half of each fails.
func (s Shape) Moduli() (mx, mz uint32) {
	return period(s.K, slimeX2), period(s.L, slimeZ2)
}

func period(side int, square uint32) uint32 {
	for p := uint32(1); ; p *= 2 {
		all := true
		for a := 1; a < side; a++ {
			all = all && 2*uint32(a)*p*square&lowMask == 0
		}
		if all {
			return p
		}
	}
}

// Class is a residue class of positions; its members have the same roots.
type Class struct{ X, Z uint32 }

// ClassOf returns the class of a position.
func (s Shape) ClassOf(p Pos) Class {
	mx, mz := s.Moduli()
	return Class{uint32(p.X) & (mx - 1), uint32(p.Z) & (mz - 1)}
}

// mirror is the z residue of the class with the same roots up to a shift. Mod 2^18, F depends on z through
// 4392871 (z*z + kappa z), kappa = 389711/4392871, which z -> -kappa-z leaves alone, so the rectangle at
// -kappa-(L-1)-z holds the values of the one at z in reverse order. There is no mirror in x: 4987142 is even.
func (s Shape) mirror(z uint32) uint32 {
	_, mz := s.Moduli()
	return (-kappa() - uint32(s.L-1) - z) & (mz - 1)
}

// mirrorShift is what to add, mod 2^18, to a root of the class at z to get one of its mirror.
func (s Shape) mirrorShift(z uint32) uint32 { return uint32(shiftZ(int32(z), s.L-1)) & lowMask }

func kappa() uint32 { return slimeZ1 * inverse(slimeZ2) & lowMask }

// inverse is 1/a mod 2^32 for odd a, by Newton's iteration; each step doubles the bits that are right, from 3.
func inverse(a uint32) uint32 {
	x := a
	for range 4 {
		x *= 2 - a*x
	}
	return x
}

// Members lists the positions of a class whose whole rectangle lies in the world, by x, then z.
func (s Shape) Members(c Class) []Pos {
	mx, mz := s.Moduli()
	var out []Pos
	for x := firstMember(c.X, mx); x <= WorldEdge-int32(s.K-1); x += int32(mx) {
		for z := firstMember(c.Z, mz); z <= WorldEdge-int32(s.L-1); z += int32(mz) {
			out = append(out, Pos{x, z})
		}
	}
	return out
}

// firstMember is the smallest coordinate of the world with that residue.
func firstMember(residue, modulus uint32) int32 {
	const low = -WorldEdge
	return low + int32((residue-uint32(low&0xffffffff))&(modulus-1))
}

// Corners is the number of positions whose whole rectangle lies in the world.
func (s Shape) Corners() float64 {
	return float64(2*WorldEdge+1-(s.K-1)) * float64(2*WorldEdge+1-(s.L-1))
}
