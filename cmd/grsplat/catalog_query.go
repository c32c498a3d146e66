package main

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"grsplat/cmd/internal/cli"
	"grsplat/render/catalog"
	"grsplat/render/catalog/store"
	"grsplat/render/fail"
)

var catalogVerifyVerb = cli.Verb{
	Name: "catalog verify", Args: "DIR [--json]", Summary: "read every tile of a store and compare it with the index",
	Example: "grsplat catalog verify tycho2", Run: runCatalogVerify,
}

var catalogQueryVerb = cli.Verb{
	Name: "catalog query", Args: "DIR --cone RA,DEC,RADIUS", Summary: "print the stars of a store within a cone, in degrees, as CSV at J2000",
	Example: "grsplat catalog query tycho2 --cone 83.8,-5.4,1", Run: runCatalogQuery,
}

func runCatalogVerify(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	flags := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print JSON")
	if done, err := c.Parse(v, flags, args); done || err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fail.Usage("catalog verify: want one directory, got %d", flags.NArg())
	}
	dir := flags.Arg(0)
	x, problems, err := store.Verify(ctx, dir)
	if err != nil {
		return err
	}
	if *asJSON {
		if problems == nil {
			problems = []store.Problem{}
		}
		err = c.JSON(map[string]any{"store": dir, "stars": x.Stars, "tiles": len(x.Tiles), "problems": problems})
	} else {
		for _, p := range problems {
			c.Printf("%s: %s", p.Path, p.Reason)
		}
		c.Printf("%s: %d stars in %d tiles, %d problems", dir, x.Stars, len(x.Tiles), len(problems))
	}
	if err == nil && len(problems) > 0 {
		err = fail.Input("catalog verify: %s: %d problems, the first: %s: %s", dir, len(problems), problems[0].Path, problems[0].Reason)
	}
	return err
}

func runCatalogQuery(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	flags := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	cone := flags.String("cone", "", "centre and radius in degrees: RA,DEC,RADIUS (radius 180 is the whole sky)")
	format := flags.String("format", "csv", "csv")
	if done, err := c.Parse(v, flags, args); done || err != nil {
		return err
	}
	switch {
	case flags.NArg() != 1:
		return fail.Usage("catalog query: want one directory, got %d", flags.NArg())
	case *format != "csv":
		return fail.Usage("catalog query: format %q is not csv", *format)
	}
	ra, dec, radius, err := parseCone(*cone)
	if err != nil {
		return err
	}
	s, err := store.Open(flags.Arg(0), store.Options{})
	if err != nil {
		return err
	}
	return queryCSV(ctx, c, s, ra, dec, radius)
}

// queryCSV prints numbers so that they read back to the bit.
func queryCSV(ctx context.Context, c *cli.Console, s *store.Store, ra, dec, radius float64) error {
	out := bufio.NewWriterSize(c.Stdout, 1<<16)
	moving := s.Index().Moving
	header := "ra,dec,v_mag,teff"
	if moving {
		header += ",pmra,pmdec"
	}
	fmt.Fprintln(out, header)
	var line []byte
	err := s.Cone(ctx, ra, dec, radius, func(star catalog.Star, a catalog.Astrometry) error {
		values := [...]float64{a.RA, a.Dec, star.V, star.Teff, a.PMRA, a.PMDec}
		n := 4
		if moving {
			n = 6
		}
		line = line[:0]
		for i, x := range values[:n] {
			if i > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendFloat(line, x, 'g', -1, 64)
		}
		_, err := out.Write(append(line, '\n'))
		return err
	})
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return fail.Input("catalog query: output: %w", err)
	}
	return nil
}

func parseCone(s string) (ra, dec, radius float64, err error) {
	parts := strings.Split(s, ",")
	if len(parts) != 3 {
		return 0, 0, 0, fail.Usage("catalog query: --cone %q: want RA,DEC,RADIUS in degrees", s)
	}
	values := [3]float64{}
	for i, part := range parts {
		if values[i], err = strconv.ParseFloat(strings.TrimSpace(part), 64); err != nil {
			return 0, 0, 0, fail.Usage("catalog query: --cone %q: %q is not a number", s, part)
		}
	}
	return values[0], values[1], values[2], nil
}
