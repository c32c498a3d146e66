package main

import (
	"context"

	"github.com/spf13/pflag"

	"grsplat/cmd/internal/cli"
	"grsplat/render"
	"grsplat/render/fail"
	"grsplat/render/lens"
	"grsplat/render/outfile"
	"grsplat/render/psf"
)

var lensVerb = cli.Verb{
	Name: "lens", Args: "trace|info|ray ...", Summary: "trace a lens map, look at one, or follow single rays",
	Example: "grsplat lens ray --spacetime schwarzschild --radius 10 --psi 30,90 --json", Run: runLens,
}

// lensVerbs are the verbs of the verb lens.
var lensVerbs = []cli.Verb{lensTraceVerb, lensInfoVerb, lensRayVerb}

func runLens(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	return c.Group(ctx, v, lensVerbs, args)
}

var lensTraceVerb = cli.Verb{
	Name: "lens trace", Args: "-o FILE.grlens [flags]", Summary: "trace a lens map for render --lens-map-input",
	Example: "grsplat lens trace --spacetime schwarzschild --radius 30 --size 1920x1080 -o hole.grlens", Run: runLensTrace,
}

// traceFlags are those flags of render that decide the lens map.
var traceFlags = []string{
	"spacetime", "radius", "hole-direction", "look", "roll", "fov", "size", "projection", "velocity", "map-tolerance", "threads", "force",
}

// mapInfo is what trace and info print about a map.
type mapInfo struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	lens.Params
	lens.Stats
	// Light is the part of the sphere's solid angle whose sky the map shows.
	Light float64 `json:"light"`
}

func runLensTrace(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	f := newRenderFlags(v.Name)
	set := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	for _, name := range traceFlags {
		set.AddFlag(f.set.Lookup(name))
	}
	out := set.StringP("output", "o", "", "map to write")
	margin := set.Float64("margin", -1, "pixels around the frame, at least the PSF's cache radius (default that of render's default PSF)")
	depth := set.Int("map-depth", 0, "how often a cell of 32 pixels may be halved (default 18)")
	asJSON := set.Bool("json", false, "print JSON")
	if done, err := c.ParseFlags(v, set, args); done || err != nil {
		return err
	}
	if *out == "" {
		return fail.Usage("lens trace: -o names no map to write")
	}
	if err := f.geometry(); err != nil {
		return err
	}
	if err := outfile.Check(*out, f.cfg.Force); err != nil {
		return err
	}
	if !set.Changed("margin") {
		standard, err := psf.New(render.Defaults().PSF)
		if err != nil {
			return err
		}
		*margin = float64(standard.R)
	}
	m, err := lens.Build(ctx, lens.Params{
		Camera: f.cfg.Camera, Spacetime: f.cfg.Spacetime, Tolerance: f.cfg.Tolerance, Margin: *margin, Depth: *depth, Threads: f.cfg.Threads,
	})
	if err != nil {
		return err
	}
	if err := m.Save(*out, f.cfg.Force); err != nil {
		return err
	}
	c.FilesWritten()
	return printMap(c, *out, m, *asJSON)
}

var lensInfoVerb = cli.Verb{
	Name: "lens info", Args: "FILE.grlens [--json]", Summary: "check a lens map and print what it holds",
	Example: "grsplat lens info hole.grlens --json", Run: runLensInfo,
}

func runLensInfo(_ context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	flags := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print JSON")
	if done, err := c.Parse(v, flags, args); done || err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fail.Usage("lens info: name one map, not %d", flags.NArg())
	}
	m, err := lens.Load(flags.Arg(0))
	if err != nil {
		return err
	}
	return printMap(c, flags.Arg(0), m, *asJSON)
}

func printMap(c *cli.Console, path string, m *lens.Map, asJSON bool) error {
	sum, err := m.SHA256()
	if err != nil {
		return err
	}
	info := mapInfo{File: path, SHA256: sum, Params: m.Params, Stats: m.Stats, Light: m.Light()}
	if asJSON {
		return c.JSON(info)
	}
	p := &m.Params
	c.Printf("map        %s\nsha256     %s", path, sum)
	c.Printf("camera     %s %dx%d, fov %g, look %g,%g, roll %g, velocity %v", p.Camera.Projection, p.Camera.W, p.Camera.H, p.Camera.Fov, p.Camera.RA, p.Camera.Dec, p.Camera.Roll, p.Camera.Velocity)
	c.Printf("spacetime  %s, radius %g", p.Spacetime.Name, p.Spacetime.Radius)
	c.Printf("mesh       %d vertices, %d triangles, %d dropped at the shadow; tolerance %g px, margin %g px", m.Stats.Vertices, m.Stats.Triangles, m.Stats.Dropped, p.Tolerance, p.Margin)
	c.Printf("light      %.6f of the sphere", info.Light)
	return nil
}

var lensRayVerb = cli.Verb{
	Name: "lens ray", Args: "--psi DEG,... | --impact B,... [flags]", Summary: "follow single rays, exactly and not through a map",
	Example: "grsplat lens ray --spacetime schwarzschild --radius 6 --psi 46,90,180 --json", Run: runLensRay,
}

func runLensRay(_ context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	f := newRenderFlags(v.Name)
	flags := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	for _, name := range []string{"spacetime", "radius"} {
		flags.AddFlag(f.set.Lookup(name))
	}
	psi := flags.Float64Slice("psi", nil, "angles from the hole's direction at the observer, degrees")
	impact := flags.Float64Slice("impact", nil, "impact parameters of rays from infinity to infinity, in units of GM/c^2")
	asJSON := flags.Bool("json", false, "print JSON")
	if done, err := c.ParseFlags(v, flags, args); done || err != nil {
		return err
	}
	spec := f.cfg.Spacetime
	spec.Hole = lens.Vec{1, 0, 0}
	switch {
	case (len(*psi) == 0) == (len(*impact) == 0):
		return fail.Usage("lens ray: give either --psi or --impact")
	case len(*psi) > 0:
		rays, err := spec.Rays(*psi)
		if err != nil {
			return err
		}
		return printRays(c, rays, *asJSON)
	}
	rays, err := spec.Impacts(*impact)
	if err != nil {
		return err
	}
	return printImpacts(c, rays, *asJSON)
}

func printRays(c *cli.Console, rays []lens.Ray, asJSON bool) error {
	if asJSON {
		return c.JSON(rays)
	}
	c.Printf("%12s %18s %18s %14s %12s", "psi_deg", "phi_deg", "deflection_rad", "mu", "g")
	for _, r := range rays {
		switch {
		case r.Captured:
			c.Printf("%12.6f captured", r.Psi)
		case r.Mu == nil:
			c.Printf("%12.6f %18.10f %18.12f %14s %12.8f", r.Psi, *r.Phi, *r.Deflection, "infinite", *r.G)
		default:
			c.Printf("%12.6f %18.10f %18.12f %14.8g %12.8f", r.Psi, *r.Phi, *r.Deflection, *r.Mu, *r.G)
		}
	}
	return nil
}

func printImpacts(c *cli.Console, rays []lens.Impact, asJSON bool) error {
	if asJSON {
		return c.JSON(rays)
	}
	c.Printf("%14s %18s %18s", "b", "deflection_rad", "periapsis")
	for _, r := range rays {
		if r.Captured {
			c.Printf("%14.8g captured", r.B)
			continue
		}
		c.Printf("%14.8g %18.12f %18.10f", r.B, *r.Deflection, *r.Periapsis)
	}
	return nil
}
