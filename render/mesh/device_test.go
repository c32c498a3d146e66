package mesh

import (
	"math"
	"testing"
)

// A unit is a power of two, and the light adds up to between 2^60 and 2^61 of it, whatever the light, as far as a float64 has such
// units.
func TestScale(t *testing.T) {
	t.Parallel()
	for _, light := range []float64{1, 0.7, 3e-12, 1e280, 1e-280, math.Ldexp(1, 61)} {
		s := Scale(light)
		if f, _ := math.Frexp(s); f != 0.5 || !(s*light > 0x1p60 && s*light <= 0x1p61) {
			t.Errorf("light %g: %g units in 1", light, s)
		}
	}
	if s := Scale(0); s != 1 {
		t.Errorf("no light: %g", s)
	}
	for _, light := range []float64{math.SmallestNonzeroFloat64, math.MaxFloat64} {
		if s := Scale(light); !(s > 0 && 1/s > 0 && s*light <= 0x1p61 && !math.IsInf(s, 0)) {
			t.Errorf("light %g: %g units in 1", light, s)
		}
	}
}

// The classes above which events are too bright for their block: none, one, several, and no more than mostBright.
func TestBrightClass(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		counts map[int]uint32
		want   int
	}{
		{nil, 63},
		{map[int]uint32{5: 1}, 63},
		{map[int]uint32{5: 100, 16: 1}, 15},       // 2^16 is above 1000 times 2^6
		{map[int]uint32{5: 100, 15: 1}, 63},       // 2^15 is not
		{map[int]uint32{5: 3, 20: 2, 40: 1}, 19},  // the brightest does not hide the others
		{map[int]uint32{5: 3, 20: 40}, 63},        // too many
		{map[int]uint32{5: 3, 20: 40, 60: 1}, 59}, // of which the one above is no part
		{map[int]uint32{0: 1, 62: 32}, 61},
	} {
		counts := make([]uint32, 64)
		for k, n := range c.counts {
			counts[k] = n
		}
		if got := BrightClass(counts); got != c.want {
			t.Errorf("%v: class %d, want %d", c.counts, got, c.want)
		}
	}
}

// Every frequency has one place in a device's transforms, and a place its twiddles.
func TestDeviceOrder(t *testing.T) {
	t.Parallel()
	for _, n := range []int{32, 64, 128, 256, 512, 1024} {
		seen := make([]bool, n)
		for i := range n {
			f := laneOrder(i, n)
			if seen[f] {
				t.Errorf("length %d: frequency %d twice", n, f)
			}
			seen[f] = true
		}
	}
	if got := laneOrder(17, 256); got != 1+16*1 {
		t.Errorf("place 17 of 256 holds frequency %d", got)
	}
}
