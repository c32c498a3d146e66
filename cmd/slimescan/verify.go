package main

import (
	"context"

	"github.com/spf13/pflag"

	"grsplat/cmd/internal/cli"
	"grsplat/render/fail"
	"grsplat/search"
)

var verifyVerb = cli.Verb{
	Name: "verify", Args: "--seed S --x X --z Z [--shape 5x5]", Summary: "test one seed and corner with the full Java generator",
	Example: "slimescan verify --seed 10358701894766 --x 51069 --z 419124", Run: runVerify,
}

func runVerify(_ context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	flags := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	seed := flags.Int64("seed", 0, "world seed; its low 48 bits count")
	x := flags.Int32("x", 0, "chunk x of the corner")
	z := flags.Int32("z", 0, "chunk z of the corner")
	text := flags.String("shape", "5x5", "chunks of the rectangle along x and z")
	if done, err := c.ParseFlags(v, flags, args); done || err != nil {
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
		c.Printf("no: not every chunk of the %s rectangle at %d,%d is a slime chunk with seed %d", shape, *x, *z, *seed)
		return fail.Tolerance("verify: seed %d fails", *seed)
	}
	draws := "every chunk by its first draw"
	if redrawn {
		draws = "at least one chunk by a redraw"
	}
	c.Printf("yes: every chunk of the %s rectangle at %d,%d is a slime chunk with seed %d, %s", shape, *x, *z, *seed, draws)
	return nil
}
