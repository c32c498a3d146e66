package main

import (
	"context"
	"log/slog"
	"slices"

	"github.com/spf13/pflag"

	"grsplat/render/bench"
	"grsplat/render/fail"
)

var benchVerb = verb{
	name: "bench", args: "cpu [flags]", summary: "measure this machine: the CPU sink beside the same loop in C",
	example: "grsplat bench cpu --rounds 5", run: runBench,
}

func runBench(ctx context.Context, c *console, v *verb, args []string) error {
	set := pflag.NewFlagSet(v.name, pflag.ContinueOnError)
	rounds := set.Int("rounds", 5, "alternations of the programs; medians are over rounds")
	passes := set.Int("passes", 3, "passes of each program in a round; the best of them counts")
	threads := set.IntSlice("threads", nil, "numbers of threads (default 1 and all)")
	levels := set.StringSlice("level", nil, "kernels: generic, avx2, avx512 (default the fastest)")
	inputs := set.StringSlice("input", nil, "dense, hotspot, spread (default all)")
	asJSON := set.Bool("json", false, "print JSON")
	if done, err := c.parse(v, set, args); done || err != nil {
		return err
	}
	if set.NArg() != 1 || set.Arg(0) != "cpu" {
		return fail.Usage("bench: want what to measure: cpu")
	}
	o := bench.CPUOptions{
		Rounds: *rounds, Passes: *passes, Threads: *threads, Levels: *levels,
		Log: slog.New(slog.NewTextHandler(c.stderr, nil)),
	}
	for _, in := range bench.Inputs {
		if len(*inputs) == 0 || slices.Contains(*inputs, in.Name) {
			o.Inputs = append(o.Inputs, in)
		}
	}
	report, err := bench.CPU(ctx, o)
	if err != nil {
		return err
	}
	if *asJSON {
		return c.json(report)
	}
	for _, line := range report.Table() {
		c.printf("%s", line)
	}
	return nil
}
