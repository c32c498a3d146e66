package main

import (
	"context"
	"runtime"

	"github.com/spf13/pflag"

	"grsplat/cmd/internal/cli"
	"grsplat/render"
	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/replay"
	"grsplat/render/sink"
)

var replayVerb = cli.Verb{
	Name: "replay", Args: "gen|capture|run|info ...", Summary: "make or record star images and time any backend on them",
	Example: "grsplat replay gen --events 65536 --spread 16 -o dense.events", Run: runReplay,
}

// replayVerbs are the verbs of the verb replay.
var replayVerbs = []cli.Verb{
	{
		Name: "replay gen", Args: "--events N --spread PX -o FILE [flags]", Summary: "write seeded synthetic star images",
		Example: "grsplat replay gen --events 65536 --spread 16 -o dense.events", Run: runReplayGen,
	},
	{
		Name: "replay capture", Args: "--capture FILE [flags of render]", Summary: "record the cached star images of a render",
		Example: "grsplat replay capture --capture hole.events --spacetime schwarzschild --radius 30", Run: runReplayCapture,
	},
	{
		Name: "replay run", Args: "FILE [flags]", Summary: "sum the star images of a file on a backend and report times",
		Example: "grsplat replay run dense.events --backend cpu --path stamp --check", Run: runReplayRun,
	},
	{
		Name: "replay info", Args: "FILE", Summary: "print the manifest of a file and check its contents",
		Example: "grsplat replay info dense.events", Run: runReplayInfo,
	},
}

func runReplay(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	return c.Group(ctx, v, replayVerbs, args)
}

func runReplayGen(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	set := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	s, p := replay.Synthetic{}, psf.Defaults()
	set.IntVar(&s.Events, "events", 65536, "number of star images")
	set.Float64Var(&s.Spread, "spread", 16, "side in pixels of the square about the frame's centre, clamped to the frame")
	profile := set.String("profile", "", "galactic: half of the star images in one tile of 32 px, 99 in 100 in 30 tiles, 598 million unless --events says otherwise")
	set.Float64Var(&s.FluxDecades, "flux-decades", 0, "D: flux is 10^(D u); 0: flux is 1 + u")
	set.Uint64Var(&s.Seed, "seed", replay.DefaultSeed, "of the generator")
	size := set.String("size", "3840x2160", "WIDTHxHEIGHT of the frame in pixels")
	set.Float64Var(&p.FWHM, "psf-fwhm-pixels", p.FWHM, "full width at half maximum of the Moffat profile")
	set.Float64Var(&p.Beta, "psf-moffat-beta", p.Beta, "exponent of the Moffat profile")
	set.Float64Var(&p.Tail, "psf-relative-tail", p.Tail, "fraction of the flux left outside a star's circle")
	set.IntVar(&p.CacheRadius, "psf-cache-radius", p.CacheRadius, "radius of the cached stamps in pixels (default: from the tail)")
	set.IntVar(&p.Phases, "psf-phases", p.Phases, "sub-pixel phases along each axis")
	output := set.StringP("output", "o", "", "file to write")
	force := set.Bool("force", false, "replace an existing file")
	asJSON := set.Bool("json", false, "print the manifest as JSON")
	if done, err := c.ParseFlags(v, set, args); done || err != nil {
		return err
	}
	if *profile != "" && *profile != "galactic" {
		return fail.Usage("replay gen: unknown profile %q; the only one is galactic", *profile)
	}
	if *profile != "" && set.Changed("spread") {
		return fail.Usage("replay gen: --spread and --profile exclude each other")
	}
	if s.Galactic = *profile != ""; s.Galactic && !set.Changed("events") {
		s.Events = replay.GalacticEvents
	}
	if *output == "" {
		return fail.Usage("replay gen: no output file: give -o FILE")
	}
	var err error
	if s.W, s.H, err = parseSize(*size); err != nil {
		return err
	}
	m, err := replay.Generate(ctx, s, p, *output, *force, version)
	if err != nil {
		return err
	}
	c.FilesWritten()
	return manifest(c, *output, m, *asJSON)
}

func manifest(c *cli.Console, path string, m event.Manifest, asJSON bool) error {
	if asJSON {
		return c.JSON(m)
	}
	c.Printf("%s: %d star images on %dx%d px, %s\nsha256 %s", path, m.Events, m.Width, m.Height, m.Selection, m.SHA256)
	return nil
}

// runReplayCapture is a render that records and, unless a picture or a backend is asked for, sums nothing.
func runReplayCapture(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	f := newRenderFlags(v.Name)
	if done, err := c.Parse(v, f.set, joinOptional(args)); done || err != nil {
		return err
	}
	if f.cfg.Capture == "" {
		return fail.Usage("replay capture: no file to write: give --capture FILE")
	}
	if f.cfg.Output == "" && f.cfg.HDROutput == "" && !f.set.Changed("backend") {
		f.cfg.Backend = "count"
	}
	return draw(ctx, c, f)
}

func runReplayInfo(_ context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	set := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	asJSON := set.Bool("json", false, "print the manifest as JSON")
	if done, err := c.Parse(v, set, args); done || err != nil {
		return err
	}
	if set.NArg() != 1 {
		return fail.Usage("replay info: want one file")
	}
	r, err := replay.Load(set.Arg(0))
	if err != nil {
		return err
	}
	return manifest(c, set.Arg(0), r.Manifest, *asJSON)
}

// replayFlags are the flags of replay run.
type replayFlags struct {
	backend, precision, coalesce string
	quiet, verbose, asJSON       bool
	options                      replay.Options
}

func (f *replayFlags) register(set *pflag.FlagSet) {
	cfg := &f.options.Config
	set.StringVar(&f.backend, "backend", "cpu", "cpu, vulkan, hip or auto")
	set.StringVar(&cfg.Device, "device", "", "index, or part of the name or UUID, of the device")
	set.StringVar(&cfg.Path, "path", "auto", "reference, stamp, mesh, auto on the CPU; atomic, tile16, tile32, mesh, auto on a GPU")
	set.StringVar(&f.precision, "precision", "f64", "f64, exact or f32 (which hip sums in float64)")
	set.IntVar(&cfg.QuantumBits, "quantum-bits", hdr.DefaultQuantumBits, "k of the quantum 2^-k of exact sums")
	set.Float64Var(&cfg.MeshError, "mesh-error", 1e-9, "auto uses the mesh below this error over its block's peak")
	set.StringVar(&f.coalesce, "coalesce", "on", "off never sums equal sub-pixel cells before stamping")
	set.IntVar(&cfg.Threads, "threads", 0, "goroutines of the CPU's sums (default: one per processor)")
	set.IntVar(&f.options.Repeat, "repeat", 1, "runs; the one of median wall time is reported")
	set.BoolVar(&f.options.Check, "check", false, "compare with the sequential CPU sum")
	set.BoolVar(&f.asJSON, "json", false, "print JSON (as it does without)")
	set.BoolVar(&f.quiet, "quiet", false, "print errors and warnings only")
	set.BoolVar(&f.verbose, "verbose", false, "print more")
}

func runReplayRun(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	set := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	f := &replayFlags{}
	f.register(set)
	if done, err := c.Parse(v, set, args); done || err != nil {
		return err
	}
	if set.NArg() != 1 {
		return fail.Usage("replay run: want one file")
	}
	if err := f.finish(c); err != nil {
		return err
	}
	r, err := replay.Load(set.Arg(0))
	if err != nil {
		return err
	}
	res, err := replay.Run(ctx, r, f.options)
	if err != nil {
		return err
	}
	return c.JSON(res)
}

// finish understands the texts and opens nothing yet.
func (f *replayFlags) finish(c *cli.Console) (err error) {
	o := &f.options
	if o.Config.Precision, err = sink.ParsePrecision(f.precision); err != nil {
		return err
	}
	switch f.coalesce {
	case "on", "off":
		o.Config.Coalesce = f.coalesce == "on"
	default:
		return fail.Usage("--coalesce %q is neither on nor off", f.coalesce)
	}
	switch {
	case o.Repeat < 1:
		return fail.Usage("--repeat %d is below 1", o.Repeat)
	case o.Config.Threads < 0 || o.Config.Threads > 4096:
		return fail.Usage("--threads %d is outside 0 to 4096", o.Config.Threads)
	case o.Config.QuantumBits < 1 || o.Config.QuantumBits > 62:
		return fail.Usage("--quantum-bits %d is outside 1 to 62", o.Config.QuantumBits)
	case !(o.Config.MeshError > 0 && o.Config.MeshError <= 1):
		return fail.Usage("--mesh-error %g is outside 0 to 1", o.Config.MeshError)
	case f.quiet && f.verbose:
		return fail.Usage("--quiet and --verbose exclude each other")
	case f.backend == "cpu" && o.Config.Device != "":
		return fail.Usage("--device %s: the cpu backend has no devices", o.Config.Device)
	}
	if o.Config.Threads == 0 {
		o.Config.Threads = runtime.GOMAXPROCS(0)
	}
	o.Config.Log = newProgress(c, f.quiet, "text").log(f.verbose)
	o.Open = func(cfg sink.Config) (sink.Canvas, error) { return render.OpenCanvas(f.backend, cfg) }
	return nil
}
