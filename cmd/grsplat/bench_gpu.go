package main

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"grsplat/cmd/internal/cli"
	"grsplat/render/bench"
	"grsplat/render/fail"
	"grsplat/render/sink"
)

var benchGPUVerb = cli.Verb{
	Name: "bench gpu", Args: "[flags]", Summary: "measure a Vulkan device: seven inputs on every path and precision",
	Example: "grsplat bench gpu --repeat 5 --json", Run: runBenchGPU,
}

func runBenchGPU(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	set := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	o := bench.GPUOptions{Log: benchLog(c)}
	set.StringVar(&o.Device, "device", "", "index, or part of the name or UUID, of the device")
	set.IntVar(&o.Repeat, "repeat", 5, "timed runs; medians are reported")
	set.DurationVar(&o.Warm, "warm", 250*time.Millisecond, "untimed work on the device before each batch, so that it runs at the clocks of a busy device")
	set.IntVar(&o.MaxEvents, "max-events", 0, "cut the inputs to this number, for a software device")
	set.IntVar(&o.Galactic, "galactic", 10_000_000, "star images of the seventh input, a field towards the galactic centre; 0 leaves it out")
	set.StringSliceVar(&o.Paths, "path", nil, "only these paths (default all, and auto)")
	set.BoolVar(&o.Check, "check", false, "compare every frame with the CPU's")
	set.StringVar(&o.CUDA, "cuda", "", "program built from tools/baseline/cuda to run in the same go")
	precisions := set.StringSlice("precision", []string{"f64", "exact", "f32"}, "precisions to measure")
	asJSON := set.Bool("json", false, "print JSON")
	if done, err := c.ParseFlags(v, set, args); done || err != nil {
		return err
	}
	if o.Repeat < 1 || o.MaxEvents < 0 || o.Galactic < 0 {
		return fail.Usage("bench gpu: --repeat %d, --max-events %d and --galactic %d: must be at least 1, 0 and 0", o.Repeat, o.MaxEvents, o.Galactic)
	}
	for _, text := range *precisions {
		p, err := sink.ParsePrecision(text)
		if err != nil {
			return err
		}
		o.Precisions = append(o.Precisions, p)
	}
	report, err := bench.GPU(ctx, o)
	if err != nil {
		return err
	}
	return printReport(c, report, *asJSON)
}
