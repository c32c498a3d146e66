package main

import (
	"context"

	"github.com/spf13/pflag"

	"grsplat/render/fail"
	"grsplat/search"
)

var verifyVerb = verb{
	name: "verify", args: "--seed S --x X --z Z [--shape 5x5]", summary: "test one seed and corner with the full Java generator",
	example: "slimescan verify --seed 10358701894766 --x 51069 --z 419124", run: runVerify,
}

func runVerify(_ context.Context, c *console, v *verb, args []string) error {
	flags := pflag.NewFlagSet(v.name, pflag.ContinueOnError)
	seed := flags.Int64("seed", 0, "world seed; its low 48 bits count")
	x := flags.Int32("x", 0, "chunk x of the corner")
	z := flags.Int32("z", 0, "chunk z of the corner")
	text := flags.String("shape", "5x5", "chunks of the rectangle along x and z")
	if done, err := c.parse(v, flags, args); done || err != nil {
		return err
	}
	for _, name := range []string{"seed", "x", "z"} {
		if !flags.Changed(name) {
			return fail.Usage("verify: --%s is required", name)
		}
	}
	shape, err := search.ParseShape(*text)
	if err != nil {
		return err
	}
	all, redrawn := search.Check(uint64(*seed), search.Pos{X: *x, Z: *z}, shape)
	if !all {
		c.printf("no: not every chunk of the %s rectangle at %d,%d is a slime chunk with seed %d", shape, *x, *z, *seed)
		return fail.Tolerance("verify: seed %d fails", *seed)
	}
	draws := "every chunk by its first draw"
	if redrawn {
		draws = "at least one chunk by a redraw"
	}
	c.printf("yes: every chunk of the %s rectangle at %d,%d is a slime chunk with seed %d, %s", shape, *x, *z, *seed, draws)
	return nil
}
