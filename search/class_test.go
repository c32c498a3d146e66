package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// shapes are all valid shapes with sides up to 8.
func shapes() (all []Shape) {
	for k := 1; k <= 8; k++ {
		for l := 1; l <= 8; l++ {
			if s := (Shape{k, l}); s.Validate() == nil {
				all = append(all, s)
			}
		}
	}
	return all
}

func TestShapes(t *testing.T) {
	t.Parallel()
	if n := len(shapes()); n != 4+6+6+7+7+7+7 { // by K = 2..8
		t.Errorf("%d shapes with 9 chunks or more", n)
	}
	for _, bad := range []string{"", "5", "5x", "x5", "2x4", "9x9", "0x9", "-3x-3", "5x5x5", "5x5 ", "1x9"} {
		if _, err := ParseShape(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// The derived moduli are periods of every shift mod 2^18 at every residue, and half of each is not.
func TestModuli(t *testing.T) {
	t.Parallel()
	for _, s := range shapes() {
		mx, mz := s.Moduli()
		period := func(shift func(int32, int) uint64, side int, modulus uint32) bool {
			for c := int32(0); c < 1<<17; c += 61 {
				for a := range side {
					if (shift(c, a)-shift(c+int32(modulus), a))&lowMask != 0 {
						return false
					}
				}
			}
			return true
		}
		if !period(shiftX, s.K, mx) || !period(shiftZ, s.L, mz) {
			t.Errorf("%s: %d x %d are not periods", s, mx, mz)
		}
		if period(shiftX, s.K, mx/2) || period(shiftZ, s.L, mz/2) {
			t.Errorf("%s: half of %d or %d is a period too", s, mx, mz)
		}
	}
}

// All members of a class have the roots of its representative, computed with the 48-bit shifts of the member itself.
func TestClassHasOneRootList(t *testing.T) {
	t.Parallel()
	draw := NewSampler(headline, 5)
	even := evenStates()
	for range 4 {
		c := draw.RootedClass()
		want := headline.Roots(c)
		for _, p := range append(draw.Members(c, 20), Pos{math.MinInt32 + int32(c.X), math.MaxInt32 - 131071 + int32(c.Z)}) {
			var shifts []uint32
			for a := range int32(5) {
				for b := range int32(5) {
					shifts = append(shifts, uint32(offset(p.X+a, p.Z+b)-offset(p.X, p.Z))&lowMask)
				}
			}
			if got := even.appendCommon(nil, shifts); !slices.Equal(got, want) {
				t.Errorf("%v has %d roots, its class %d", p, len(got), len(want))
			}
		}
	}
}

// The mirror class has the roots, shifted; the mirror of the mirror is the class.
func TestMirror(t *testing.T) {
	t.Parallel()
	for _, s := range []Shape{{5, 5}, {3, 3}, {3, 4}, {4, 3}, {2, 8}} {
		draw := NewSampler(s, 3)
		for range 3 {
			c := draw.RootedClass()
			other := Class{c.X, s.mirror(c.Z)}
			var got []uint32
			for _, r := range s.Roots(c) {
				got = append(got, (r+s.mirrorShift(c.Z))&lowMask)
			}
			slices.Sort(got)
			if s.mirror(other.Z) != c.Z || !slices.Equal(got, s.Roots(other)) {
				t.Errorf("%s: class %v and its mirror %v", s, c, other)
			}
		}
	}
}

func TestByClass(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var in []Pos
	for range 2000 {
		p := Pos{int32(random.Uint32()), int32(random.Uint32())}
		z := int32(headline.mirror(uint32(p.Z) & (1<<17 - 1)))
		in = append(in, p, Pos{p.X + 1<<16, p.Z - 1<<17}, Pos{p.X, z}, p)
	}
	random.Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
	c := new(classSorter).byClass(headline, in)
	if len(c.classes) != 4000 || len(c.generators) != 2000 {
		t.Fatalf("%d classes, %d generators", len(c.classes), len(c.generators))
	}
	seen := make([]bool, len(in))
	for _, run := range c.classes {
		g := c.generators[run.generator]
		for _, i := range c.order[run.first : run.first+run.count] {
			own := headline.ClassOf(in[i])
			if own != g && (own.X != g.X || own.Z != headline.mirror(g.Z)) || seen[i] {
				t.Fatalf("position %v in the run of %v", in[i], g)
			}
			seen[i] = true
		}
	}
	if slices.Contains(seen, false) {
		t.Error("a position is in no class")
	}
}

// The sampled density of roots is the published one.
func TestRootDensity(t *testing.T) {
	t.Parallel()
	want := knownAnswers(t).Density
	e, err := cpu(t, headline, DefaultLimits()).Estimate(t.Context(), 4000, 2, []int{1, 4})
	if err != nil {
		t.Fatal(err)
	}
	m := e.Measured
	if !(math.Abs(m.RootedFraction-want.Rooted) < 4*m.RootedFractionSE) || !(math.Abs(m.RootsPerClass-want.Roots) < 4*m.RootsPerClassSE+0.2) {
		t.Errorf("rooted %.4f +- %.4f, roots %.3f +- %.3f", m.RootedFraction, m.RootedFractionSE, m.RootsPerClass, m.RootsPerClassSE)
	}
	if e.Derived.Corners != 3749997*3749997 || !(e.Devices[1].Days*4 == e.Devices[0].Days) || !(m.SecondsPerTask > 0) {
		t.Errorf("forecast %+v", e)
	}
}

func TestMembersStayInTheWorld(t *testing.T) {
	t.Parallel()
	for _, s := range []Shape{{5, 5}, {2, 8}} {
		corner := Pos{WorldEdge - int32(s.K-1), WorldEdge - int32(s.L-1)}
		for _, want := range []Pos{{-WorldEdge, -WorldEdge}, {0, 0}, corner} {
			all := s.Members(s.ClassOf(want))
			if !slices.Contains(all, want) {
				t.Errorf("%s: %v is missing", s, want)
			}
			for _, p := range all {
				if p.X < -WorldEdge || p.Z < -WorldEdge || p.X > corner.X || p.Z > corner.Z || s.ClassOf(p) != s.ClassOf(want) {
					t.Fatalf("%s: %v", s, p)
				}
			}
		}
	}
}
