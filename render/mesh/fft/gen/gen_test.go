package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The committed assembly and stubs are what the generator writes, but for their first lines, which name the command.
func TestAssemblyIsFresh(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := []string{"kernels_amd64.s", "kernels_amd64.go"}
	cmd := exec.Command("go", "run", ".", "-out", filepath.Join(dir, names[0]), "-stubs", filepath.Join(dir, names[1]), "-pkg", "fft")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range names {
		_, want, _ := bytes.Cut(read(t, filepath.Join(dir, name)), []byte("\n"))
		_, got, _ := bytes.Cut(read(t, filepath.Join("..", name)), []byte("\n"))
		if !bytes.Equal(got, want) {
			t.Errorf("%s is stale: go generate ./render/mesh/fft", name)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
