//go:build unix

package catalog

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe is read once.
func TestPipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return
		}
		defer f.Close()
		f.WriteString("ra,dec,mag\n1,2,3\n")
	}()
	src, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	nothing := func([]Star) error { return nil }
	if err := src.Read(t.Context(), nothing); err != nil || src.Stats().Stars != 1 {
		t.Errorf("%v, %d stars", err, src.Stats().Stars)
	}
	checkRefusal(t, "second reading", path, src.Read(t.Context(), nothing), "only once")
}
