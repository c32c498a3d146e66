package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/spf13/pflag"

	"grsplat/render/fail"
	"grsplat/render/probe"
)

var probeVerb = verb{
	name:    "probe",
	args:    "[--json] [--fresh] [--device D] [--profile FILE]",
	summary: "tell which GPUs there are, which paths they can run, and how fast",
	example: "grsplat probe --json",
	run:     runProbe,
}

// probeChildVerb is how grsplat starts itself to ask a driver that may crash. It has no summary, so no help lists it.
var probeChildVerb = verb{
	name: "_probe",
	run:  func(ctx context.Context, c *console, _ *verb, args []string) error { return probe.Child(ctx, args, c.stdout) },
}

func runProbe(ctx context.Context, c *console, v *verb, args []string) error {
	flags := pflag.NewFlagSet(v.name, pflag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print the report as JSON")
	fresh := flags.Bool("fresh", false, "measure again instead of reading the user's cache")
	device := flags.String("device", "", "ask one device: an index, or a part of its name or UUID")
	profile := flags.String("profile", "", "answer for the device that a JSON file describes, one entry of devices[]")
	verbose := flags.BoolP("verbose", "v", false, "say what is being measured")
	if done, err := c.parse(v, flags, args); done || err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fail.Usage("probe: unexpected argument %q", flags.Arg(0))
	}
	report, err := probed(ctx, c, *profile, probe.Options{Device: *device, Fresh: *fresh, CacheDir: probe.CacheDir(), Program: version + " " + commit}, *verbose)
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

func probed(ctx context.Context, c *console, profile string, o probe.Options, verbose bool) (probe.Report, error) {
	if profile != "" {
		f, err := os.Open(profile)
		if err != nil {
			return probe.Report{}, fail.Input("profile: %w", err)
		}
		defer f.Close()
		d, err := probe.ReadProfile(f)
		return probe.Report{Devices: []probe.Device{d}}, err
	}
	self, err := os.Executable()
	if err != nil {
		return probe.Report{}, fail.Backend("probe: %w", err)
	}
	o.Self = []string{self, probeChildVerb.name}
	if verbose {
		o.Log = slog.New(slog.NewTextHandler(c.stderr, nil))
	}
	return probe.Run(ctx, o)
}
