package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"runtime"
	"slices"
	"time"

	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/replay"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
	"grsplat/render/sink/vulkan"
)

// GPUInputs are the inputs of the GPU's table but the last, which is a field towards the galactic centre.
var GPUInputs = []Input{
	{Name: "65,536 in 16 px", Events: 65536, Spread: 16}, {Name: "1,048,576 in 16 px", Events: 1 << 20, Spread: 16}, {Name: "16,384 in 1 px", Events: 16384, Spread: 1},
	{Name: "16,384 over the frame", Events: 16384, Spread: frameW}, {Name: "1,048,576 over the frame", Events: 1 << 20, Spread: frameW}, {Name: "1,048,576 in 400 px", Events: 1 << 20, Spread: 400},
}

// GPUOptions say what to measure on a GPU.
type GPUOptions struct {
	Device     string
	Precisions []sink.Precision
	Paths      []string      // only these; none is every path that passes its self-test, and auto
	Warm       time.Duration // of untimed work before each batch, so that every run has the clocks of a busy device
	Repeat     int           // timed runs of each; medians are reported
	MaxEvents  int           // inputs are cut to it; 0 leaves them
	Galactic   int           // events of the galactic input; 0 leaves it out
	Check      bool          // compare with the CPU's sums: relative error, or the digest of exact sums
	CUDA       string        // program built from tools/baseline/cuda, run for the same inputs; "" runs none
	Log        *slog.Logger
}

// A GPURow is one input on one path. Milliseconds are medians over the runs; Kernel is binning, sums and merge together.
type GPURow struct {
	Input         string             `json:"input"`
	Path          string             `json:"path"`
	Precision     string             `json:"precision"`
	Events        int64              `json:"events"`
	Contributions int64              `json:"contributions"`
	Kernel        float64            `json:"kernel_ms"`
	Bin           float64            `json:"bin_ms"`
	Accumulate    float64            `json:"accumulate_ms"`
	Merge         float64            `json:"merge_ms"`
	Upload        float64            `json:"upload_ms"`
	Download      float64            `json:"download_ms"`
	Wall          float64            `json:"wall_ms"`
	PerSecond     float64            `json:"contributions_per_s"` // over the kernel time
	Took          map[string]int64   `json:"path_events,omitempty"`
	Costs         map[string]float64 `json:"costs,omitempty"`     // auto: what it chose by
	OverBest      float64            `json:"over_best,omitempty"` // auto: kernel time over that of the best single path within MeshError
	MeshBound     float64            `json:"mesh_error_bound,omitempty"`
	MaxRel        *float64           `json:"max_rel,omitempty"`   // against the CPU, above 1e-12 of the peak
	SameSums      *bool              `json:"same_sums,omitempty"` // exact: the CPU's digest
	Error         string             `json:"error,omitempty"`
}

// GPUReport is the table.
type GPUReport struct {
	Device string   `json:"device"`
	Driver string   `json:"driver"`
	Rows   []GPURow `json:"rows"`
	CUDA   []string `json:"cuda,omitempty"` // lines of the CUDA baseline: input;variant;ms
}

// GPU measures every path and precision of a Vulkan device on the seven inputs, in one process.
func GPU(ctx context.Context, o GPUOptions) (*GPUReport, error) {
	f, err := psf.New(psf.Defaults())
	if err != nil {
		return nil, err
	}
	r := &GPUReport{}
	for _, p := range o.Precisions {
		if err := r.precision(ctx, o, f, p); err != nil {
			return r, err
		}
	}
	if o.CUDA != "" {
		if r.CUDA, err = lines(ctx, o.CUDA); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (r *GPUReport) precision(ctx context.Context, o GPUOptions, f *psf.PSF, p sink.Precision) (err error) {
	cfg := sink.Config{Precision: p, QuantumBits: hdr.DefaultQuantumBits, MeshError: 1e-9, Device: o.Device, Log: o.Log, Threads: 1}
	e, err := vulkan.OpenEngine(cfg, vulkan.Options{Warm: o.Warm})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	i := e.Info()
	r.Device, r.Driver = i.Name, i.Driver.Name+" "+i.Driver.Info
	paths := append(e.Paths(), "auto")
	if len(o.Paths) > 0 {
		paths = slices.DeleteFunc(paths, func(s string) bool { return !slices.Contains(o.Paths, s) })
	}
	inputs := slices.Clone(GPUInputs)
	if o.Galactic > 0 {
		inputs = append(inputs, galactic(o.Galactic))
	}
	for _, in := range inputs {
		if o.MaxEvents > 0 {
			in.Events = min(in.Events, o.MaxEvents)
		}
		if err := r.input(ctx, o, e, cfg, f, in, paths); err != nil {
			return err
		}
	}
	return nil
}

// input measures every path on one input. A path that fails leaves its error in the table.
func (r *GPUReport) input(ctx context.Context, o GPUOptions, e *vulkan.Engine, cfg sink.Config, f *psf.PSF, in Input, paths []string) error {
	events, err := load(in, f)
	if err != nil {
		return err
	}
	rec := &replay.Recording{Manifest: event.Manifest{Width: frameW, Height: frameH}, PSF: f, Events: events}
	want := &sums{}
	if o.Check {
		if want, err = onCPU(ctx, rec, cfg); err != nil {
			return err
		}
	}
	best := 0.0
	for _, path := range paths {
		cfg.Path = path
		row, err := measureGPU(ctx, e, cfg, rec, o.Repeat, want)
		if ctx.Err() != nil {
			return err
		}
		row.Input = in.Name
		switch {
		case err != nil:
			row.Error = err.Error()
		case path == "auto" && best > 0:
			row.OverBest = row.Kernel / best
		case row.MeshBound > cfg.MeshError: // auto may not take it
		case best == 0 || row.Kernel < best:
			best = row.Kernel
		}
		o.Log.Info("bench", "input", in.Name, "path", path, "precision", row.Precision, "kernel_ms", row.Kernel, "error", row.Error)
		r.Rows = append(r.Rows, row)
	}
	return nil
}

// sums is what the CPU makes of an input, empty when nothing is to be checked.
type sums struct {
	frame  *hdr.Frame
	digest string
}

func onCPU(ctx context.Context, rec *replay.Recording, cfg sink.Config) (*sums, error) {
	cfg.Path, cfg.Threads = "stamp", runtime.GOMAXPROCS(0)
	w := &sums{frame: hdr.NewFrame(frameW, frameH)}
	runs, err := replay.Runs(ctx, rec, replay.Options{Open: cpu.New, Config: cfg, Repeat: 1}, w.frame)
	if err != nil {
		return nil, err
	}
	w.digest = runs[0].SHA256
	return w, nil
}

func measureGPU(ctx context.Context, e *vulkan.Engine, cfg sink.Config, rec *replay.Recording, n int, want *sums) (GPURow, error) {
	row := GPURow{Path: cfg.Path, Precision: cfg.Precision.String()}
	open := func(cfg sink.Config) (sink.Canvas, error) { return e.Canvas(cfg) }
	got := hdr.NewFrame(frameW, frameH)
	runs, err := replay.Runs(ctx, rec, replay.Options{Open: open, Config: cfg, Repeat: n}, got)
	if err != nil {
		return row, err
	}
	median := func(of func(r *replay.Result) float64) float64 {
		var all []float64
		for _, r := range runs {
			all = append(all, of(r)*1e3)
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	last := runs[len(runs)-1]
	row.Events, row.Contributions, row.MeshBound = last.Events, last.Contributions, last.MeshBound
	row.Kernel, row.Wall = median((*replay.Result).Kernel), median(func(r *replay.Result) float64 { return r.Wall })
	row.Bin, row.Accumulate = median(func(r *replay.Result) float64 { return r.Bin }), median(func(r *replay.Result) float64 { return r.Accumulate })
	row.Merge, row.Upload = median(func(r *replay.Result) float64 { return r.Merge }), median(func(r *replay.Result) float64 { return r.Upload })
	row.Download = median(func(r *replay.Result) float64 { return r.Download })
	row.PerSecond = float64(row.Contributions) / row.Kernel * 1e3
	if cfg.Path == "auto" {
		row.Took, row.Costs = last.PathEvents, last.Costs
	}
	if want.frame == nil {
		return row, nil
	}
	d, err := hdr.Compare(got, want.frame, 1e-12)
	row.MaxRel = &d.MaxRel
	if cfg.Precision == sink.Exact128 {
		same := last.SHA256 == want.digest
		row.SameSums = &same
	}
	return row, err
}

// thousands writes n with commas.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func lines(ctx context.Context, program string) (out []string, err error) {
	text, err := exec.CommandContext(ctx, program).Output()
	if err != nil {
		return nil, fmt.Errorf("bench: %s: %w", program, err)
	}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		out = append(out, s.Text())
	}
	return out, nil
}

// Table is the report for people.
func (r *GPUReport) Table() []string {
	out := []string{r.Device + ", " + r.Driver, fmt.Sprintf("%-26s %-7s %-9s %10s %8s %8s %8s %9s %8s", "input", "path", "precision", "kernel ms", "bin", "sum", "merge", "G/s", "wall ms")}
	for _, x := range r.Rows {
		line := fmt.Sprintf("%-26s %-7s %-9s %10.3f %8.3f %8.3f %8.3f %9.2f %8.1f", x.Input, x.Path, x.Precision, x.Kernel, x.Bin, x.Accumulate, x.Merge, x.PerSecond/1e9, x.Wall)
		if x.OverBest > 0 {
			line += fmt.Sprintf("  %.2f of the best", x.OverBest)
		}
		if x.MaxRel != nil {
			line += fmt.Sprintf("  error %.2g", *x.MaxRel)
		}
		if x.SameSums != nil {
			line += fmt.Sprintf("  same sums %v", *x.SameSums)
		}
		if x.Error != "" {
			line += "  " + x.Error
		}
		out = append(out, line)
	}
	return append(out, r.CUDA...)
}
