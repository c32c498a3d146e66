package outfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A lock keeps others out until it is closed or its file removed, and is never one on a file without a name.
func TestOpenLocked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal")
	first, err := OpenLocked(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLocked(path); !errors.Is(err, ErrLocked) {
		t.Fatalf("a second lock: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := OpenLocked(path)
	if err != nil {
		t.Fatalf("after the close: %v", err)
	}
	if err := ReleaseAfter(second, func() error { return os.Remove(path) }); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is left")
	}
	third, err := OpenLocked(path)
	if err != nil {
		t.Fatalf("after the removal: %v", err)
	}
	if err := third.Close(); err != nil {
		t.Error(err)
	}
}

func TestCheckLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Check(filepath.Join(dir, "a"), false); err != nil || len(entries(t, dir)) != 0 {
		t.Errorf("%v, %v", err, entries(t, dir))
	}
	if err := Check(dir, true); err == nil {
		t.Error("a directory passes")
	}
}
