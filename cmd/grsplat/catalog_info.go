package main

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/pflag"

	"grsplat/cmd/internal/cli"
	"grsplat/render/catalog"
	"grsplat/render/catalog/store"
	"grsplat/render/fail"
)

var catalogInfoVerb = cli.Verb{
	Name: "catalog info", Args: "FILE|DIR [--json]", Summary: "say what is in a catalogue; a store is asked by its index",
	Example: "grsplat catalog info --columns mag=Bmag usno.fits", Run: runCatalogInfo,
}

// catalogInfo is the JSON of catalog info.
type catalogInfo struct {
	File        string                `json:"file"`
	Format      string                `json:"format"`
	Rows        int64                 `json:"rows"`
	Stars       int64                 `json:"stars"`
	Skipped     map[string]int64      `json:"skipped"`
	First       map[string]int64      `json:"skipped_first_line"`
	Clamped     int64                 `json:"clamped"`
	TeffDefault int64                 `json:"teff_default"`
	Band        string                `json:"band"`
	Columns     map[string]string     `json:"columns"`
	V           *magnitudePercentiles `json:"v_magnitude,omitempty"`
	SHA256      string                `json:"sha256,omitempty"`
	Note        string                `json:"note,omitempty"`
}

// magnitudePercentiles tells how bright the stars are.
type magnitudePercentiles struct {
	Brightest float64 `json:"brightest"`
	P999      float64 `json:"p99.9_of_brightness"`
	Median    float64 `json:"median"`
	Faintest  float64 `json:"faintest"`
}

func newCatalogInfo(name string, st catalog.Stats) catalogInfo {
	info := catalogInfo{
		File: name, Format: st.Format, Rows: st.Rows, Stars: st.Stars, Skipped: map[string]int64{}, First: map[string]int64{},
		Clamped: st.Clamped, TeffDefault: st.TeffDefault, Band: st.Band, Columns: st.Columns, SHA256: st.SHA256, Note: st.Note,
	}
	for reason, k := range st.Skipped {
		info.Skipped[reason], info.First[reason] = k.N, k.FirstLine
	}
	if h := st.Magnitudes; h != nil && h.Total > 0 {
		info.V = &magnitudePercentiles{h.Quantile(0), h.Quantile(0.001), h.Quantile(0.5), h.Quantile(1 - 0.5/float64(h.Total))}
	}
	return info
}

// readStats takes a store's statistics from its index and reads anything else.
func readStats(ctx context.Context, path string, opt catalog.Options) (catalog.Stats, error) {
	if store.Is(path) {
		s, err := store.Open(path, store.Options{})
		if err != nil {
			return catalog.Stats{}, err
		}
		return s.Source(nil, 1).Stats(), nil
	}
	src, err := catalog.Open(path, opt)
	if err != nil {
		return catalog.Stats{}, err
	}
	err = src.Read(ctx, func([]catalog.Star) error { return nil })
	return src.Stats(), err
}

func runCatalogInfo(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	flags := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	var opt catalogOptions
	opt.register(flags)
	asJSON := flags.Bool("json", false, "print JSON")
	if done, err := c.Parse(v, flags, args); done || err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fail.Usage("catalog info: want one file or directory, got %d", flags.NArg())
	}
	read, err := opt.options()
	if err != nil {
		return err
	}
	st, err := readStats(ctx, flags.Arg(0), read)
	if err != nil {
		return err
	}
	info := newCatalogInfo(flags.Arg(0), st)
	if *asJSON {
		return c.JSON(info)
	}
	c.Printf("%s: %s, band %s", info.File, info.Format, info.Band)
	c.Printf("  %d rows, %d stars, %d skipped", info.Rows, info.Stars, info.Rows-info.Stars)
	for _, reason := range slices.Sorted(maps.Keys(info.Skipped)) {
		c.Printf("    %-20s %d, the first in line %d", reason, info.Skipped[reason], info.First[reason])
	}
	c.Printf("  %d without a colour (%d K), %d with a colour outside its relation", info.TeffDefault, catalog.DefaultTeff, info.Clamped)
	if info.V != nil {
		c.Printf("  V %.2f to %.2f, median %.2f", info.V.Brightest, info.V.Faintest, info.V.Median)
	}
	for _, role := range slices.Sorted(maps.Keys(info.Columns)) {
		c.Printf("    %-8s %s", role, info.Columns[role])
	}
	if info.Note != "" {
		c.Printf("  note: %s", info.Note)
	}
	return nil
}
