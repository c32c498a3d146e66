package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/tools/baseline"
)

// flags of the C compiler.
var baselineFlags = []string{"-O3", "-march=native", "-fopenmp"}

// A cProgram is the compiled baseline.
type cProgram struct{ path, recording string }

// record writes events where the program can read them.
func (p *cProgram) record(events []event.Event) error {
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(events))), len(events)*int(unsafe.Sizeof(event.Event{})))
	if err := os.WriteFile(p.recording, raw, 0o600); err != nil {
		return fmt.Errorf("bench: write events: %w", err)
	}
	return nil
}

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
	return &cProgram{program, filepath.Join(dir, "events")}, nil
}

// run returns contributions per second, the best of the program's three passes.
func (p *cProgram) run(ctx context.Context, in Input, threads int) (float64, error) {
	if in.Recorded != nil {
		return p.call(ctx, p.recording, "-", strconv.Itoa(threads))
	}
	return p.call(ctx, strconv.Itoa(in.Events), strconv.FormatFloat(in.Spread, 'g', -1, 64), strconv.Itoa(threads))
}

func (p *cProgram) call(ctx context.Context, args ...string) (float64, error) {
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
