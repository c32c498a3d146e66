package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grsplat/render/catalog"
	"grsplat/render/fail"
)

func writeBad(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bad.csv")
	if err := os.WriteFile(path, []byte("ra,dec,vmag\n84,91,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A build that its input breaks leaves nothing: no directory that it made, nothing in one that was there, and a store that was to be
// replaced untouched.
func TestBadInputLeavesNothing(t *testing.T) {
	t.Parallel()
	good, bad := writeStars(t, 900, 21, false), writeBad(t)
	missing := filepath.Join(t.TempDir(), "missing.csv")
	gone := BuildInput{Open: func() (catalog.Source, error) { return catalog.Open(missing, catalog.Options{}) }}
	empty, old := t.TempDir(), filepath.Join(t.TempDir(), "old")
	mustBuild(t, old, files(good), smallTiles)
	want := contents(t, old)
	for _, inputs := range [][]BuildInput{files(bad), files(good + ":" + bad), {files(good)[0], gone}} {
		fresh := filepath.Join(t.TempDir(), "fresh")
		for _, dir := range []string{fresh, empty, old} {
			opt := smallTiles
			opt.Force = true
			if _, err := Build(t.Context(), dir, inputs, opt); fail.Status(err) != fail.StatusInput || fail.Remains(err) != "" {
				t.Errorf("build into %s: %v", dir, err)
			}
		}
		if _, err := os.Stat(fresh); err == nil {
			t.Error("a directory is left")
		}
		if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
			t.Errorf("%v is left, %v", left, err)
		}
		sameContents(t, contents(t, old), want)
		if _, problems, err := Verify(t.Context(), old); err != nil || len(problems) > 0 {
			t.Errorf("the store before: %v, %v", problems, err)
		}
	}
	if _, err := Build(t.Context(), filepath.Join(missing, "s"), files(good), smallTiles); fail.Status(err) != fail.StatusInput {
		t.Errorf("a missing folder: %v", err)
	}
}

// An interrupt leaves the unfinished folder only where the same call goes on from it, and the error says so.
func TestInterruptLeaves(t *testing.T) {
	t.Parallel()
	inputs := files(writeStars(t, 900, 22, false) + ":" + writeStars(t, 700, 23, false))
	dir := filepath.Join(t.TempDir(), "a")
	mustBuild(t, dir, inputs, smallTiles)
	for _, c := range []struct {
		after int64 // stars read
		keeps bool
	}{{1, false}, {901, true}} {
		again := filepath.Join(t.TempDir(), "b")
		ctx, cancel := context.WithCancel(t.Context())
		opt := smallTiles
		opt.Progress = func(p Progress) {
			if p.Stars >= c.after {
				cancel()
			}
		}
		_, err := Build(ctx, again, inputs, opt)
		_, left := os.Stat(again)
		if fail.Status(err) != fail.StatusInterrupt || (fail.Remains(err) != "") != c.keeps || (left == nil) != c.keeps {
			t.Errorf("interrupt after %d stars: %v, %v", c.after, err, left)
		}
		mustBuild(t, again, inputs, smallTiles)
		sameContents(t, contents(t, again), contents(t, dir))
	}
}

// What the disk refuses, and no input is to blame for, is gone on with.
func TestDiskErrorIsResumable(t *testing.T) {
	t.Parallel()
	inputs := files(writeStars(t, 900, 24, false))
	dir := filepath.Join(t.TempDir(), "a")
	inTheWay := filepath.Join(dir, catalog.UnfinishedDir, spillName, "tile")
	opt := smallTiles
	opt.Progress = func(p Progress) {
		if err := os.MkdirAll(inTheWay, 0o700); p.Stage == "read" && err != nil {
			t.Error(err)
		}
	}
	if _, err := Build(t.Context(), dir, inputs, opt); fail.Status(err) != fail.StatusInput || !strings.Contains(fail.Remains(err), "goes on") {
		t.Fatalf("a tile that cannot be written: %v", err)
	}
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	if x := mustBuild(t, dir, inputs, smallTiles); x.Stars != 900 {
		t.Errorf("%d stars", x.Stars)
	}
}

func TestTwoBuilds(t *testing.T) {
	t.Parallel()
	inputs := files(writeStars(t, 900, 25, false))
	dir := filepath.Join(t.TempDir(), "a")
	opt := smallTiles
	opt.Progress = func(Progress) {
		force := smallTiles
		force.Force = true
		if _, err := Build(t.Context(), dir, inputs, force); fail.Status(err) != fail.StatusInput || !strings.Contains(err.Error(), "another build") {
			t.Errorf("a second build: %v", err)
		}
	}
	mustBuild(t, dir, inputs, opt)
	if _, problems, err := Verify(t.Context(), dir); err != nil || len(problems) > 0 {
		t.Error(errors.Join(err), problems)
	}
}
