package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/psf"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
	"grsplat/render/sink/cpu/kern"
)

// CPUOptions of `bench cpu`.
type CPUOptions struct {
	Rounds  int      // alternations of the programs; the median of them counts
	Passes  int      // of each program in a round; the best of them counts, as in the C program
	Threads []int    // empty: one, and all
	Levels  []string // of the kernels; empty: the fastest that the processor has
	Inputs  []Input
	Log     *slog.Logger
}

// A CPUReport holds contributions per second.
type CPUReport struct {
	CPUs     int      `json:"cpus"`
	Baseline string   `json:"baseline,omitempty"` // how the C program was built, or why not
	Rows     []CPURow `json:"rows"`
}

// A CPURow is one way to sum one input.
type CPURow struct {
	Input   string    `json:"input"`
	Mode    string    `json:"mode"` // c, stamp, exact, cells, auto, reference
	Level   string    `json:"level,omitempty"`
	Threads int       `json:"threads"`
	Rates   []float64 `json:"rates"`  // contributions/s, by round
	Median  float64   `json:"median"` // contributions/s
	OfC     float64   `json:"of_c,omitempty"`
	OfOne   float64   `json:"of_one_thread,omitempty"`
}

// Modes of the CPU that are compared with the C program.
var cpuModes = []Mode{
	{"stamp", "stamp", sink.F64}, {"exact", "stamp", sink.Exact128}, {"cells", "cells", sink.F64}, {"auto", "auto", sink.F64},
}

// referenceEvents bounds the input of the sequential reference, which is some ten times slower.
const referenceEvents = 2048

// A contestant is one row being measured.
type contestant struct {
	row  *CPURow
	pass func(ctx context.Context) (float64, error) // contributions/s
	done func() error
}

// CPU measures the CPU sink against the C baseline and the sequential reference.
func CPU(ctx context.Context, o CPUOptions) (*CPUReport, error) {
	if o.Rounds < 1 || o.Passes < 1 {
		return nil, fail.Usage("bench: %d rounds of %d passes: must be 1 or more", o.Rounds, o.Passes)
	}
	for _, n := range o.Threads {
		if n < 1 || n > 4096 {
			return nil, fail.Usage("bench: %d threads are outside 1 to 4096", n)
		}
	}
	for _, name := range o.Levels {
		if _, ok := kern.Pick(name); !ok {
			return nil, fail.Backend("bench: level: this processor has no %q", name)
		}
	}
	if len(o.Threads) == 0 {
		o.Threads = []int{1}
		if n := runtime.GOMAXPROCS(0); n > 1 {
			o.Threads = append(o.Threads, n)
		}
	}
	if len(o.Levels) == 0 {
		o.Levels = []string{""}
	}
	f, err := psf.New(psf.Defaults())
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "grsplat-bench")
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	defer os.RemoveAll(dir)
	r := &CPUReport{CPUs: runtime.NumCPU(), Baseline: "gcc " + fmt.Sprint(baselineFlags)}
	program, err := buildBaseline(ctx, dir)
	if err != nil {
		r.Baseline = err.Error()
	}
	for _, in := range o.Inputs {
		for _, threads := range o.Threads {
			o.Log.Info("bench", "input", in.Name, "threads", threads)
			rows, err := measureInput(ctx, o, f, program, in, threads)
			if err != nil {
				return nil, err
			}
			r.Rows = append(r.Rows, rows...)
		}
	}
	r.compare()
	return r, nil
}

// measureInput runs every contestant in turn, o.Rounds times.
func measureInput(ctx context.Context, o CPUOptions, f *psf.PSF, program *cProgram, in Input, threads int) (rows []CPURow, err error) {
	events, err := load(in, f)
	if err != nil {
		return nil, err
	}
	var all []contestant
	defer func() {
		for _, c := range all {
			err = errors.Join(err, c.done())
		}
	}()
	add := func(c contestant) {
		c.row.Input, c.row.Threads = in.Name, threads
		all = append(all, c)
	}
	if program != nil && in.Recorded != nil {
		if err := program.record(in.Recorded); err != nil {
			return nil, err
		}
	}
	if program != nil {
		add(contestant{
			row:  &CPURow{Mode: "c"},
			pass: func(ctx context.Context) (float64, error) { return program.run(ctx, in, threads) },
			done: func() error { return nil },
		})
	}
	contributions := 0.0
	for i := range events {
		d := psf.NewDisc(events[i].X, events[i].Y, events[i].Support, frameW, frameH)
		contributions += float64(d.Pixels())
	}
	for _, level := range o.Levels {
		for _, m := range cpuModes {
			c, err := sinkContestant(ctx, o, config(f, m, threads), m, level, events, contributions)
			if err != nil {
				return nil, err
			}
			add(c)
		}
	}
	if threads == 1 {
		add(referenceContestant(o, config(f, cpuModes[0], 1), events))
	}
	for range o.Rounds {
		for _, c := range all {
			rate, err := c.pass(ctx)
			if err != nil {
				return nil, err
			}
			c.row.Rates = append(c.row.Rates, rate)
		}
	}
	for _, c := range all {
		c.row.Median = median(c.row.Rates)
		rows = append(rows, *c.row)
	}
	return rows, nil
}

// A summer is a CPU canvas that can be told to finish its sums.
type summer interface {
	sink.Canvas
	sink.Reporter
	Flush(ctx context.Context) error
}

// open opens the CPU canvas of a mode with the kernels of a level.
func open(cfg sink.Config, level string) (summer, error) {
	if cfg.Path == "auto" {
		return cpu.NewMesh(cfg, cpu.Level(level))
	}
	return cpu.NewStamp(cfg, cpu.Level(level))
}

// sinkContestant warms a canvas up, so that memory is there as it is in the C program's later passes.
func sinkContestant(ctx context.Context, o CPUOptions, cfg sink.Config, m Mode, level string, events []event.Event, contributions float64) (contestant, error) {
	s, err := open(cfg, level)
	if err != nil {
		return contestant{}, err
	}
	work := func() error {
		if err := deposit(ctx, s, events); err != nil {
			return err
		}
		return s.Flush(ctx)
	}
	if err := work(); err != nil {
		return contestant{}, err
	}
	return contestant{
		row: &CPURow{Mode: m.Name, Level: s.Stats().Device},
		pass: func(context.Context) (float64, error) {
			t, err := bestOf(o.Passes, work)
			return contributions / t, err
		},
		done: s.Close,
	}, nil
}

func referenceContestant(o CPUOptions, cfg sink.Config, events []event.Event) contestant {
	events = events[:min(len(events), referenceEvents)]
	return contestant{
		row: &CPURow{Mode: "reference"},
		pass: func(ctx context.Context) (float64, error) {
			ref := cpu.NewReference(cfg)
			t, err := bestOf(o.Passes, func() error { return deposit(ctx, ref, events) })
			return float64(ref.Stats().Contributions) / float64(o.Passes) / t, err
		},
		done: func() error { return nil },
	}
}

// compare fills in the ratios of medians.
func (r *CPUReport) compare() {
	find := func(input, mode, level string, threads int) float64 {
		for i := range r.Rows {
			if row := &r.Rows[i]; row.Input == input && row.Mode == mode && row.Level == level && row.Threads == threads {
				return row.Median
			}
		}
		return 0
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		if c := find(row.Input, "c", "", row.Threads); c > 0 && row.Mode != "c" {
			row.OfC = row.Median / c
		}
		if one := find(row.Input, row.Mode, row.Level, 1); one > 0 && row.Threads > 1 {
			row.OfOne = row.Median / one
		}
	}
}

// Table renders the report as lines.
func (r *CPUReport) Table() []string {
	lines := []string{
		fmt.Sprintf("%d processors; C: %s", r.CPUs, r.Baseline),
		fmt.Sprintf("%-8s %-10s %-8s %7s %12s %7s %9s", "input", "mode", "level", "threads", "G contrib/s", "of C", "of one"),
	}
	for _, row := range r.Rows {
		lines = append(lines, fmt.Sprintf("%-8s %-10s %-8s %7d %12.3f %7s %9s",
			row.Input, row.Mode, row.Level, row.Threads, row.Median/1e9, ratio(row.OfC), ratio(row.OfOne)))
	}
	return lines
}

func ratio(v float64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", v)
}
