package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"grsplat/render/fail"
	"grsplat/tools/require"
)

// A child process of the kill test runs this scan into the file that the variable names.
const childOutput = "SLIMESCAN_TEST_OUTPUT"

func TestMain(m *testing.M) {
	if path := os.Getenv(childOutput); path != "" {
		s := smallScan(path)
		s.Mode = PerPositionGroups // slower, so that moments of death spread over the steps
		if _, err := s.Run(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var smallShape = Shape{4, 3}

// smallRegion is 10 x 7 positions, nine of which have hits of 4x3.
func smallRegion(shard Shard) *regionSource {
	r, err := NewRegion(smallShape, Region{3003, 700, 3012, 706}, shard)
	if err != nil {
		panic(err)
	}
	source := r.(*regionSource)
	source.step = 2
	return source
}

// smallScan is a scan of many short steps.
func smallScan(output string) *Scan {
	s, err := NewCPU(smallShape, DefaultLimits(), 0)
	if err != nil {
		panic(err)
	}
	return &Scan{Searcher: s, Source: smallRegion(Shard{0, 1}), Mode: RootedSieve, Output: output}
}

func runScan(t *testing.T, s *Scan) *Report {
	t.Helper()
	r, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(s.Output), "*.journal")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	return r
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The region, scanned whole, in shards and as a list of positions, has the same hits.
func TestScanSources(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := smallScan(filepath.Join(dir, "whole.csv"))
	report := runScan(t, whole)
	text := read(t, whole.Output)
	if report.Positions != 10*7 || report.Steps != 35 || report.Counts.Hits == 0 || report.Counts.Hits != bytes.Count(text, []byte("\n"))-1 {
		t.Fatalf("%+v", report)
	}
	var parts []string
	positions := int64(0)
	for part := range 3 {
		s := smallScan(filepath.Join(dir, "part.csv"))
		s.Source, s.Mode, s.Force = smallRegion(Shard{part, 3}), ClassRoots, true
		positions += runScan(t, s).Positions
		parts = append(parts, strings.Split(strings.TrimSpace(string(read(t, s.Output))), "\n")[1:]...)
	}
	all := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	slices.Sort(parts)
	slices.Sort(all)
	if !slices.Equal(parts, all) || positions != 10*7 {
		t.Errorf("three shards: %d positions, %d hits", positions, len(parts))
	}

	var list []Pos
	for x := range int32(10) {
		for z := range int32(7) {
			list = append(list, Pos{3003 + x, 700 + z})
		}
	}
	s := smallScan(filepath.Join(dir, "list.csv"))
	s.Source, s.Mode = NewList(smallShape, list, Shard{0, 1}), Auto
	runScan(t, s)
	if !bytes.Equal(read(t, s.Output), text) {
		t.Error("the list's hits differ from the region's")
	}
}

// A batch that exceeds a limit is cut in halves; one position that does is an error, without a hits file.
func TestScanSplits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := smallScan(filepath.Join(dir, "whole.csv"))
	runScan(t, whole)
	for _, change := range []func(*Limits){
		func(l *Limits) { l.Positions = 1 }, func(l *Limits) { l.Tasks = 350 }, func(l *Limits) { l.Hits = 4100 },
	} {
		s := smallScan(filepath.Join(dir, "small.csv"))
		change(&s.Searcher.limits)
		s.Force = true
		runScan(t, s)
		if !bytes.Equal(read(t, s.Output), read(t, whole.Output)) {
			t.Errorf("limits %+v change the hits", s.Searcher.limits)
		}
	}
	s := smallScan(filepath.Join(dir, "none.csv"))
	s.Searcher.limits.Hits = 2
	if _, err := s.Run(t.Context()); fail.Status(err) != fail.StatusInput {
		t.Errorf("2 hits allowed: %v", err)
	}
	if _, err := os.Stat(s.Output); err == nil {
		t.Error("a hits file in spite of the error")
	}
}

// A scan that a limit stopped after some steps goes on from there with a larger one.
func TestLimitResumes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := smallScan(filepath.Join(dir, "whole.csv"))
	runScan(t, whole)
	s := smallScan(filepath.Join(dir, "hits.csv"))
	s.Progress = func(p Progress) {
		if p.Steps == 4 {
			s.Searcher.limits.Hits = 2
		}
	}
	var over *LimitError
	if _, err := s.Run(t.Context()); !errors.As(err, &over) || over.Limit != 2 || fail.Status(err) != fail.StatusInput {
		t.Fatalf("2 hits allowed: %v", err)
	}
	s.Searcher.limits, s.Progress = DefaultLimits(), nil
	if r := runScan(t, s); r.Resumed < 4 || !bytes.Equal(read(t, s.Output), read(t, whole.Output)) {
		t.Errorf("resumed %d steps", r.Resumed)
	}
}

// Of two scans into one output, the second ends at once and the first is not disturbed; --force does not change that.
func TestTwoScans(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := smallScan(filepath.Join(dir, "whole.csv"))
	runScan(t, whole)
	s := smallScan(filepath.Join(dir, "hits.csv"))
	s.Progress = func(p Progress) {
		second := smallScan(s.Output)
		second.Force = p.Steps%2 == 0
		if _, err := second.Run(t.Context()); fail.Status(err) != fail.StatusInput || !strings.Contains(err.Error(), "another scan") {
			t.Errorf("a second scan after step %d: %v", p.Steps, err)
		}
	}
	if runScan(t, s); !bytes.Equal(read(t, s.Output), read(t, whole.Output)) {
		t.Error("the first scan's hits differ")
	}
}

// kills runs scans in child processes, kills each at a random moment, resumes it, and compares the hits file.
func kills(t *testing.T, n int) {
	dir := t.TempDir()
	whole := smallScan(filepath.Join(dir, "whole.csv"))
	runScan(t, whole)
	want := read(t, whole.Output)
	child := func(output string) *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childOutput+"="+output)
		return cmd
	}
	began := time.Now()
	if out, err := child(filepath.Join(dir, "timed.csv")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	span := time.Since(began)
	for i := range n {
		output := filepath.Join(dir, fmt.Sprintf("killed%d.csv", i))
		cmd := child(output)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(rand.N(span))
		_ = cmd.Process.Kill() // it may have finished
		_ = cmd.Wait()
		_, unfinished := os.Stat(output + ".journal")
		if _, err := os.Stat(output); err == nil && unfinished != nil && bytes.Equal(read(t, output), want) {
			t.Logf("kill %d: came after the end", i)
			continue
		}
		report := runScan(t, smallScan(output))
		if !bytes.Equal(read(t, output), want) || report.Positions != 10*7 || report.Steps != 35 {
			t.Errorf("kill %d: after %d steps in the journal, %d positions", i, report.Resumed, report.Positions)
		}
		t.Logf("kill %d: %d of %d steps were done", i, report.Resumed, report.Steps)
	}
}

func TestKill(t *testing.T) {
	t.Parallel()
	kills(t, 3)
}

func TestKillOften(t *testing.T) {
	require.Long(t)
	kills(t, 20)
}

func TestCancelledScanResumes(t *testing.T) {
	t.Parallel()
	s := smallScan(filepath.Join(t.TempDir(), "hits.csv"))
	ctx, cancel := context.WithCancel(t.Context())
	s.Progress = func(p Progress) {
		if p.Steps == 7 {
			cancel()
		}
	}
	if _, err := s.Run(ctx); fail.Status(err) != fail.StatusInterrupt {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Output); err == nil {
		t.Error("a hits file of an interrupted scan")
	}
	other := *s
	other.Source = smallRegion(Shard{0, 2})
	if _, err := other.Run(t.Context()); fail.Status(err) != fail.StatusInput || !strings.Contains(err.Error(), "another job") {
		t.Errorf("the journal of another job: %v", err)
	}
	s.Progress = nil
	if r := runScan(t, s); r.Resumed != 7 || r.Positions != 10*7 {
		t.Errorf("resumed %d steps, %d positions", r.Resumed, r.Positions)
	}
	if _, err := s.Run(t.Context()); fail.Status(err) != fail.StatusInput || !strings.Contains(err.Error(), "--force") {
		t.Errorf("an existing hits file: %v", err)
	}
}
