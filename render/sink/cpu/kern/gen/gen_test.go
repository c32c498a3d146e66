package main

import (
	"bytes"
	"os"
	"testing"
)

// The committed assembly is what the generator writes.
func TestAssemblyIsFresh(t *testing.T) {
	t.Parallel()
	want, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../kern_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("kern_amd64.s is stale: go run ./render/sink/cpu/kern/gen -o render/sink/cpu/kern/kern_amd64.s")
	}
}
