package outfile

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"grsplat/render/fail"
)

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func write(t *testing.T, path, content string, force bool) error {
	t.Helper()
	f, err := Create(path, force)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write([]byte(content)); err != nil {
		return err
	}
	return f.Commit()
}

func TestCommit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.png")
	f, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	if f.Name() != path {
		t.Errorf("name %s", f.Name())
	}
	if _, err := f.Write([]byte("whole")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Fatal("the file has its name before Commit")
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "whole" {
		t.Errorf("content %q", got)
	}
	if names := entries(t, dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o666&^umask() {
		t.Errorf("mode %v", info.Mode())
	}
	if err := f.Commit(); err == nil {
		t.Error("a second Commit succeeds")
	}
}

// Of files that belong together none gets its name if one cannot be flushed.
func TestCommitAllLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var files []*File
	for _, name := range []string{"a", "b"} {
		f, err := Create(filepath.Join(dir, name), false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if err := files[1].temp.Close(); err != nil { // the disk fails under the second file
		t.Fatal(err)
	}
	if err := CommitAll(files); err == nil || fail.Status(err) != fail.StatusInput {
		t.Errorf("error %v", err)
	}
	if names := entries(t, dir); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := Create(filepath.Join(dir, "a"), false)
	if err != nil {
		t.Fatal(err)
	}
	f.Abort()
	f.Abort()
	if names := entries(t, dir); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := filepath.Join(dir, "old")
	if err := os.WriteFile(old, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, reason := range map[string]string{
		"":                                "empty file name",
		old:                               "file exists; --force",
		dir:                               "is a directory",
		filepath.Join(dir, "no", "a"):     "there is no folder",
		filepath.Join(old, "a"):           "not a directory",
		os.DevNull:                        "not a regular file",
		"/proc/version-beside-a-file":     "output: create",
		filepath.Join(dir, "nul\x00byte"): "invalid argument",
	} {
		err := write(t, path, "x", false)
		if err == nil || !strings.Contains(err.Error(), reason) || fail.Status(err) != fail.StatusInput {
			t.Errorf("%q: %v, want %q with status 3", path, err, reason)
		}
	}
	if got, _ := os.ReadFile(old); string(got) != "precious" {
		t.Errorf("a refused output changed the file to %q", got)
	}
}

func TestForceReplacesThroughLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := write(t, link, "new", true); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(target); string(got) != "new" {
		t.Errorf("the link's target holds %q", got)
	}
}

func TestFileThatAppearsMeanwhile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	f, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err == nil || !strings.Contains(err.Error(), "appeared meanwhile") {
		t.Errorf("commit: %v", err)
	}
	if names := entries(t, filepath.Dir(path)); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

// A disk that fills up is imitated by the shell's limit on file sizes, in a copy of this test program.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	const variable = "OUTFILE_FILL"
	if path := os.Getenv(variable); path != "" {
		err := write(t, path, strings.Repeat("x", 4<<20), false)
		if err == nil || !strings.Contains(err.Error(), "output: write "+path+": file too large") || fail.Status(err) != fail.StatusInput {
			t.Fatalf("error %v", err)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command("/bin/sh", "-c", `trap "" XFSZ; ulimit -f 1024; exec "$0" -test.run '^TestDiskFull$'`, self)
	cmd.Env = append(os.Environ(), variable+"="+filepath.Join(dir, "big"))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if names := entries(t, dir); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}
