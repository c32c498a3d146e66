package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"grsplat/cmd/internal/cli"
	"grsplat/render"
	"grsplat/render/catalog"
	"grsplat/render/catalog/store"
	"grsplat/render/catalog/synth"
	"grsplat/render/fail"
	"grsplat/render/outfile"
)

var catalogBuildVerb = cli.Verb{
	Name: "catalog build", Args: "FILE|DIR... -o DIR",
	Summary: "build a tiled store of any number of catalogues; an interrupted build goes on after the last that it had read",
	Example: "grsplat catalog build tyc2.dat suppl_1.dat -o tycho2", Run: runCatalogBuild,
}

var catalogSynthVerb = cli.Verb{
	Name: "catalog synth", Args: "--stars N [-o DIR]",
	Summary: "make a synthetic sky of disc, bulge, halo and dust: a store, or CSV on the standard output",
	Example: "grsplat catalog synth --stars 100000000 -o sky", Run: runCatalogSynth,
}

// buildFlags are the flags of a store that is built.
type buildFlags struct {
	output, memory string
	bytes          int64 // memory
	tileRows       int
	force, quiet   bool
	asJSON         bool
}

func (f *buildFlags) register(flags *pflag.FlagSet) {
	flags.StringVarP(&f.output, "output", "o", "", "directory of the store")
	flags.StringVar(&f.memory, "memory", "1GiB", "most memory, with a unit: MiB, GiB")
	flags.IntVar(&f.tileRows, "tile-rows", store.DefaultTileRows, "most stars of a tile")
	flags.BoolVar(&f.force, "force", false, "replace a complete store")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
}

// check reads the flags that are not plain numbers.
func (f *buildFlags) check() (err error) {
	if f.tileRows == 0 {
		return fail.Usage("--tile-rows 0: must be above 0")
	}
	f.bytes, err = parseBytes(f.memory)
	return err
}

// build runs store.Build and tells the result.
func (f *buildFlags) build(ctx context.Context, c *cli.Console, inputs []store.BuildInput) error {
	p := newProgress(c, f.quiet, "text")
	defer p.done()
	// The collector works harder as the limit comes near, instead of letting the heap double.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(f.bytes * 9 / 10))
	x, err := store.Build(ctx, f.output, inputs, store.BuildOptions{Memory: f.bytes, TileRows: f.tileRows, Force: f.force,
		Progress: func(u store.Progress) { p.update(render.Update{Stage: u.Stage, Stars: u.Stars}) }})
	if err != nil {
		return err
	}
	p.done()
	c.FilesWritten()
	if f.asJSON {
		skipped := newCatalogInfo("", catalog.Stats{Skipped: x.Skipped}).Skipped
		return c.JSON(map[string]any{"store": f.output, "rows": x.Rows, "stars": x.Stars, "tiles": len(x.Tiles), "skipped": skipped})
	}
	c.Printf("%s: %d rows, %d stars in %d tiles", f.output, x.Rows, x.Stars, len(x.Tiles))
	return nil
}

func runCatalogBuild(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	flags := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	var opt catalogOptions
	var f buildFlags
	f.register(flags)
	opt.register(flags)
	if err := flags.MarkHidden("epoch"); err != nil {
		return fmt.Errorf("catalog build: %w", err)
	}
	if done, err := c.Parse(v, flags, args); done || err != nil {
		return err
	}
	switch {
	case flags.NArg() == 0:
		return fail.Usage("catalog build: no input")
	case f.output == "":
		return fail.Usage("catalog build: no -o DIR")
	case flags.Changed("epoch"):
		return fail.Usage("catalog build: a store is at J2000 with proper motions; --epoch belongs to render")
	}
	read, err := opt.options()
	if err == nil {
		err = f.check()
	}
	if err != nil {
		return err
	}
	var inputs []store.BuildInput
	for _, path := range flags.Args() {
		if outfile.Within(path, f.output) {
			return fail.Usage("catalog build: the input %s lies in the output %s", path, f.output)
		}
		in, err := store.FileInput(path, read)
		if err != nil {
			return err
		}
		inputs = append(inputs, in)
	}
	return f.build(ctx, c, inputs)
}

func runCatalogSynth(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	flags := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	var f buildFlags
	stars := flags.Int64("stars", 0, "number of stars")
	seed := flags.Uint64("seed", 1, "number of the sky; the same number makes the same stars")
	workers := flags.Int("threads", 0, "goroutines that make stars (default one per CPU)")
	f.register(flags)
	if done, err := c.Parse(v, flags, args); done || err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fail.Usage("catalog synth: unexpected argument %q", flags.Arg(0))
	case *stars < 1 || *stars > 1e12:
		return fail.Usage("catalog synth: %d stars are outside 1 to 1e12", *stars)
	case *workers < 0 || *workers > 4096:
		return fail.Usage("catalog synth: %d threads are outside 1 to 4096", *workers)
	}
	if err := f.check(); err != nil {
		return err
	}
	if f.output == "" {
		for _, name := range []string{"memory", "tile-rows", "force", "json"} {
			if flags.Changed(name) {
				return fail.Usage("catalog synth: --%s needs -o DIR", name)
			}
		}
		return synth.WriteCSV(ctx, c.Stdout, *stars, *seed)
	}
	name := fmt.Sprintf("synthetic:%d:%d", *stars, *seed)
	open := func() (catalog.Source, error) {
		return synth.Open(*stars, *seed, name, catalog.Options{Workers: *workers})
	}
	return f.build(ctx, c, []store.BuildInput{{Open: open, Fingerprint: name}})
}

// parseBytes reads a size such as 512MiB or 2GiB.
func parseBytes(s string) (int64, error) {
	units := []struct {
		suffix string
		bytes  float64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"", 1}}
	for _, u := range units {
		number, ok := strings.CutSuffix(s, u.suffix)
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err == nil && v > 0 && v*u.bytes < 1<<60 {
			return int64(v * u.bytes), nil
		}
		break
	}
	return 0, fail.Usage("%q is not a size such as 512MiB or 2GiB", s)
}
