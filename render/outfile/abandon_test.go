package outfile

import (
	"path/filepath"
	"testing"
)

// After Abandon nothing is left, nothing gets its name and nothing is begun. The test runs alone: it ends the process for a moment.
func TestAbandon(t *testing.T) {
	dir := t.TempDir()
	if err := write(t, filepath.Join(dir, "done"), "whole", false); err != nil {
		t.Fatal(err)
	}
	f, err := Create(filepath.Join(dir, "a"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	Abandon()
	defer func() { unfinished.abandoned = false }()
	if left := entries(t, dir); len(left) != 1 || left[0] != "done" {
		t.Errorf("%v is left", left)
	}
	if err := f.Commit(); err == nil {
		t.Error("an abandoned file was committed")
	}
	if _, err := Create(filepath.Join(dir, "b"), false); err == nil {
		t.Error("a file was begun")
	}
	if left := entries(t, dir); len(left) != 1 || left[0] != "done" {
		t.Errorf("%v is left", left)
	}
}
