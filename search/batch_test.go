package search

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"grsplat/render/fail"
	"grsplat/tools/require"
	"grsplat/vk"
)

// edgePositions are where int32 products wrap, the world's corners, negative coordinates and duplicates.
func edgePositions() []Pos {
	const w = WorldEdge
	return []Pos{{0, 0}, {-1, -1}, {-2, -2}, {-4, -4}, {w - 4, w - 4}, {-w, -w}, {-w, w - 4}, {w - 4, -w},
		{46340, 46340}, {46341, 46341}, {46338, 46338}, {-46341, -46341}, {-46343, 46337}, {361, 5510}, {-363, -5512},
		{math.MaxInt32, math.MaxInt32}, {math.MaxInt32 - 4, math.MinInt32}, {math.MinInt32, math.MaxInt32 - 2}, {math.MinInt32, math.MinInt32},
		{1 << 30, -1 << 30}, {1 << 16, 1 << 17}, {65533, 131069}, {-65538, -131074}, {0, 0}, {46340, 46340}, {0, 0}}
}

// rootless is a class of 5x5 without a root.
func rootless() Class {
	draw := NewSampler(headline, 8)
	for {
		if c := draw.Class(); len(headline.Roots(c)) == 0 {
			return c
		}
	}
}

// All modes agree at the edge positions, in any order and with duplicates. In 3x3 some have hits, each of which has passed the full
// generator in Batch; positions with hundreds of roots are left out.
func TestEdgePositions(t *testing.T) {
	t.Parallel()
	for _, s := range []Shape{{3, 3}, {5, 5}} {
		in := edgePositions()
		if s.K == 3 {
			in = append(slices.Clone(in[8:11]), in[12], in[13], in[7], in[23], in[24])
		}
		in = append(in, headline.Members(rootless())[:2]...)
		rand.New(rand.NewPCG(1, 1)).Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
		c := cpu(t, s, DefaultLimits())
		r, tasks := batch(t, c, in, RootedSieve)
		modes := []Mode{PerPositionGroups, ClassRoots, RootedOnly, Auto}
		if s.K == 5 {
			modes = append(modes, PerPosition) // 3x3 has thousands of tasks here
		}
		sameInModes(t, c, in, modes, tasks, r.Hits)
		if s.K == 3 && len(r.Hits) == 0 {
			t.Errorf("%s: no hit", s)
		}
		seeds := map[Pos][]uint64{}
		for i, p := range in {
			var own []uint64
			for at, _ := slices.BinarySearchFunc(r.Hits, uint32(i), func(h Hit, i uint32) int { return int(h.Index) - int(i) }); at < len(r.Hits) && int(r.Hits[at].Index) == i; at++ {
				own = append(own, r.Hits[at].Seed)
			}
			if before, seen := seeds[p]; seen && !slices.Equal(before, own) {
				t.Errorf("%s: %v twice, with %d and %d seeds", s, p, len(before), len(own))
			}
			seeds[p] = own
		}
	}
}

func TestEdgePositionsOnDevice(t *testing.T) {
	t.Parallel()
	in := append(edgePositions(), Pos{51069, 419124})
	r, tasks := batch(t, cpu(t, headline, DefaultLimits()), in, RootedSieve)
	sameInModes(t, lavapipe(t, headline, DefaultLimits()), in, []Mode{PerPositionGroups, ClassRoots, RootedOnly, RootedSieve}, tasks, r.Hits)
}

// The device's kernels hold other shapes too: the smallest, and the largest, on tasks of made-up roots.
func TestShapesOnDevice(t *testing.T) {
	t.Parallel()
	for _, s := range []Shape{{4, 4}, {8, 8}} {
		v, c := lavapipe(t, s, DefaultLimits()), cpu(t, s, DefaultLimits())
		in := []Pos{NewSampler(s, 2).Members(NewSampler(s, 2).Class(), 1)[0]}
		for _, e := range []engine{c.engine, v.engine} {
			p := &plan{shape: s, positions: in, index: []uint32{0}, filter: RootedSieve.filter()}
			p.groups = []group{{12345, 0, 1}, {54321, 0, 1}}
			p.offsets = []uint32{0, 1, 2}
			if err := e.expand(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			if _, err := e.search(t.Context(), 100); err != nil {
				t.Fatal(err)
			}
			if tasks, err := e.tasks(); err != nil || !slices.Equal(tasks, []Task{{0, 12345}, {0, 54321}}) {
				t.Errorf("%s: tasks %v, %v", s, tasks, err)
			}
		}
		r, tasks := batch(t, c, in, RootedSieve)
		sameInModes(t, v, in, []Mode{RootedSieve, RootedOnly}, tasks, r.Hits)
	}
}

func TestRootlessClass(t *testing.T) {
	t.Parallel()
	in := headline.Members(rootless())[:50]
	for _, s := range []*Searcher{cpu(t, headline, DefaultLimits()), lavapipe(t, headline, DefaultLimits())} {
		for _, m := range append(Modes(), Auto) {
			r, tasks := batch(t, s, in, m)
			if len(tasks) != 0 || len(r.Hits) != 0 || r.Counts.Rooted != 0 {
				t.Errorf("%s: mode %s: %+v", s.Engine(), m, r.Counts)
			}
		}
		if r, tasks := batch(t, s, nil, RootedSieve); len(tasks) != 0 || len(r.Hits) != 0 {
			t.Errorf("%s: an empty batch gives %+v", s.Engine(), r.Counts)
		}
	}
}

// A batch that needs more than a limit ends with an error that names it, and nothing else.
func TestLimits(t *testing.T) {
	t.Parallel()
	known := Pos{51069, 419124}
	full := slices.Repeat([]Pos{known}, 65_536)
	some := full[:3] // 84 roots in modes 2 and up, 252 below; 252 tasks; 72 hits
	for _, open := range []func(testing.TB, Shape, Limits) *Searcher{cpu, lavapipe} {
		for _, c := range []struct {
			name   string
			in     []Pos
			mode   Mode
			change func(*Limits)
			need   int // 0: any that is above the limit
		}{
			{"positions", append(full, known), RootedSieve, func(*Limits) {}, 65_537},
			{"tasks", full, RootedSieve, func(*Limits) {}, 65_536 * 84},
			{"tasks", some, ClassRoots, func(l *Limits) { l.Tasks = 251 }, 252},
			{"roots", some, RootedSieve, func(l *Limits) { l.Roots = 83 }, 0},
			{"roots", some, PerPositionGroups, func(l *Limits) { l.Roots = 251 }, 0},
			{"hits", some[:1], RootedSieve, func(l *Limits) { l.Hits = 23 }, 0},
			{"clusters", some[:1], RootedSieve, func(l *Limits) { l.Hits = 1 }, 2},
		} {
			limits := DefaultLimits()
			c.change(&limits)
			s := open(t, headline, limits)
			r, err := s.Batch(context.Background(), c.in, c.mode)
			var over *LimitError
			if !errors.As(err, &over) || over.Name != c.name || over.Need <= over.Limit || c.need > 0 && over.Need != c.need || r != nil {
				t.Errorf("%s: limit on %s: %v, %v", s.Engine(), c.name, r, err)
			}
			if fail.Status(err) != fail.StatusInput {
				t.Errorf("%s: exit status %d", s.Engine(), fail.Status(err))
			}
		}
	}
	if _, err := NewCPU(headline, Limits{}, 0); fail.Status(err) != fail.StatusUsage {
		t.Errorf("limits of 0: %v", err)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, s := range []*Searcher{cpu(t, headline, DefaultLimits()), lavapipe(t, headline, DefaultLimits())} {
		if r, err := s.Batch(ctx, []Pos{{51069, 419124}}, RootedSieve); !errors.Is(err, context.Canceled) || r != nil {
			t.Errorf("%s: %v", s.Engine(), err)
		}
	}
}

// A device that is lost, or has no memory, at any step of a batch ends it with status 5 and no hit; while starting, with 4.
func TestDeviceFails(t *testing.T) {
	t.Parallel()
	in := []Pos{{51069, 419124}}
	for _, faults := range []vk.Faults{{LostAtSubmit: 2}, {LostAtSubmit: 3}, {LostAtSubmit: 4}, {NoMemoryAtAllocate: 4}, {NoMemoryAtAllocate: 9}} {
		s, err := NewVulkan(headline, DefaultLimits(), VulkanOptions{Device: "llvmpipe", Faults: faults})
		require.Tool(t, "vulkan", err)
		if r, err := s.Batch(t.Context(), in, RootedSieve); fail.Status(err) != fail.StatusDevice || r != nil {
			t.Errorf("%+v: %v", faults, err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%+v: close: %v", faults, err)
		}
	}
	if _, err := NewVulkan(headline, DefaultLimits(), VulkanOptions{Device: "llvmpipe", Faults: vk.Faults{LostAtSubmit: 1}}); fail.Status(err) != fail.StatusBackend {
		t.Errorf("lost while starting: %v", err)
	}
	if _, err := NewVulkan(headline, DefaultLimits(), VulkanOptions{Device: "llvmpipe", Workgroup: 48}); fail.Status(err) != fail.StatusUsage {
		t.Errorf("a work group of 48: %v", err)
	}
}

// A small benchmark: every stage has a time, and lists are compared.
func TestBench(t *testing.T) {
	t.Parallel()
	r, err := cpu(t, headline, DefaultLimits()).Bench(t.Context(), BenchBatches(headline, 20_000), []Mode{PerPosition, RootedOnly, RootedSieve}, 2, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range r.Batches {
		for _, m := range b.Modes {
			if !m.Identical || !(m.Batch >= m.Fastest && m.Slowest >= m.Batch && m.Fastest > 0) {
				t.Errorf("%s: %+v", b.Name, m)
			}
		}
	}
	if full := BenchBatches(headline, 1); len(full[0].Positions) != 1653 || len(full[2].Positions) != 32_768 || len(full[3].Positions) != 4096 {
		t.Errorf("batches of %d, %d, %d positions", len(full[0].Positions), len(full[2].Positions), len(full[3].Positions))
	}
}
