package outfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSameAndWithin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	if err := os.MkdirAll(in("real", "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in("real", "a"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"folder": in("real"), "file": in("real", "a")} {
		if err := os.Symlink(target, in(link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{in("real", "a"), in("file"), true},
		{in("real", "a"), dir + "/./real/../real/a", true},
		{in("real", "new"), in("folder", "new"), true},
		{in("real", "new"), in("folder", "other"), false},
		{in("real", "new"), in("real", "a"), false},
		{in("real", "a"), in("real", "new"), false},
		{in("none", "a"), in("none", "a"), false}, // a folder that is not there is told by Create
	} {
		if Same(c.a, c.b) != c.same {
			t.Errorf("%s and %s: want %v", c.a, c.b, c.same)
		}
	}
	for path, want := range map[string]bool{in("real", "deep", "new"): true, in("folder", "a"): true, in("real"): true, in("other"): false, dir: false} {
		if Within(path, in("real")) != want {
			t.Errorf("%s within: want %v", path, want)
		}
	}
	if Within(in("real", "a"), in("real", "a")) || Within(in("real"), in("none")) {
		t.Error("a file or nothing holds something")
	}
}

// Of files that are committed together none gets its name if one of them cannot.
func TestCommitAllOrNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var files []*File
	for _, name := range []string{"a", "b"} {
		f, err := Create(filepath.Join(dir, name), false)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if err := os.WriteFile(filepath.Join(dir, "b"), []byte("another's"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := CommitAll(files); err == nil {
		t.Error("b was replaced")
	}
	if left := entries(t, dir); len(left) != 1 || left[0] != "b" {
		t.Errorf("%v is there", left)
	}
}
