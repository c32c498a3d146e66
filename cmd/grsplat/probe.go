package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/spf13/pflag"

	"grsplat/cmd/internal/cli"
	"grsplat/render/fail"
	"grsplat/render/probe"
)

var probeVerb = cli.Verb{
	Name:    "probe",
	Args:    "[--json] [--fresh] [--device D] [--profile FILE]",
	Summary: "tell which GPUs there are, which paths they can run, and how fast",
	Example: "grsplat probe --json",
	Run:     runProbe,
}

// probeChildVerb is how grsplat starts itself to ask a driver that may crash. It has no summary, so no help lists it.
var probeChildVerb = cli.Verb{
	Name: "_probe",
	Run: func(ctx context.Context, c *cli.Console, _ *cli.Verb, args []string) error {
		return probe.Child(ctx, args, c.Stdout)
	},
}

func runProbe(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	flags := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print the report as JSON")
	fresh := flags.Bool("fresh", false, "measure again instead of reading the user's cache")
	device := flags.String("device", "", "ask one device: an index, or a part of its name or UUID")
	profile := flags.String("profile", "", "answer for the device that a JSON file describes, one entry of devices[]")
	verbose := flags.BoolP("verbose", "v", false, "say what is being measured")
	if done, err := c.ParseFlags(v, flags, args); done || err != nil {
		return err
	}
	for _, name := range []string{"fresh", "device"} {
		if *profile != "" && flags.Changed(name) {
			return fail.Usage("probe: --%s and --profile exclude each other: no device is asked", name)
		}
	}
	report, err := probed(ctx, c, *profile, probe.Options{Device: *device, Fresh: *fresh, CacheDir: probe.CacheDir(), Program: version + " " + commit}, *verbose)
	if err != nil {
		return err
	}
	if *asJSON {
		return c.JSON(report)
	}
	for _, line := range report.Table() {
		c.Printf("%s", line)
	}
	return nil
}

func probed(ctx context.Context, c *cli.Console, profile string, o probe.Options, verbose bool) (probe.Report, error) {
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
	o.Self = []string{self, probeChildVerb.Name}
	if verbose {
		o.Log = slog.New(slog.NewTextHandler(c.Stderr, nil))
	}
	return probe.Run(ctx, o)
}
