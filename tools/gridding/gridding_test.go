// Package gridding keeps the evaluation of gridding against the mesh's phase lattice: a C program, whose head has the figures.
package gridding

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// The two ways of c/gridding.c agree to rounding, or its comparison of their times would mean nothing.
func TestWaysAgree(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "gridding")
	if out, err := exec.Command("gcc", "-O3", "-Wall", "-Werror", "-o", program, "c/gridding.c", "-lm").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	out, err := exec.Command(program, "1000").CombinedOutput()
	if err != nil {
		t.Fatalf("gridding: %v\n%s", err, out)
	}
	t.Logf("\n%s", out)
}
