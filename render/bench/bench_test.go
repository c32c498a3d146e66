package bench

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"grsplat/render"
	"grsplat/render/sink"
)

var quiet = slog.New(slog.DiscardHandler)

// The rows of `bench cpu` are complete and its ratios are of medians; 300 events stand for the real inputs.
func TestCPU(t *testing.T) {
	t.Parallel()
	r, err := CPU(context.Background(), CPUOptions{Rounds: 3, Passes: 1, Threads: []int{1, 2}, Inputs: []Input{{Name: "small", Events: 300, Spread: 40}}, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	modes := map[string]int{}
	for _, row := range r.Rows {
		modes[row.Mode]++
		if len(row.Rates) != 3 || !(row.Median > 0) || row.Threads == 2 && !(row.OfOne > 0) {
			t.Errorf("incomplete row %+v", row)
		}
	}
	for mode, want := range map[string]int{"stamp": 2, "exact": 2, "cells": 2, "auto": 2, "reference": 1} {
		if modes[mode] != want {
			t.Errorf("%d rows of mode %s, want %d", modes[mode], mode, want)
		}
	}
	if lines := r.Table(); len(lines) != len(r.Rows)+2 || !strings.Contains(lines[0], "processors") {
		t.Errorf("table of %d lines for %d rows", len(lines), len(r.Rows))
	}
}

// A backend that cannot be opened and a path that there is not are named, the others are measured.
func TestAll(t *testing.T) {
	t.Parallel()
	r, err := All(context.Background(), AllOptions{
		Backends: []string{"cpu", "no-such-backend"}, Precisions: []sink.Precision{sink.F64}, Paths: []string{"stamp", "tile16", "auto"},
		Repeat: 1, MaxEvents: 50, Galactic: 50, Threads: 2, Log: quiet,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 2*(len(GPUInputs)+1) || r.Missing["no-such-backend/f64"] == "" || r.Missing["cpu/f64/tile16"] == "" {
		t.Errorf("%d rows, missing %v", len(r.Rows), r.Missing)
	}
	for _, row := range r.Rows {
		if (row.Path == "auto") != (row.OverBest > 0) {
			t.Errorf("%s, path %s: %v of the best", row.Input, row.Path, row.OverBest)
		}
	}
}

func TestThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{7: "7", 999: "999", 1000: "1,000", 10_000_000: "10,000,000"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestPipeline(t *testing.T) {
	t.Parallel()
	cfg := render.Defaults()
	cfg.Backend, cfg.Log, cfg.Threads = "count", quiet, 2
	r, err := Pipeline(context.Background(), cfg, filepath.Join(t.TempDir(), "cpu.pprof"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Rows != 8874 || r.Images == 0 || len(r.Stages) < 4 || !(r.ImagesPerCore > 0) || r.PeakHostBytes == 0 {
		t.Errorf("got %+v", r)
	}
}
