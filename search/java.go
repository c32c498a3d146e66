package search

// Constants of java.util.Random and of the slime rule.
const (
	multiplier = 0x5DEECE66D
	increment  = 11
	mask48     = 1<<48 - 1
	scramble   = multiplier ^ 987234911 // C: 0x5E434E432, 35 bits, so the top 13 bits of a state pass it unchanged

	slimeX2 = 4987142 // int factors of x*x and x, long factor of z*z, int factor of z
	slimeX1 = 5947611
	slimeZ2 = 4392871
	slimeZ1 = 389711
)

// Pos is a chunk position, the corner with the smallest x and z of a rectangle.
type Pos struct{ X, Z int32 }

// offset is F(x,z) mod 2^48, the position's part of the seed: int products wrap to 32 bits and are then sign-extended.
func offset(x, z int32) uint64 { return (offsetX(x) + offsetZ(z)) & mask48 }

func offsetX(x int32) uint64 { return uint64(int64(x*x*slimeX2) + int64(x*slimeX1)) }
func offsetZ(z int32) uint64 { return uint64(int64(z*z)*slimeZ2 + int64(z*slimeZ1)) }

// Slime evaluates the game's rule with the full generator: slime is nextInt(10) == 0, and redrawn tells that the first
// draw was 2147483640 or more, which Java throws away.
func Slime(seed uint64, x, z int32) (slime, redrawn bool) {
	state := ((seed + offset(x, z)) ^ scramble) & mask48
	for {
		state = (state*multiplier + increment) & mask48
		draw := int32(state >> 17)
		digit := draw % 10
		if draw-digit+9 >= 0 {
			return digit == 0, redrawn
		}
		redrawn = true
	}
}

// Check evaluates every chunk of the rectangle at p: all is true when each is a slime chunk, redrawn when any chunk of
// it needed a second draw.
func Check(seed uint64, p Pos, s Shape) (all, redrawn bool) {
	for a := range s.K {
		for b := range s.L {
			slime, again := Slime(seed, p.X+int32(a), p.Z+int32(b))
			if !slime {
				return false, false
			}
			redrawn = redrawn || again
		}
	}
	return true, redrawn
}
