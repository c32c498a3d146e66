package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"grsplat/cmd/internal/cli"
	"grsplat/render"
	"grsplat/render/catalog"
	"grsplat/render/encode"
	"grsplat/render/fail"
	"grsplat/render/lens"
	"grsplat/render/psf"
	"grsplat/render/sink"
)

// renderFlags holds the flags of render whose text has to be understood; the others go straight into cfg.
type renderFlags struct {
	set *pflag.FlagSet
	cfg render.Config

	size, look, hole, velocity, columns, projection    string
	precision, sampling, stretch, logFormat, matchMode string
	triangles, shard                                   string
	quiet, verbose, asJSON                             bool
}

func newRenderFlags(name string) *renderFlags {
	f := &renderFlags{set: pflag.NewFlagSet(name, pflag.ContinueOnError), cfg: render.Defaults()}
	f.inputs()
	f.camera()
	f.light()
	f.arithmetic()
	f.files()
	return f
}

func (f *renderFlags) inputs() {
	s, c := f.set, &f.cfg
	s.StringArrayVar(&c.Catalogs, "catalog", nil, "star catalogue, any number of times; none: 8,874 stars that come with the program")
	s.StringVar(&c.AllSky, "all-sky-catalog", "", "tiled store made by grsplat catalog build, read by the tiles in view")
	s.BoolVar(&c.AllowMissing, "allow-missing", false, "go on without a missing or damaged tile of the store")
	s.IntVar(&c.LoadWorkers, "catalog-load-workers", 0, "goroutines that load tiles ahead (default: as --threads)")
	s.StringVar(&f.shard, "shard", "1/1", "K/N: draw the K-th of N parts of the stars; grsplat merge adds the parts")
	s.StringVar(&f.columns, "columns", "", "ROLE=NAME,... with the roles ra, dec, mag, bv and others")
	s.StringVar(&c.Read.Band, "band", "", "magnitude to use: V, G, J, H, Ks, BP or RP (default: the first of V, G, J, Ks in the file)")
	s.Float64Var(&c.Read.Epoch, "epoch", 0, "Julian year to which positions are moved (default 2000)")
}

func (f *renderFlags) camera() {
	s, c := f.set, &f.cfg
	s.StringVar(&c.Spacetime.Name, "spacetime", c.Spacetime.Name, "one of "+strings.Join(lens.Spacetimes(), ", "))
	s.Float64Var(&c.Spacetime.Radius, "radius", c.Spacetime.Radius, "the observer's radial coordinate, in units of GM/c^2")
	s.StringVar(&f.hole, "hole-direction", "", "RA,DEC of the hole in degrees (default: as --look)")
	s.StringVar(&f.look, "look", "84.2,-1", "RA,DEC of the frame's centre in degrees")
	s.Float64Var(&c.Camera.Roll, "roll", 0, "degrees by which the camera turns clockwise")
	s.Float64Var(&c.Camera.Fov, "fov", 0, "horizontal field of view in degrees (default 60 for tan, 360 for car and zea)")
	s.StringVar(&f.size, "size", "1280x720", "WIDTHxHEIGHT in pixels")
	s.StringVar(&f.projection, "projection", "tan", "tan, car or zea")
	s.StringVar(&f.velocity, "velocity", "0,0,0", "RIGHT,DOWN,FORWARD of the observer, in units of c")
	s.Float64Var(&c.Tolerance, "map-tolerance", c.Tolerance, "error of the lens map, in central pixels")
	s.StringVar(&c.MapInput, "lens-map-input", "", ".grlens file to use instead of tracing one: camera and spacetime are the map's")
	s.StringVar(&c.MapOutput, "lens-map-output", "", ".grlens file to write")
	s.StringVar(&f.matchMode, "match-mode", "auto", "how stars find triangles, 0 to 3; all find the same")
}

func (f *renderFlags) light() {
	s, c := f.set, &f.cfg
	s.Float64Var(&c.Exposure, "exposure", 0, "flux of a star of V = 0 (default: 99.9 % of the stars do not clip in the PNG)")
	s.BoolVar(&c.ColorExact, "color-exact", false, "integrate Planck's law for every star instead of interpolating a table")
	s.Float64Var(&c.PSF.FWHM, "psf-fwhm-pixels", c.PSF.FWHM, "full width at half maximum of the Moffat profile")
	s.Float64Var(&c.PSF.Beta, "psf-moffat-beta", c.PSF.Beta, "exponent of the Moffat profile")
	s.Float64Var(&c.PSF.Tail, "psf-relative-tail", c.PSF.Tail, "fraction of the flux left outside a star's circle")
	s.Float64Var(&c.PSF.MinY, "psf-min-y", c.PSF.MinY, "star images of less luminance flux are discarded")
	s.Float64Var(&c.PSF.MaxCacheFlux, "max-cache-psf-flux", c.PSF.MaxCacheFlux, "brighter star images are evaluated directly, with wider wings")
	s.IntVar(&c.PSF.CacheRadius, "psf-cache-radius", 0, "radius of the cached stamps in pixels (default: from the tail)")
	s.IntVar(&c.PSF.Phases, "psf-phases", c.PSF.Phases, "sub-pixel phases along each axis")
	s.StringVar(&f.sampling, "psf-sampling", "auto", "centre, pixel, or auto: centre for a FWHM of 2 px and more")
	s.BoolVar(&c.PSF.Direct, "psf-direct", false, "evaluate every star image directly")
}

func (f *renderFlags) arithmetic() {
	s, c := f.set, &f.cfg
	s.StringVar(&c.Backend, "backend", c.Backend, "one of "+strings.Join(render.Backends, ", "))
	s.StringVar(&c.Device, "device", "", "index, or part of the name or UUID, of the device")
	s.StringVar(&c.Path, "path", c.Path, "one of "+strings.Join(render.Paths, ", "))
	s.StringVar(&f.precision, "precision", "f64", "f64, exact or f32 (which hip sums in float64)")
	s.IntVar(&c.QuantumBits, "quantum-bits", c.QuantumBits, "k of the quantum 2^-k of exact sums")
	s.Float64Var(&c.MeshError, "mesh-error", c.MeshError, "auto uses the mesh below this error over its block's peak")
	s.BoolVar(&c.NoCoalesce, "no-coalesce", false, "never sum equal sub-pixel cells before stamping")
	s.IntVar(&c.Threads, "threads", 0, "goroutines that make star images (default: one per processor)")
	s.IntVar(&c.ChunkEvents, "chunk-events", c.ChunkEvents, "star images that a worker gathers before it sums them")
}

func (f *renderFlags) files() {
	s, c := f.set, &f.cfg
	s.StringVarP(&c.Output, "output", "o", "", "PNG to write")
	s.IntVar(&c.PNGDepth, "png-depth", c.PNGDepth, "8 or 16 bits")
	s.StringVar(&f.stretch, "stretch", c.Stretch.String(), "asinh stretch of the PNG")
	s.StringVar(&c.HDROutput, "hdr-output", "", "FITS to write; without a name, beside the PNG")
	s.Lookup("hdr-output").NoOptDefVal = beside
	s.StringVar(&c.HDRPrecision, "hdr-precision", c.HDRPrecision, "f32, f64 or exact (the 128-bit sums)")
	s.StringVar(&c.Report, "report", "", "JSON report to write")
	s.StringVar(&c.Capture, "capture", "", "file for the cached star images in the catalogue's order, for grsplat replay")
	s.Int64Var(&c.CaptureLimit, "capture-limit", 0, "star images to capture (default: all)")
	s.StringVar(&f.triangles, "capture-triangles", "", "A:B, capture only images of the map's triangles A to B-1")
	s.BoolVar(&c.Force, "force", false, "replace existing files")
	s.BoolVar(&f.asJSON, "json", false, "print the report instead of the summary")
	s.BoolVar(&f.quiet, "quiet", false, "print errors and warnings only")
	s.BoolVar(&f.verbose, "verbose", false, "print more")
	s.StringVar(&f.logFormat, "log-format", "text", "text or json")
}

// config understands the texts and returns the render; what contradicts itself render.Run refuses.
func (f *renderFlags) config() (render.Config, error) {
	c := &f.cfg
	if err := cli.NoArgs(f.set); err != nil {
		return *c, err
	}
	if f.logFormat != "text" && f.logFormat != "json" {
		return *c, fail.Usage("log format %q is neither text nor json", f.logFormat)
	}
	if f.quiet && f.verbose {
		return *c, fail.Usage("--quiet and --verbose exclude each other")
	}
	for _, name := range []string{"exposure", "fov", "psf-cache-radius", "threads", "catalog-load-workers", "epoch"} {
		if flag := f.set.Lookup(name); flag.Changed && flag.Value.String() == "0" {
			return *c, fail.Usage("--%s 0: must be above 0; leave it out for the default", name)
		}
	}
	if c.AllowMissing && c.AllSky == "" {
		return *c, fail.Usage("--allow-missing needs --all-sky-catalog: it is for the tiles of a store")
	}
	for _, step := range []func() error{f.geometry, f.texts, f.mapGiven} {
		if err := step(); err != nil {
			return *c, err
		}
	}
	c.Version, c.Commit, c.Parameters = version, commit, parameters(f.set)
	return *c, f.besidePNG()
}

// mapGiven refuses flags that the map of --lens-map-input has decided, and takes its size unless one is named to be checked.
func (f *renderFlags) mapGiven() error {
	if f.cfg.MapInput == "" {
		return nil
	}
	for _, name := range []string{"spacetime", "radius", "hole-direction", "look", "roll", "fov", "projection", "velocity", "map-tolerance"} {
		if f.set.Changed(name) {
			return fail.Usage("--%s and --lens-map-input exclude each other: the map decides", name)
		}
	}
	if !f.set.Changed("size") {
		f.cfg.Camera.W, f.cfg.Camera.H = 0, 0
	}
	return nil
}

// besidePNG names the FITS file after the PNG where --hdr-output has no name.
func (f *renderFlags) besidePNG() error {
	if f.cfg.HDROutput != beside {
		return nil
	}
	if f.cfg.Output == "" {
		return fail.Usage("--hdr-output without a file name needs -o")
	}
	f.cfg.HDROutput = strings.TrimSuffix(f.cfg.Output, filepath.Ext(f.cfg.Output)) + ".fits"
	return nil
}

// texts understands the flags that name a choice.
func (f *renderFlags) texts() (err error) {
	c := &f.cfg
	if c.Read.Columns, err = catalog.ParseColumns(f.columns); err != nil {
		return err
	}
	if c.Precision, err = sink.ParsePrecision(f.precision); err != nil {
		return err
	}
	if c.PSF.Sampling, err = psf.ParseSampling(f.sampling); err != nil {
		return err
	}
	if c.Shard, err = render.ParseShard(f.shard); err != nil {
		return err
	}
	if f.triangles != "" {
		r, rest := &c.CaptureTriangles, ""
		if n, _ := fmt.Sscanf(f.triangles, "%d:%d%s", &r.From, &r.To, &rest); n != 2 || r.From < 0 || r.To <= r.From {
			return fail.Usage("--capture-triangles %s: must be A:B, A from 0 and B above A", f.triangles)
		}
	}
	if c.Stretch, err = encode.ParseStretch(f.stretch); err != nil {
		return fail.Usage("%w", err)
	}
	return nil
}

// geometry understands size, directions and velocity.
func (f *renderFlags) geometry() error {
	c := &f.cfg
	var err error
	if c.Camera.W, c.Camera.H, err = parseSize(f.size); err != nil {
		return err
	}
	look, err := parseNumbers("look", f.look, 2)
	if err != nil {
		return err
	}
	c.Camera.RA, c.Camera.Dec = look[0], look[1]
	c.Camera.Projection = lens.Projection(strings.ToLower(f.projection))
	v, err := parseNumbers("velocity", f.velocity, 3)
	if err != nil {
		return err
	}
	c.Camera.Velocity = [3]float64(v)
	if f.matchMode != "auto" {
		mode, err := strconv.Atoi(f.matchMode)
		if err != nil || mode < int(lens.ModeStar) || mode > int(lens.ModeClass) {
			return fail.Usage("--match-mode %s: must be auto or 0 to 3", f.matchMode)
		}
		c.MatchMode = lens.Mode(mode)
	}
	for _, name := range []string{"radius", "hole-direction"} {
		if f.set.Changed(name) && c.Spacetime.Flat() {
			return fail.Usage("--%s: flat space has no hole; give --spacetime schwarzschild", name)
		}
	}
	c.Spacetime.Hole = c.Camera.Look()
	if f.hole == "" {
		return nil
	}
	hole, err := parseNumbers("hole-direction", f.hole, 2)
	if err != nil {
		return err
	}
	if !(hole[1] >= -90 && hole[1] <= 90) {
		return fail.Usage("--hole-direction %s: declination must be -90 to 90", f.hole)
	}
	c.Spacetime.Hole = lens.Direction(hole[0], hole[1])
	return nil
}

// parseSize reads WIDTHxHEIGHT.
func parseSize(text string) (w, h int, err error) {
	a, b, ok := strings.Cut(strings.ToLower(text), "x")
	w, errW := strconv.Atoi(a)
	h, errH := strconv.Atoi(b)
	if !ok || errW != nil || errH != nil || w < 1 || h < 1 {
		return 0, 0, fail.Usage("--size %s: must be WIDTHxHEIGHT, both above 0", text)
	}
	return w, h, nil
}

// parseNumbers reads n finite numbers separated by commas.
func parseNumbers(flag, text string, n int) ([]float64, error) {
	parts := strings.Split(text, ",")
	out := make([]float64, 0, n)
	for _, p := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fail.Usage("--%s %s: %q is not a finite number", flag, text, p)
		}
		out = append(out, v)
	}
	if len(out) != n {
		return nil, fail.Usage("--%s %s: %d numbers, want %d", flag, text, len(out), n)
	}
	return out, nil
}
