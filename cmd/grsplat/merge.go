package main

import (
	"context"

	"github.com/spf13/pflag"

	"grsplat/cmd/internal/cli"
	"grsplat/render"
	"grsplat/render/encode"
	"grsplat/render/fail"
)

var mergeVerb = cli.Verb{
	Name: "merge", Args: "A.fits B.fits ... [flags]", Summary: "add the exact sums of shards that were drawn apart",
	Example: "for k in 1 2 3; do grsplat render --shard $k/3 --precision exact --hdr-precision exact --hdr-output $k.fits; done\n" +
		"  grsplat merge 1.fits 2.fits 3.fits --hdr-output sky.fits -o sky.png", Run: runMerge,
}

func runMerge(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	flags := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	cfg := render.Defaults()
	flags.StringVarP(&cfg.Output, "output", "o", "", "PNG to write")
	flags.IntVar(&cfg.PNGDepth, "png-depth", cfg.PNGDepth, "8 or 16 bits")
	stretch := flags.String("stretch", cfg.Stretch.String(), "asinh stretch of the PNG")
	flags.StringVar(&cfg.HDROutput, "hdr-output", "", "FITS to write")
	flags.StringVar(&cfg.HDRPrecision, "hdr-precision", cfg.HDRPrecision, "f32, f64 or exact (the 128-bit sums)")
	partial := flags.Bool("partial", false, "some shards are missing; the result is a shard again")
	flags.BoolVar(&cfg.Force, "force", false, "replace existing files")
	asJSON := flags.Bool("json", false, "print JSON instead of the summary")
	if done, err := c.Parse(v, flags, args); done || err != nil {
		return err
	}
	var err error
	if cfg.Stretch, err = encode.ParseStretch(*stretch); err != nil {
		return fail.Usage("%w", err)
	}
	cfg.Version, cfg.Commit = version, commit
	res, err := render.Merge(ctx, cfg, flags.Args(), *partial)
	if err != nil {
		return err
	}
	c.FilesWritten()
	if *asJSON {
		return c.JSON(res)
	}
	c.Printf("merged  %d files, shard %s", len(res.Inputs), res.Parameters["shard"])
	for _, path := range res.Outputs {
		c.Printf("wrote   %s", path)
	}
	return nil
}
