package main

import (
	"context"
	"log/slog"
	"runtime"
	"slices"

	"github.com/spf13/pflag"

	"grsplat/cmd/internal/cli"
	"grsplat/render/bench"
	"grsplat/render/fail"
	"grsplat/render/replay"
	"grsplat/render/sink"
)

var benchVerb = cli.Verb{
	Name: "bench", Args: "cpu|gpu|all|render ...", Summary: "measure this machine: sinks, or a whole render",
	Example: "grsplat bench cpu --rounds 5", Run: runBench,
}

// benchVerbs are the verbs of the verb bench.
var benchVerbs = []cli.Verb{
	{
		Name: "bench cpu", Args: "[flags]", Summary: "the CPU sink beside the same loop in C",
		Example: "grsplat bench cpu --rounds 5", Run: runBenchCPU,
	},
	benchGPUVerb,
	{
		Name: "bench all", Args: "[flags]", Summary: "seven inputs on every available backend",
		Example: "grsplat bench all --backend cpu --path stamp,mesh,auto --json", Run: runBenchAll,
	},
	{
		Name: "bench render", Args: "[flags of render]", Summary: "where the time of one render goes",
		Example: "grsplat bench render --catalog tycho2.csv.gz --projection car --size 3840x1920 --backend count", Run: runBenchRender,
	},
}

func runBench(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	return c.Group(ctx, v, benchVerbs, args)
}

// tabular is a report that has a JSON form and a text form.
type tabular interface{ Table() []string }

func printReport(c *cli.Console, r tabular, asJSON bool) error {
	if asJSON {
		return c.JSON(r)
	}
	for _, line := range r.Table() {
		c.Printf("%s", line)
	}
	return nil
}

func benchLog(c *cli.Console) *slog.Logger { return slog.New(slog.NewTextHandler(c.Stderr, nil)) }

func runBenchCPU(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	set := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	o := bench.CPUOptions{Log: benchLog(c)}
	set.IntVar(&o.Rounds, "rounds", 5, "alternations of the programs; medians are over rounds")
	set.IntVar(&o.Passes, "passes", 3, "passes of each program in a round; the best of them counts")
	set.IntSliceVar(&o.Threads, "threads", nil, "numbers of threads (default 1 and all)")
	set.StringSliceVar(&o.Levels, "level", nil, "kernels: generic, avx2, avx512 (default the fastest)")
	inputs := set.StringSlice("input", nil, "dense, hotspot, spread (default all, or none with --capture)")
	recording := set.String("capture", "", "measure the star images of this file too, of a 3840x2160 render with the default PSF")
	asJSON := set.Bool("json", false, "print JSON")
	if done, err := c.ParseFlags(v, set, args); done || err != nil {
		return err
	}
	if *recording != "" {
		r, err := replay.Load(*recording)
		if err != nil {
			return err
		}
		in, err := bench.Recorded(r)
		if err != nil {
			return err
		}
		o.Inputs = append(o.Inputs, in)
	}
	for _, name := range *inputs {
		if !slices.ContainsFunc(bench.Inputs, func(in bench.Input) bool { return in.Name == name }) {
			return fail.Usage("bench cpu: no input is called %s", name)
		}
	}
	for _, in := range bench.Inputs {
		if len(*inputs) == 0 && *recording == "" || slices.Contains(*inputs, in.Name) {
			o.Inputs = append(o.Inputs, in)
		}
	}
	report, err := bench.CPU(ctx, o)
	if err != nil {
		return err
	}
	return printReport(c, report, *asJSON)
}

func runBenchAll(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	set := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	o := bench.AllOptions{Log: benchLog(c), Threads: runtime.GOMAXPROCS(0)}
	set.StringSliceVar(&o.Backends, "backend", []string{"cpu", "vulkan", "hip"}, "backends to measure")
	set.StringVar(&o.Device, "device", "", "index, or part of the name or UUID, of the device")
	set.IntVar(&o.Repeat, "repeat", 5, "timed runs; the one of median wall time counts")
	set.IntVar(&o.MaxEvents, "max-events", 0, "cut the inputs to this number, for a software device")
	set.IntVar(&o.Galactic, "galactic", 1<<20, "events of the input towards the galactic centre; 0 leaves it out")
	set.StringSliceVar(&o.Paths, "path", []string{"auto"}, "paths to measure, in turn; auto, last, is compared with the others")
	precisions := set.StringSlice("precision", []string{"f64", "exact"}, "precisions to measure")
	asJSON := set.Bool("json", false, "print JSON")
	if done, err := c.ParseFlags(v, set, args); done || err != nil {
		return err
	}
	for _, backend := range o.Backends {
		if !slices.Contains([]string{"cpu", "vulkan", "hip"}, backend) {
			return fail.Usage("bench all: backend %q is not one of cpu, vulkan, hip", backend)
		}
	}
	if o.Repeat < 1 || o.MaxEvents < 0 {
		return fail.Usage("bench all: --repeat %d and --max-events %d: must be at least 1 and 0", o.Repeat, o.MaxEvents)
	}
	for _, text := range *precisions {
		p, err := sink.ParsePrecision(text)
		if err != nil {
			return err
		}
		o.Precisions = append(o.Precisions, p)
	}
	report, err := bench.All(ctx, o)
	if err != nil {
		return err
	}
	return printReport(c, report, *asJSON)
}

func runBenchRender(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	f := newRenderFlags(v.Name)
	profile := f.set.String("cpu-profile", "", "write a profile for go tool pprof")
	if done, err := c.Parse(v, f.set, joinOptional(args)); done || err != nil {
		return err
	}
	cfg, err := f.config()
	if err != nil {
		return err
	}
	p := newProgress(c, f.quiet, f.logFormat)
	cfg.Log, cfg.Progress = p.log(f.verbose), p.update
	report, err := bench.Pipeline(ctx, cfg, *profile)
	p.done()
	if err != nil {
		return err
	}
	return printReport(c, report, f.asJSON)
}
