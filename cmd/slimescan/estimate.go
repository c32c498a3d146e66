package main

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"grsplat/cmd/internal/cli"
	"grsplat/render/fail"
	"grsplat/search"
)

var estimateVerb = cli.Verb{
	Name: "estimate", Args: "[flags]", Summary: "forecast a scan of the whole world from a sample of classes",
	Example: "slimescan estimate --classes 100000 --devices 1,8,64", Run: runEstimate,
}

func runEstimate(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	flags := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	classes := flags.Int("classes", 20_000, "classes to sample")
	seed := flags.Uint64("random-seed", 1, "equal seeds draw equal classes")
	devices := flags.IntSlice("devices", []int{1, 8, 64}, "numbers of devices to forecast for")
	asJSON := flags.Bool("json", false, "print JSON")
	var e engineFlags
	e.register(flags)
	if done, err := c.ParseFlags(v, flags, args); done || err != nil {
		return err
	}
	for _, n := range *devices {
		if n < 1 {
			return fail.Usage("estimate: %d devices: want 1 or more", n)
		}
	}
	if *classes < 2 {
		return fail.Usage("estimate: %d classes: a standard error needs 2 or more", *classes)
	}
	searcher, _, err := e.open(c)
	if err != nil {
		return err
	}
	est, err := searcher.Estimate(ctx, *classes, *seed, *devices)
	if err := errors.Join(err, searcher.Close()); err != nil {
		return err
	}
	if *asJSON {
		return c.JSON(est)
	}
	printEstimate(c, est)
	return nil
}

func printEstimate(c *cli.Console, e *search.Estimate) {
	m, x := e.Measured, e.Derived
	c.Printf("measured on %s, %s:", e.Engine, e.Shape)
	c.Printf("  classes sampled      %d", m.Classes)
	c.Printf("  rooted fraction      %.5f +- %.5f", m.RootedFraction, m.RootedFractionSE)
	c.Printf("  roots per class      %.4f +- %.4f (most %d)", m.RootsPerClass, m.RootsPerClassSE, m.MostRoots)
	c.Printf("  time per class       %.3f us, listing roots", 1e6*m.SecondsPerClass)
	c.Printf("  time per task        %.4f us, over %d tasks", 1e6*m.SecondsPerTask, m.Tasks)
	c.Printf("extrapolated to the whole world, not run:")
	c.Printf("  positions            %.4g in %.4g classes", x.Corners, x.Classes)
	c.Printf("  tasks                %.3g +- %.1g", x.Tasks, x.TasksSE)
	c.Printf("  days on this device  %.3g +- %.1g (of the sampling alone)", x.Days, x.DaysSE)
	for _, d := range e.Devices {
		c.Printf("  days on %-4d devices %.3g, if shards scale perfectly", d.N, d.Days)
	}
}
