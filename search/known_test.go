package search

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"grsplat/tools/require"
)

var headline = Shape{5, 5}

// truth is the slime_search part of testdata/known-answers.json, found by brute force with the full generator.
type truth struct {
	Position  [2]int32
	Positions int    `json:"positions_of_class_in_world"`
	Roots     int    `json:"roots_of_class"`
	Tasks     int    `json:"tasks_of_class"`
	Hits      int    `json:"hits"`
	First     uint64 `json:"seeds_first"`
	Last      uint64 `json:"seeds_last"`
	SHA256    string `json:"seeds_sha256_of_ascending_decimal_lines"`
	F         uint64 `json:"F_mod_2_48"`
	Density   struct {
		Rooted float64 `json:"rooted_fraction"`
		Roots  float64 `json:"roots_per_class"`
	} `json:"root_density"`
}

func knownAnswers(t testing.TB) truth {
	t.Helper()
	text, err := os.ReadFile("../testdata/known-answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Search truth `json:"slime_search"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all.Search
}

func cpu(t testing.TB, s Shape, l Limits) *Searcher {
	t.Helper()
	searcher, err := NewCPU(s, l, 0)
	if err != nil {
		t.Fatal(err)
	}
	return searcher
}

// lavapipe opens the CPU's Vulkan device under validation, which Close at the end of the test reports.
func lavapipe(t testing.TB, s Shape, l Limits) *Searcher {
	t.Helper()
	searcher, err := NewVulkan(s, l, VulkanOptions{Device: "llvmpipe", Validation: true})
	require.Tool(t, "vulkan", err)
	t.Cleanup(func() {
		if err := searcher.Close(); err != nil {
			t.Error(err)
		}
	})
	return searcher
}

func batch(t testing.TB, s *Searcher, in []Pos, m Mode) (*Result, []Task) {
	t.Helper()
	r, err := s.Batch(context.Background(), in, m)
	if err != nil {
		t.Fatalf("mode %s: %v", m, err)
	}
	tasks, err := s.Tasks(r)
	if err != nil {
		t.Fatal(err)
	}
	return r, tasks
}

// sameInModes runs a batch in the given modes, demands the reference's tasks and hits, and returns the latter.
func sameInModes(t *testing.T, s *Searcher, in []Pos, modes []Mode, tasks []Task, hits []Hit) {
	t.Helper()
	for _, m := range modes {
		r, got := batch(t, s, in, m)
		if !slices.Equal(got, tasks) || !slices.Equal(r.Hits, hits) {
			t.Errorf("%s: mode %s: %d tasks and %d hits differ from the reference's %d and %d", s.Engine(), m, len(got), len(r.Hits), len(tasks), len(hits))
		}
	}
}

// checkKnown compares hits of positions that contain the known one with the truth.
func checkKnown(t *testing.T, want truth, in []Pos, hits []Hit) {
	t.Helper()
	sum := sha256.New()
	for _, h := range hits {
		if p := in[h.Index]; p != (Pos{want.Position[0], want.Position[1]}) {
			t.Errorf("seed %d at %v", h.Seed, p)
		}
		fmt.Fprintln(sum, h.Seed)
	}
	if len(hits) != want.Hits || hits[0].Seed != want.First || hits[len(hits)-1].Seed != want.Last {
		t.Fatalf("%d hits", len(hits))
	}
	if got := fmt.Sprintf("%x", sum.Sum(nil)); got != want.SHA256 {
		t.Errorf("digest of the seeds is %s", got)
	}
}

// Every 27th position of the known class in the fastest mode, and three in every mode.
func TestKnownClass(t *testing.T) {
	t.Parallel()
	want := knownAnswers(t)
	p := Pos{want.Position[0], want.Position[1]}
	if got := offset(p.X, p.Z); got != want.F {
		t.Errorf("F is %d", got)
	}
	in := headline.Members(headline.ClassOf(p))
	s := cpu(t, headline, DefaultLimits())
	roots := len(headline.Roots(headline.ClassOf(p)))
	if len(in) != want.Positions || roots != want.Roots || len(in)*roots != want.Tasks {
		t.Errorf("%d positions, %d roots", len(in), roots)
	}
	at := slices.Index(in, p)
	var thinned []Pos
	for i := at % 27; i < len(in); i += 27 {
		thinned = append(thinned, in[i])
	}
	r, _ := batch(t, s, thinned, RootedSieve)
	checkKnown(t, want, thinned, r.Hits)

	few := in[at-1 : at+2]
	r, tasks := batch(t, s, few, PerPosition)
	checkKnown(t, want, few, r.Hits)
	sameInModes(t, s, few, append(Modes()[1:], Auto), tasks, r.Hits)
}

func TestKnownClassOnDevice(t *testing.T) {
	t.Parallel()
	want := knownAnswers(t)
	v := lavapipe(t, headline, DefaultLimits())
	p := Pos{want.Position[0], want.Position[1]}
	in := []Pos{p}
	r, tasks := batch(t, cpu(t, headline, DefaultLimits()), in, RootedSieve)
	checkKnown(t, want, in, r.Hits)
	sameInModes(t, v, in, append(Modes(), Auto), tasks, r.Hits)
}

// The whole class in every mode, on the CPU and on the device; mode 0 on the latter for every 16th position.
func TestKnownClassWhole(t *testing.T) {
	require.Long(t)
	want := knownAnswers(t)
	p := Pos{want.Position[0], want.Position[1]}
	in := headline.Members(headline.ClassOf(p))
	s, v := cpu(t, headline, DefaultLimits()), lavapipe(t, headline, DefaultLimits())
	r, tasks := batch(t, s, in, PerPosition)
	checkKnown(t, want, in, r.Hits)
	sameInModes(t, s, in, Modes()[1:], tasks, r.Hits)
	sameInModes(t, v, in, Modes()[1:], tasks, r.Hits)

	var thin []Pos
	for i := slices.Index(in, p) % 16; i < len(in); i += 16 {
		thin = append(thin, in[i])
	}
	r, tasks = batch(t, s, thin, RootedSieve)
	checkKnown(t, want, thin, r.Hits)
	sameInModes(t, v, thin, Modes()[:1], tasks, r.Hits)
}
