package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"grsplat/render/fail"
	"grsplat/tools/baseline"
)

// flags of the C compiler.
var baselineFlags = []string{"-O3", "-march=native", "-fopenmp"}

// A cProgram is the compiled baseline.
type cProgram struct{ path string }

// buildBaseline compiles the C baseline into dir.
func buildBaseline(ctx context.Context, dir string) (*cProgram, error) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		return nil, fail.Backend("bench: gcc: %w", err)
	}
	source, program := filepath.Join(dir, "psf_c.c"), filepath.Join(dir, "psf_c")
	if err := os.WriteFile(source, baseline.Source, 0o600); err != nil {
		return nil, fmt.Errorf("bench: write baseline: %w", err)
	}
	cmd := exec.CommandContext(ctx, gcc, append(baselineFlags, source, "-o", program, "-lm")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fail.Backend("bench: gcc: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return &cProgram{program}, nil
}

// run returns contributions per second, the best of the program's three passes.
func (p *cProgram) run(ctx context.Context, in Input, threads int) (float64, error) {
	args := []string{strconv.Itoa(in.Events), strconv.FormatFloat(in.Spread, 'g', -1, 64), strconv.Itoa(threads)}
	out, err := exec.CommandContext(ctx, p.path, args...).Output()
	if err != nil {
		return 0, fmt.Errorf("bench: baseline: %w", err)
	}
	rate, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		return 0, fmt.Errorf("bench: baseline: %w", err)
	}
	return rate, nil
}
