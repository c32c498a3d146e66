package bench

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	"grsplat/render"
	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/replay"
	"grsplat/render/sink"
)

// AllOptions of `bench all`.
type AllOptions struct {
	Backends   []string
	Precisions []sink.Precision
	Paths      []string // measured in turn; auto last
	Device     string
	Repeat     int // timed runs; the one of median wall time counts
	MaxEvents  int // inputs are cut to it; 0 leaves them
	Galactic   int // events of the galactic input; 0 leaves it out
	Threads    int
	Log        *slog.Logger
}

// An AllRow is one input on one path of a backend.
type AllRow struct {
	Input string `json:"input"`
	replay.Result
	OverBest float64 `json:"over_best,omitempty"` // auto: wall time over that of the best other path within MeshError
}

// An AllReport is every available backend on the inputs of GPUInputs and the galactic one.
type AllReport struct {
	Rows    []AllRow          `json:"rows"`
	Missing map[string]string `json:"missing,omitempty"` // why a backend has no rows
}

// All replays the inputs on every backend. One that does not open is reported as missing.
func All(ctx context.Context, o AllOptions) (*AllReport, error) {
	f, err := psf.New(psf.Defaults())
	if err != nil {
		return nil, err
	}
	r := &AllReport{Missing: map[string]string{}}
	dst := hdr.NewFrame(frameW, frameH)
	inputs := slices.Clone(GPUInputs)
	if o.Galactic > 0 {
		inputs = append(inputs, galactic(o.Galactic))
	}
	for _, in := range inputs {
		if o.MaxEvents > 0 {
			in.Events = min(in.Events, o.MaxEvents)
		}
		events, err := load(in, f)
		if err != nil {
			return nil, err
		}
		rec := &replay.Recording{Manifest: event.Manifest{Width: frameW, Height: frameH}, PSF: f, Events: events}
		for _, backend := range o.Backends {
			for _, p := range o.Precisions {
				if err := r.measure(ctx, o, rec, in, backend, p, dst); err != nil {
					return nil, err
				}
			}
		}
	}
	return r, nil
}

// measure runs every path o.Repeat times.
func (r *AllReport) measure(ctx context.Context, o AllOptions, rec *replay.Recording, in Input, backend string, p sink.Precision, dst *hdr.Frame) error {
	name := backend + "/" + p.String()
	if r.Missing[name] != "" {
		return nil
	}
	o.Log.Info("bench", "input", in.Name, "backend", backend, "precision", p)
	best := 0.0
	for _, path := range o.Paths {
		if r.Missing[name+"/"+path] != "" {
			continue
		}
		runs, err := replay.Runs(ctx, rec, replay.Options{
			Open:   func(cfg sink.Config) (sink.Canvas, error) { return render.OpenCanvas(backend, cfg) },
			Config: sink.Config{Precision: p, QuantumBits: hdr.DefaultQuantumBits, Path: path, MeshError: meshError, Coalesce: true, Threads: o.Threads, Device: o.Device, Log: o.Log},
			Repeat: o.Repeat,
		}, dst)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.miss(name, path, err)
			continue
		}
		slices.SortFunc(runs, func(a, b *replay.Result) int { return cmp.Compare(a.Wall, b.Wall) })
		row := AllRow{Input: in.Name, Result: *runs[len(runs)/2]}
		switch {
		case path == "auto" && best > 0:
			row.OverBest = row.Wall / best
		case row.MeshBound > meshError: // auto may not take it
		case best == 0 || row.Wall < best:
			best = row.Wall
		}
		r.Rows = append(r.Rows, row)
	}
	return nil
}

// meshError is auto's limit.
const meshError = 1e-9

// miss notes why a path has no rows; a backend that cannot do auto cannot do anything.
func (r *AllReport) miss(backend, path string, err error) {
	if path != "auto" {
		backend += "/" + path
	}
	r.Missing[backend] = err.Error()
}

// Table renders the report as lines.
func (r *AllReport) Table() []string {
	lines := []string{fmt.Sprintf("%-24s %-8s %-20s %-6s %-8s %10s %10s", "input", "backend", "device", "sums", "path", "wall ms", "over best")}
	for _, row := range r.Rows {
		lines = append(lines, fmt.Sprintf("%-24s %-8s %-20.20s %-6s %-8s %10.1f %10s",
			row.Input, row.Backend, row.Device, row.Precision, row.Path, row.Wall*1e3, ratio(row.OverBest)))
	}
	for name, why := range r.Missing {
		lines = append(lines, fmt.Sprintf("no %s: %s", name, why))
	}
	return lines
}
