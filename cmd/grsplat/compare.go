package main

import (
	"context"
	"encoding/json"
	"math"

	"github.com/spf13/pflag"

	"grsplat/cmd/internal/cli"
	"grsplat/render/encode"
	"grsplat/render/fail"
	"grsplat/render/hdr"
)

var compareVerb = cli.Verb{
	Name: "compare", Args: "A.fits B.fits [flags]", Summary: "measure how far image A is from image B, the reference",
	Example: "grsplat compare gpu.fits cpu.fits --max-rel 1e-6 --json", Run: runCompare,
}

// number is a float64 that JSON writes as null where it is not finite.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// comparison is the verb's JSON.
type comparison struct {
	Identical  bool      `json:"identical"`
	MaxAbs     number    `json:"max_abs"`
	MaxRel     number    `json:"max_rel"`
	FluxRelRGB [3]number `json:"flux_rel_rgb"`
	FluxRelY   number    `json:"flux_rel_y"`
	Pixels     int       `json:"pixels"`
	Differing  int       `json:"differing"`
}

func runCompare(_ context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	flags := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	maxRel := flags.Float64("max-rel", 0, "largest relative error allowed; beyond it the exit status is 6 (without the flag, any is)")
	floor := flags.Float64("floor", 1e-12, "pixels of B up to this fraction of its peak have no relative error")
	asJSON := flags.Bool("json", false, "print JSON")
	if done, err := c.Parse(v, flags, args); done || err != nil {
		return err
	}
	if flags.NArg() != 2 {
		return fail.Usage("compare: %d files given, want two", flags.NArg())
	}
	if !(*maxRel >= 0) || !(*floor >= 0 && *floor < 1) {
		return fail.Usage("compare: --max-rel must be at least 0 and --floor in [0,1)")
	}
	d, err := compareFiles(flags.Arg(0), flags.Arg(1), *floor)
	if err != nil {
		return err
	}
	if err := printDiff(c, d, *asJSON); err != nil {
		return err
	}
	if flags.Changed("max-rel") && !(d.MaxRel <= *maxRel) {
		return fail.Tolerance("compare: largest relative error %g exceeds %g", d.MaxRel, *maxRel)
	}
	return nil
}

// compareFiles compares two images; files of exact sums are identical only if their sums are.
func compareFiles(pathA, pathB string, floor float64) (hdr.Diff, error) {
	a, err := encode.ReadFITS(pathA)
	if err != nil {
		return hdr.Diff{}, err
	}
	b, err := encode.ReadFITS(pathB)
	if err != nil {
		return hdr.Diff{}, err
	}
	d, err := hdr.Compare(a.Pixels(), b.Pixels(), floor)
	if err != nil {
		return d, fail.Input("%w", err)
	}
	if a.Sums != nil && b.Sums != nil {
		d.Identical = a.Sums.SHA256() == b.Sums.SHA256()
	}
	return d, nil
}

func printDiff(c *cli.Console, d hdr.Diff, asJSON bool) error {
	if asJSON {
		out := comparison{Identical: d.Identical, MaxAbs: number(d.MaxAbs), MaxRel: number(d.MaxRel), FluxRelY: number(d.FluxRelY), Pixels: d.Pixels, Differing: d.Differing}
		for i, f := range d.FluxRelRGB {
			out.FluxRelRGB[i] = number(f)
		}
		return c.JSON(out)
	}
	c.Printf("identical             %v", d.Identical)
	c.Printf("pixels that differ    %d of %d", d.Differing, d.Pixels)
	c.Printf("max absolute error    %.6g", d.MaxAbs)
	c.Printf("max relative error    %.6g", d.MaxRel)
	c.Printf("total flux, R G B     %.3g %.3g %.3g relative", d.FluxRelRGB[0], d.FluxRelRGB[1], d.FluxRelRGB[2])
	c.Printf("total luminance       %.3g relative", d.FluxRelY)
	return nil
}
