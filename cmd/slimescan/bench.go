package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/pflag"

	"grsplat/cmd/internal/cli"
	"grsplat/render/fail"
	"grsplat/render/outfile"
	"grsplat/search"
)

var benchVerb = cli.Verb{
	Name: "bench", Args: "[flags]", Summary: "time the four reference batches in every mode and compare their lists",
	Example: "slimescan bench --backend vulkan --json bench.json", Run: runBench,
}

func runBench(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	flags := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	rounds := flags.Int("rounds", 3, "measured rounds, after one to warm up")
	thin := flags.Int("thin", 1, "keep every n-th position of the batches, for slow devices")
	path := flags.String("json", "", "write the tables to this file")
	force := flags.Bool("force", false, "replace an existing file")
	var e engineFlags
	e.register(flags)
	if done, err := c.ParseFlags(v, flags, args); done || err != nil {
		return err
	}
	if *rounds < 1 || *thin < 1 {
		return fail.Usage("bench: --rounds and --thin must be 1 or more")
	}
	if *path != "" {
		if err := outfile.Check(*path, *force); err != nil {
			return err
		}
	}
	began := time.Now()
	searcher, shape, err := e.open(c)
	if err != nil {
		return err
	}
	started := time.Since(began)
	report, err := searcher.Bench(ctx, search.BenchBatches(shape, *thin), search.Modes(), *rounds, c.Progress)
	if err := errors.Join(err, searcher.Close()); err != nil {
		return err
	}
	c.Wipe()
	report.SetupMS += float64(started) / float64(time.Millisecond)
	report.Thin = *thin
	printBench(c, report)
	if *path == "" {
		return nil
	}
	return writeJSON(*path, *force, struct {
		Version string `json:"version"`
		Commit  string `json:"commit"`
		*search.BenchReport
	}{version, commit, report})
}

func printBench(c *cli.Console, r *search.BenchReport) {
	c.Printf("%s, %s, median of %d rounds, ms; set-up and warm-up %.0f ms", r.Engine, r.Shape, r.Rounds, r.SetupMS)
	for _, b := range r.Batches {
		c.Printf("\n%s: %d positions, %d classes, %d tasks, %d hits; all modes agree", b.Name, b.Positions, b.Classes, b.Tasks, b.Hits)
		c.Printf("mode     batch  classing     roots arranging    search restoring   us/task")
		for _, m := range b.Modes {
			c.Printf("%4d %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f %9.4f", m.Mode, m.Batch, m.Classing, m.Roots, m.Arranging, m.Search, m.Restoring, m.USPerTask)
		}
	}
}
