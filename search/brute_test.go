package search

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"grsplat/tools/require"
)

// brute lists the seeds that make the rectangle at p all slime without a redraw, among the 2^bits seeds with
// s0 = low + 2^18 (start + i), by the full generator alone: no root, class or filter.
func brute(p Pos, s Shape, low uint32, start uint64, bits int) []uint64 {
	origin := offset(p.X, p.Z)
	parts := make([][]uint64, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for worker := range parts {
		group.Go(func() {
			for i := uint64(worker); i < 1<<bits; i += uint64(len(parts)) {
				seed := (uint64(low) + (start+i)<<lowBits - origin) & mask48
				if all, redrawn := Check(seed, p, s); all && !redrawn {
					parts[worker] = append(parts[worker], seed)
				}
			}
		})
	}
	group.Wait()
	all := slices.Concat(parts...)
	slices.Sort(all)
	return all
}

// compareBrute runs one task by the engine's filters and by brute force over 2^bits of its seeds, those with the given top bits.
func compareBrute(t *testing.T, p Pos, s Shape, root uint32, bits int, top uint64) (found int) {
	t.Helper()
	start := top << bits & (1<<30 - 1)
	want := brute(p, s, root, start, bits)
	plan := &plan{shape: s, positions: []Pos{p}}
	for _, f := range []filter{{}, {true, groupBits}, {true, sieveStart}, {true, 8}} {
		plan.filter = f
		var sv sieve
		var got []uint64
		for _, c := range sv.search(nil, plan, Task{0, root}) {
			for _, seed := range c.appendSeeds(nil, p) {
				if high := (seed + offset(p.X, p.Z)) & mask48 >> lowBits; high-start < 1<<bits {
					got = append(got, seed)
				}
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s at %v, root %d, filter %v: %d seeds, brute force finds %d", s, p, root, f, len(got), len(want))
		}
	}
	return len(want)
}

// someTask draws a position with a root.
func someTask(s Shape, draw *Sampler) (Pos, uint32) {
	c := draw.RootedClass()
	roots := s.Roots(c)
	return draw.Members(c, 1)[0], roots[draw.rand.IntN(len(roots))]
}

// denseTask draws a task with hits and returns one of its clusters.
func denseTask(t *testing.T, s Shape, draw *Sampler) (Pos, cluster) {
	t.Helper()
	for {
		p, root := someTask(s, draw)
		var sv sieve
		found := sv.search(nil, &plan{shape: s, positions: []Pos{p}, filter: RootedSieve.filter()}, Task{0, root})
		if len(found) > 0 {
			return p, found[draw.rand.IntN(len(found))]
		}
	}
}

// Slices of small shapes at many positions: a random one, and one that is known to hold a hit. A low part that is no root
// must have none.
func TestBruteForce(t *testing.T) {
	t.Parallel()
	for i, s := range []Shape{{3, 3}, {2, 5}, {5, 2}, {4, 3}} {
		draw := NewSampler(s, uint64(i))
		p, c := denseTask(t, s, draw)
		high := (c.appendSeeds(nil, p)[0] + offset(p.X, p.Z)) & mask48 >> lowBits
		compareBrute(t, p, s, c.task.Root, 16, uint64(draw.rand.Uint32()))
		if found := compareBrute(t, p, s, c.task.Root, 16, high>>16); found == 0 {
			t.Errorf("%s at %v: the slice of a hit has none", s, p)
		}
		var other uint32
		for roots := s.Roots(s.ClassOf(p)); ; {
			other = draw.rand.Uint32N(lowSize)
			if !slices.Contains(roots, other) {
				break
			}
		}
		if seeds := brute(p, s, other, high>>16<<16, 16); len(seeds) > 0 {
			t.Errorf("%s at %v: low part %d is no root and has seed %d", s, p, other, seeds[0])
		}
	}
}

// Complete slices of 2^30 seeds.
func TestBruteForceComplete(t *testing.T) {
	require.Long(t)
	for i, s := range []Shape{{3, 3}, {3, 4}, {4, 3}, {2, 5}, {5, 2}, {4, 4}, {3, 5}, {2, 7}} {
		draw := NewSampler(s, uint64(100+i))
		p, root := someTask(s, draw)
		if s.Chunks() <= 12 {
			var c cluster
			p, c = denseTask(t, s, draw)
			root = c.task.Root
		}
		t.Log(s, p, root, compareBrute(t, p, s, root, 30, 0), "hits")
	}
}

// The interval step against trying all 2^13 top bits with the definition of h.
func TestInterval(t *testing.T) {
	t.Parallel()
	s := Shape{3, 3}
	draw := NewSampler(s, 1)
	solved := 0
	for range 20 {
		p, c := denseTask(t, s, draw)
		root := c.task.Root
		var tm terms
		tm.set(s, p, root)
		for _, m := range []uint32{c.m, c.m ^ 1, c.m ^ 1<<13, draw.rand.Uint32N(1 << middleBits), draw.rand.Uint32N(1 << middleBits)} {
			var want []uint64
			for top := range uint64(1 << topBits) {
				seed := (uint64(root) + uint64(m)<<lowBits + top<<(lowBits+middleBits) - offset(p.X, p.Z)) & mask48
				if slime, _ := Slime(seed, p.X, p.Z); !slime {
					continue
				}
				if all, redrawn := Check(seed, p, s); all && !redrawn {
					want = append(want, seed)
				}
			}
			var got []uint64
			if first, count, ok := tm.interval(m); ok {
				got = (&cluster{Task{0, root}, m, first, count}).appendSeeds(nil, p)
				slices.Sort(got)
			}
			slices.Sort(want)
			if !slices.Equal(got, want) || tm.differs(m) && len(want) > 0 {
				t.Fatalf("%v root %d m %d: %d seeds, want %d", p, root, m, len(got), len(want))
			}
			solved += len(want)
		}
	}
	if solved == 0 {
		t.Error("nothing to solve")
	}
}

// redrawnBrute lists the redrawn seeds at p from all states of each chunk whose first draw is thrown away.
func redrawnBrute(p Pos, s Shape) (seeds []uint64) {
	for k := range s.Chunks() {
		at := offset(p.X+int32(k/s.L), p.Z+int32(k%s.L))
		for state := uint64(1<<30-4) << lowBits; state < 1<<48; state++ {
			seed := (stateBefore(state) ^ scramble - at) & mask48
			if all, redrawn := Check(seed, p, s); all && redrawn {
				seeds = append(seeds, seed)
			}
		}
	}
	slices.Sort(seeds)
	return slices.Compact(seeds)
}

// A 3x3 position has a redrawn seed once in about a hundred.
func TestSupplementary(t *testing.T) {
	t.Parallel()
	s := Shape{3, 3}
	draw := NewSampler(s, 5)
	var in []Pos
	for range 150 {
		in = append(in, draw.Position())
	}
	hits, err := s.Supplementary(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if len(hits) == 0 {
		t.Fatal("no redrawn seed at 150 positions")
	}
	for _, i := range []uint32{hits[0].Index, hits[len(hits)-1].Index, 0} {
		var got []uint64
		for _, h := range hits {
			if h.Index == i {
				got = append(got, h.Seed)
			}
		}
		if want := redrawnBrute(in[i], s); !slices.Equal(got, want) {
			t.Errorf("%v: %d redrawn seeds, brute force finds %d", in[i], len(got), len(want))
		}
	}
}

func TestStateBefore(t *testing.T) {
	t.Parallel()
	for range 100 {
		state := rand.Uint64() & mask48
		if got := stateBefore((state*multiplier + increment) & mask48); got != state {
			t.Fatalf("%x came back as %x", state, got)
		}
	}
}
