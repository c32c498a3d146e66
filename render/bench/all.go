package bench

import (
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
	Device     string
	Repeat     int // timed runs; the one of median wall time counts
	MaxEvents  int // inputs are cut to it; 0 leaves them
	Threads    int
	Log        *slog.Logger
}

// An AllRow is one input on one backend, path auto.
type AllRow struct {
	Input string `json:"input"`
	replay.Result
}

// An AllReport is every available backend on the six inputs of GPUInputs.
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
	for _, in := range GPUInputs {
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

func (r *AllReport) measure(ctx context.Context, o AllOptions, rec *replay.Recording, in Input, backend string, p sink.Precision, dst *hdr.Frame) error {
	name := backend + "/" + p.String()
	if r.Missing[name] != "" {
		return nil
	}
	o.Log.Info("bench", "input", in.Name, "backend", backend, "precision", p)
	runs, err := replay.Runs(ctx, rec, replay.Options{
		Open:   func(cfg sink.Config) (sink.Canvas, error) { return render.OpenCanvas(backend, cfg) },
		Config: sink.Config{Precision: p, QuantumBits: hdr.DefaultQuantumBits, Path: "auto", MeshError: 1e-9, Coalesce: true, Threads: o.Threads, Device: o.Device, Log: o.Log},
		Repeat: o.Repeat,
	}, dst)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.Missing[name] = err.Error()
		return nil
	}
	slices.SortFunc(runs, func(a, b *replay.Result) int { return int(max(-1, min(1, (a.Wall-b.Wall)*1e9))) })
	r.Rows = append(r.Rows, AllRow{in.Name, *runs[len(runs)/2]})
	return nil
}

// Table renders the report as lines.
func (r *AllReport) Table() []string {
	lines := []string{fmt.Sprintf("%-24s %-8s %-20s %-6s %10s %12s", "input", "backend", "device", "sums", "wall ms", "G contrib/s")}
	for _, row := range r.Rows {
		lines = append(lines, fmt.Sprintf("%-24s %-8s %-20.20s %-6s %10.1f %12.3f",
			row.Input, row.Backend, row.Device, row.Precision, row.Wall*1e3, float64(row.Contributions)/row.Wall/1e9))
	}
	for name, why := range r.Missing {
		lines = append(lines, fmt.Sprintf("no %s: %s", name, why))
	}
	return lines
}
