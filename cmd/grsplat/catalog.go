package main

import (
	"context"

	"github.com/spf13/pflag"

	"grsplat/cmd/internal/cli"
	"grsplat/render/catalog"
	"grsplat/render/fail"
)

var catalogVerb = cli.Verb{
	Name: "catalog", Args: "info|build|verify|query|synth ...", Summary: "look at catalogues, build and query tiled stores, make a synthetic sky",
	Example: "grsplat catalog info stars.csv.gz", Run: runCatalog,
}

// catalogVerbs are the verbs of the verb catalog.
var catalogVerbs = []cli.Verb{
	catalogInfoVerb, catalogBuildVerb, catalogVerifyVerb, catalogQueryVerb, catalogSynthVerb,
}

func runCatalog(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	return c.Group(ctx, v, catalogVerbs, args)
}

// catalogOptions are the flags that say how a catalogue is read.
type catalogOptions struct {
	columns, band string
	epoch         float64
	workers       int
}

func (o *catalogOptions) register(flags *pflag.FlagSet) {
	flags.StringVar(&o.columns, "columns", "", "columns by role: ra=NAME,dec=NAME,mag=NAME,bv=NAME,...")
	flags.StringVar(&o.band, "band", "", "band of the magnitudes: V, G, J, H, Ks, BP, RP (default the first of V, G, J, Ks in the file)")
	flags.Float64Var(&o.epoch, "epoch", catalog.J2000, "Julian year to which positions are moved")
	flags.IntVar(&o.workers, "catalog-load-workers", 0, "goroutines that parse (default one per CPU)")
}

// options checks the flags.
func (o *catalogOptions) options() (opt catalog.Options, err error) {
	opt = catalog.Options{Epoch: o.epoch, Workers: o.workers}
	if opt.Columns, err = catalog.ParseColumns(o.columns); err != nil {
		return opt, err
	}
	if o.band != "" {
		if opt.Band, err = catalog.ParseBand(o.band); err != nil {
			return opt, err
		}
	}
	if !(o.epoch >= 1000 && o.epoch <= 3000) {
		return opt, fail.Usage("epoch %g is outside the years 1000 to 3000", o.epoch)
	}
	if o.workers < 0 || o.workers > 4096 {
		return opt, fail.Usage("%d load workers are outside 1 to 4096", o.workers)
	}
	return opt, nil
}
