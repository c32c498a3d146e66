package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/pflag"

	"grsplat/render/fail"
	"grsplat/search"
)

var benchVerb = verb{
	name: "bench", args: "[flags]", summary: "time the four reference batches in every mode and compare their lists",
	example: "slimescan bench --backend vulkan --json bench.json", run: runBench,
}

func runBench(ctx context.Context, c *console, v *verb, args []string) error {
	flags := pflag.NewFlagSet(v.name, pflag.ContinueOnError)
	rounds := flags.Int("rounds", 3, "measured rounds, after one to warm up")
	thin := flags.Int("thin", 1, "keep every n-th position of the batches, for slow devices")
	path := flags.String("json", "", "write the tables to this file")
	force := flags.Bool("force", false, "replace an existing file")
	var e engineFlags
	e.register(flags)
	if done, err := c.parse(v, flags, args); done || err != nil {
		return err
	}
	if *rounds < 1 || *thin < 1 {
		return fail.Usage("bench: --rounds and --thin must be 1 or more")
	}
	began := time.Now()
	searcher, shape, err := e.open(c)
	if err != nil {
		return err
	}
	started := time.Since(began)
	report, err := searcher.Bench(ctx, search.BenchBatches(shape, *thin), search.Modes(), *rounds, c.progress)
	if err := errors.Join(err, searcher.Close()); err != nil {
		return err
	}
	c.wipe()
	report.SetupMS += float64(started) / float64(time.Millisecond)
	report.Thin = *thin
	c.printBench(report)
	if *path == "" {
		return nil
	}
	return writeJSON(*path, *force, struct {
		Version string `json:"version"`
		Commit  string `json:"commit"`
		*search.BenchReport
	}{version, commit, report})
}

func (c *console) printBench(r *search.BenchReport) {
	c.printf("%s, %s, median of %d rounds, ms; set-up and warm-up %.0f ms", r.Engine, r.Shape, r.Rounds, r.SetupMS)
	for _, b := range r.Batches {
		c.printf("\n%s: %d positions, %d classes, %d tasks, %d hits; all modes agree", b.Name, b.Positions, b.Classes, b.Tasks, b.Hits)
		c.printf("mode     batch  classing     roots arranging    search restoring   us/task")
		for _, m := range b.Modes {
			c.printf("%4d %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f %9.4f", m.Mode, m.Batch, m.Classing, m.Roots, m.Arranging, m.Search, m.Restoring, m.USPerTask)
		}
	}
}
