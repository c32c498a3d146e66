package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"github.com/pbnjay/memory"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/sink"
	"grsplat/render/sink/capture"
	"grsplat/render/sink/cpu"
)

// A Recording is the content of a capture file, in memory.
type Recording struct {
	Manifest event.Manifest
	PSF      *psf.PSF
	Events   []event.Event
}

// Load reads and checks a capture file.
func Load(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fail.Input("replay: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fail.Input("replay: %w", err)
	}
	c, err := event.OpenCapture(f, info.Size())
	if err != nil {
		return nil, fail.Input("replay: %s: %w", path, err)
	}
	p, err := capture.Params(c.Manifest.PSF)
	if err != nil {
		return nil, fail.Input("replay: %s: %w", path, err)
	}
	r := &Recording{Manifest: c.Manifest, Events: make([]event.Event, c.Manifest.Events)}
	if r.PSF, err = psf.New(p); err != nil {
		return nil, fail.Input("replay: %s: %w", path, err)
	}
	for at := 0; ; {
		n, err := c.Read(r.Events[at:])
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		if err == nil {
			err = r.check(at, n)
		}
		if err != nil {
			return nil, fail.Input("replay: %s: %w", path, err)
		}
		at += n
	}
}

// check refuses events that no render captures: not finite, wider than the stamps, or off the frame.
func (r *Recording) check(from, n int) error {
	reach, w, h := float64(r.PSF.R), float64(r.Manifest.Width), float64(r.Manifest.Height)
	for i := from; i < from+n; i++ {
		e := &r.Events[i]
		if !(e.Support >= 0 && e.Support <= reach && math.Abs(e.X-(w-1)/2) <= w/2+reach && math.Abs(e.Y-(h-1)/2) <= h/2+reach && amplitude(e) <= 1e100) {
			return fmt.Errorf("star image %d is out of range: %+v", i+1, *e)
		}
	}
	return nil
}

// amplitude is the largest component of an event's light, NaN if one is.
func amplitude(e *event.Event) float64 {
	c := e.Colour()
	return max(math.Abs(c[0]), math.Abs(c[1]), math.Abs(c[2]))
}

// checkExact refuses events of which exact sums could not hold 2^31.
func (r *Recording) checkExact(bits int) error {
	for i := range r.Events {
		if limit := math.Ldexp(1, 96-bits); amplitude(&r.Events[i]) > limit {
			return fail.Input("replay: star image %d of flux %g is brighter than exact sums can hold, %.3g", i+1, r.Events[i].Flux, limit)
		}
	}
	return nil
}

// Check is the error of a replay against the sequential CPU sum. MaxRel is over pixels above 1e-12 of the peak.
type Check struct {
	MaxAbs         float64    `json:"max_abs"`
	MaxAbsOverPeak float64    `json:"max_abs_over_peak"`
	MaxRel         float64    `json:"max_rel"`
	FluxRelRGB     [3]float64 `json:"flux_rel_rgb"`
	FluxRelY       float64    `json:"flux_rel_y"`
}

// Result is one replay: the run of median wall time. Seconds of stages are device time on a device.
type Result struct {
	Backend             string             `json:"backend"`
	Device              string             `json:"device"`
	Path                string             `json:"path"`
	Precision           string             `json:"precision"`
	Events              int64              `json:"events"`
	Contributions       int64              `json:"contributions"` // event-pixel pairs
	Wall                float64            `json:"wall_s"`        // first Deposit to the end of Resolve
	Upload              float64            `json:"upload_s"`
	Bin                 float64            `json:"bin_s"`
	Accumulate          float64            `json:"accumulate_s"`
	Merge               float64            `json:"merge_s"`
	Download            float64            `json:"download_s"`
	ContributionsPerSec float64            `json:"contributions_per_s"` // contributions / accumulate_s
	PeakHostBytes       int64              `json:"peak_host_bytes"`
	PeakDeviceBytes     int64              `json:"peak_device_bytes"`
	PathEvents          map[string]int64   `json:"path_events,omitempty"`
	Costs               map[string]float64 `json:"costs,omitempty"`            // that auto chose by
	MeshBound           float64            `json:"mesh_error_bound,omitempty"` // over the peak of its block
	SHA256              string             `json:"sha256,omitempty"`           // of exact sums
	Check               *Check             `json:"check,omitempty"`
}

// Kernel is the time of the work itself, in seconds: ordering, summing and merging, without transfers.
func (r *Result) Kernel() float64 { return r.Bin + r.Accumulate + r.Merge }

// Options say how to replay.
type Options struct {
	Open   func(cfg sink.Config) (sink.Canvas, error) // the backend
	Config sink.Config                                // without frame and PSF, which the recording has
	Repeat int                                        // runs; the one of median wall time is reported
	Check  bool                                       // compare with the sequential CPU sum
}

// resetter is a canvas that can be drawn on again; its first drawing, which allocates, is not timed.
type resetter interface {
	sink.Canvas
	Reset(ctx context.Context) error
}

// checkFrame refuses a frame that this machine cannot hold: a canvas and a resolved frame of three float64 a pixel.
func checkFrame(m *event.Manifest) error {
	const gib = 1 << 30
	need, have := 48*float64(m.Width)*float64(m.Height), float64(memory.TotalMemory())
	if have > 0 && need > 0.9*have {
		return fail.Input("replay: a frame of %dx%d pixels needs about %.3g GiB of memory, this machine has %.3g GiB", m.Width, m.Height, need/gib, have/gib)
	}
	return nil
}

// Run replays a recording.
func Run(ctx context.Context, r *Recording, o Options) (*Result, error) {
	if err := checkFrame(&r.Manifest); err != nil {
		return nil, err
	}
	if o.Config.Precision == sink.Exact128 {
		if err := r.checkExact(o.Config.QuantumBits); err != nil {
			return nil, err
		}
	}
	dst := hdr.NewFrame(r.Manifest.Width, r.Manifest.Height)
	runs, err := Runs(ctx, r, o, dst)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(runs, func(a, b *Result) int { return cmp.Compare(a.Wall, b.Wall) })
	res := runs[len(runs)/2]
	if o.Check {
		if res.Check, err = check(ctx, r.Events, o.config(r), dst); err != nil {
			return nil, err
		}
	}
	res.PeakHostBytes = PeakHostBytes()
	return res, nil
}

func (o *Options) config(r *Recording) sink.Config {
	cfg := o.Config
	cfg.W, cfg.H, cfg.PSF = r.Manifest.Width, r.Manifest.Height, r.PSF
	return cfg
}

// Runs draws o.Repeat times into dst, on one canvas where it can be reset, else on a new one each time.
func Runs(ctx context.Context, r *Recording, o Options, dst *hdr.Frame) (runs []*Result, err error) {
	cfg := o.config(r)
	var kept resetter
	defer func() {
		if kept != nil {
			err = errors.Join(err, kept.Close())
		}
	}()
	for len(runs) < max(o.Repeat, 1) {
		canvas := sink.Canvas(kept)
		if kept == nil {
			if canvas, err = o.Open(cfg); err != nil {
				return nil, err
			}
		}
		first := kept == nil
		kept, _ = canvas.(resetter)
		last := len(runs)+1 == max(o.Repeat, 1) && !(first && kept != nil)
		res, err := draw(ctx, canvas, r.Events, cfg, dst, last)
		if kept == nil {
			err = errors.Join(err, canvas.Close())
		} else if err == nil {
			err = kept.Reset(ctx)
		}
		if err != nil {
			return nil, err
		}
		if !first || kept == nil {
			runs = append(runs, res)
		}
	}
	for _, res := range runs {
		res.SHA256 = runs[len(runs)-1].SHA256
	}
	return runs, nil
}

// draw sums the events into dst. A digest of exact sums takes longer than the sums, so only the last of several runs has it.
func draw(ctx context.Context, c sink.Canvas, events []event.Event, cfg sink.Config, dst *hdr.Frame, digest bool) (*Result, error) {
	start := time.Now()
	for chunk := range slices.Chunk(events, event.ChunkLen) {
		if err := c.Deposit(ctx, chunk); err != nil {
			return nil, err
		}
	}
	if err := c.Resolve(ctx, dst); err != nil {
		return nil, err
	}
	res := &Result{Wall: time.Since(start).Seconds(), Precision: cfg.Precision.String()}
	if e, ok := c.(sink.Exact); ok && digest && cfg.Precision == sink.Exact128 {
		res.SHA256 = e.Sums().SHA256()
	}
	if r, ok := c.(sink.Reporter); ok {
		res.account(r.Stats())
	}
	if cfg.Path != "" {
		res.Path = cfg.Path
	}
	return res, nil
}

func (r *Result) account(s sink.Stats) {
	r.Backend, r.Device, r.Path, r.Events, r.Contributions = s.Backend, s.Device, s.Path, s.Events, s.Contributions
	t := s.Seconds
	r.Upload, r.Bin, r.Accumulate, r.Merge, r.Download = t.Upload, t.Bin, t.Accumulate, t.Merge, t.Download
	r.PeakDeviceBytes, r.PathEvents, r.Costs, r.MeshBound = s.PeakDeviceBytes, s.PathEvents, s.Costs, s.MeshErrorBound
	if r.Accumulate == 0 && s.Backend == "cpu" {
		r.Accumulate = r.Wall // the reference does nothing else
	}
	if r.Accumulate > 0 {
		r.ContributionsPerSec = float64(r.Contributions) / r.Accumulate
	}
}

// check compares got with the sequential CPU sum in the same precision.
func check(ctx context.Context, events []event.Event, cfg sink.Config, got *hdr.Frame) (*Check, error) {
	want := hdr.NewFrame(cfg.W, cfg.H)
	if _, err := draw(ctx, cpu.NewReference(cfg), events, cfg, want, false); err != nil {
		return nil, err
	}
	d, err := hdr.Compare(got, want, 1e-12)
	if err != nil {
		return nil, err
	}
	return &Check{MaxAbs: d.MaxAbs, MaxAbsOverPeak: d.MaxAbsPeak, MaxRel: d.MaxRel, FluxRelRGB: d.FluxRelRGB, FluxRelY: d.FluxRelY}, nil
}
