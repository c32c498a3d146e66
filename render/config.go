package render

import (
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"grsplat/render/catalog"
	"grsplat/render/encode"
	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/hdr"
	"grsplat/render/lens"
	"grsplat/render/outfile"
	"grsplat/render/psf"
	"grsplat/render/sink"
)

// A Config is one render. Defaults returns a usable one.
type Config struct {
	Catalogs     []string        // files and directories, read in this order; none: the embedded sky
	AllSky       string          // a tiled store, read by the tiles that the map uses
	AllowMissing bool            // go on without a missing or damaged tile of the store
	Read         catalog.Options // columns, band, epoch
	LoadWorkers  int             // goroutines that load tiles ahead of the producers
	Shard        Shard           // the part of the stars that is drawn

	Camera    lens.Camera
	Spacetime lens.Spec
	Tolerance float64 // of the map, in central pixels
	MapInput  string  // .grlens to use instead of building a map
	MapOutput string  // .grlens to write
	MatchMode lens.Mode

	Exposure   float64 // flux of an unlensed star of V = 0; 0 chooses it
	ColorExact bool    // integrate Planck's law for every star instead of using the table
	PSF        psf.Params

	Backend          string // auto, cpu, vulkan, hip, count
	Device           string
	Path             string
	Precision        sink.Precision
	QuantumBits      int
	MeshError        float64
	NoCoalesce       bool
	Threads          int
	ChunkEvents      int    // events a producer gathers before it deposits them, at most event.ChunkLen
	Output           string // PNG
	PNGDepth         int
	Stretch          encode.Stretch
	HDROutput        string // FITS
	HDRPrecision     string // f32, f64, exact
	Report           string // JSON
	Capture          string // file for the cached star images, for replay
	CaptureLimit     int64  // events to capture; 0: all
	CaptureTriangles TriangleRange
	Force            bool

	Version, Commit string
	Parameters      map[string]string // as the user gave them, for the report and the FITS history
	Log             *slog.Logger
	Progress        func(Update) // called a few times a second from one goroutine; may be nil
}

// An Update is where a render stands.
type Update struct {
	Stage  string
	Stars  int64 // read so far
	Images int64 // events made so far
}

// Backends that --backend accepts.
var Backends = []string{"auto", "cpu", "vulkan", "hip", "count"}

// Paths that --path accepts; which of them a backend has, the backend says.
var Paths = []string{"auto", "reference", "stamp", "atomic", "tile16", "tile32", "mesh"}

// Defaults is the render of `grsplat render`: Orion in flat space, 1280x720. The centre keeps a quarter of a degree from Alnilam: a
// hole exactly before a star would smear it along the whole Einstein ring.
func Defaults() Config {
	return Config{
		Camera:    lens.Camera{W: 1280, H: 720, Projection: lens.Tan, RA: 84.2, Dec: -1},
		Spacetime: lens.Spec{Name: lens.Minkowski, Radius: 30},
		Shard:     whole, Tolerance: 0.05, MatchMode: lens.ModeDefault,
		PSF:     psf.Defaults(),
		Backend: "auto", Path: "auto", QuantumBits: hdr.DefaultQuantumBits, MeshError: 1e-9,
		ChunkEvents: event.ChunkLen, PNGDepth: 8, Stretch: encode.DefaultStretch(), HDRPrecision: "f32",
		Log: slog.New(slog.DiscardHandler),
	}
}

// Validate refuses, as usage errors, what contradicts itself or lies out of range, before any file is opened.
func (c *Config) Validate() error {
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
	switch {
	case !slices.Contains(Backends, c.Backend):
		return fail.Usage("backend %q is not one of %s", c.Backend, strings.Join(Backends, ", "))
	case !slices.Contains(Paths, c.Path):
		return fail.Usage("path %q is not one of %s", c.Path, strings.Join(Paths, ", "))
	case c.Capture == "" && (c.CaptureLimit != 0 || !c.CaptureTriangles.all()):
		return fail.Usage("--capture-limit and --capture-triangles need --capture FILE")
	case c.CaptureLimit < 0:
		return fail.Usage("capture limit %d is below 0", c.CaptureLimit)
	case !c.CaptureTriangles.all() && !(0 <= c.CaptureTriangles.From && c.CaptureTriangles.From < c.CaptureTriangles.To):
		return fail.Usage("capture triangles %d:%d are no range", c.CaptureTriangles.From, c.CaptureTriangles.To)
	case c.Backend != "count" && c.Output == "" && c.HDROutput == "":
		return fail.Usage("no output: give -o FILE.png or --hdr-output=FILE.fits")
	case c.Backend == "count" && (c.Output != "" || c.HDROutput != ""):
		return fail.Usage("backend count makes no image: leave out -o and --hdr-output")
	case c.Device != "" && (c.Backend == "cpu" || c.Backend == "count"):
		return fail.Usage("device %q: backend %s has no devices to choose from", c.Device, c.Backend)
	case c.AllSky != "" && len(c.Catalogs) > 0:
		return fail.Usage("--catalog and --all-sky-catalog exclude each other")
	case !c.Shard.valid():
		return fail.Usage("shard %v is not one of N: must be K/N with K from 1 to N", c.Shard)
	case !(c.Exposure == 0 || positive(c.Exposure)):
		return fail.Usage("exposure %g is not a finite number above 0", c.Exposure)
	case !(c.Tolerance >= 1e-4 && c.Tolerance <= 100):
		return fail.Usage("map tolerance %g is outside 1e-4 to 100 pixels", c.Tolerance)
	case c.QuantumBits < 1 || c.QuantumBits > 62:
		return fail.Usage("%d quantum bits are outside 1 to 62", c.QuantumBits)
	case !(c.MeshError > 0 && c.MeshError < 1):
		return fail.Usage("mesh error %g is outside 0 to 1", c.MeshError)
	case c.Threads < 0 || c.Threads > 4096:
		return fail.Usage("%d threads are outside 1 to 4096", c.Threads)
	case c.LoadWorkers < 0 || c.LoadWorkers > 4096:
		return fail.Usage("%d load workers are outside 1 to 4096", c.LoadWorkers)
	case c.ChunkEvents < 1 || c.ChunkEvents > event.ChunkLen:
		return fail.Usage("chunks of %d events are outside 1 to %d", c.ChunkEvents, event.ChunkLen)
	case c.HDRPrecision == "exact" && c.Precision != sink.Exact128:
		return fail.Usage("HDR precision exact stores the sums of --precision exact")
	case !(c.Read.Epoch == 0 || c.Read.Epoch >= 1000 && c.Read.Epoch <= 3000):
		return fail.Usage("epoch %g is outside the years 1000 to 3000", c.Read.Epoch)
	}
	if c.Read.Band != "" {
		if _, err := catalog.ParseBand(c.Read.Band); err != nil {
			return err
		}
	}
	if err := c.validateImages(); err != nil {
		return err
	}
	if c.MapInput == "" {
		if err := c.Camera.WithDefaults().Validate(); err != nil {
			return err
		}
		if _, err := c.Spacetime.New(); err != nil {
			return err
		}
	}
	return c.distinctFiles()
}

// validateImages refuses what cannot be written.
func (c *Config) validateImages() error {
	switch {
	case c.Output != "" && !slices.Contains([]string{"", ".png"}, strings.ToLower(filepath.Ext(c.Output))):
		return fail.Usage("output %s: a PNG is written, so the name must end in .png", c.Output)
	case c.PNGDepth != 8 && c.PNGDepth != 16:
		return fail.Usage("PNG depth %d is neither 8 nor 16", c.PNGDepth)
	case !slices.Contains([]string{"f32", "f64", "exact"}, c.HDRPrecision):
		return fail.Usage("HDR precision %q is not one of f32, f64, exact", c.HDRPrecision)
	}
	if err := c.Stretch.Validate(); err != nil {
		return fail.Usage("%w", err)
	}
	return nil
}

// distinctFiles refuses two outputs that are one file, and an output that would replace an input or a file of one.
func (c *Config) distinctFiles() error {
	inputs := append([]string{c.MapInput, c.AllSky}, c.Catalogs...)
	var seen []string
	for _, path := range []string{c.Output, c.HDROutput, c.Report, c.MapOutput, c.Capture} {
		if path == "" {
			continue
		}
		if slices.ContainsFunc(seen, func(other string) bool { return outfile.Same(path, other) }) {
			return fail.Usage("two outputs go to the same file %s", path)
		}
		for _, in := range inputs {
			_, absent := os.Stat(path)
			if in != "" && (outfile.Same(path, in) || absent == nil && outfile.Within(path, in)) {
				return fail.Usage("%s is both an input and an output", path)
			}
		}
		seen = append(seen, path)
	}
	return nil
}
