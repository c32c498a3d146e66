package bench

import (
	"context"
	"fmt"
	"runtime/pprof"

	"grsplat/render"
	"grsplat/render/encode"
	"grsplat/render/fail"
	"grsplat/render/outfile"
	"grsplat/render/replay"
)

// A PipelineReport is where a render's time went. Rates are over the busy time of their stage, which all threads share.
type PipelineReport struct {
	Backend       string         `json:"backend"`
	Threads       int            `json:"threads"`
	Rows          int64          `json:"rows"`
	Images        int64          `json:"images"`
	Contributions int64          `json:"contributions"`
	RowsPerCore   float64        `json:"catalogue_rows_per_s_per_core"`
	ImagesPerCore float64        `json:"images_per_s_per_core"`
	PeakHostBytes int64          `json:"peak_host_bytes"`
	Stages        []encode.Stage `json:"stages"`
}

// Pipeline runs one render and accounts for it; profile, if given, becomes a CPU profile for go tool pprof.
func Pipeline(ctx context.Context, cfg render.Config, profile string) (r *PipelineReport, err error) {
	if profile != "" {
		for _, other := range []string{cfg.Output, cfg.HDROutput, cfg.Report, cfg.Capture, cfg.MapOutput} {
			if other != "" && outfile.Same(other, profile) {
				return nil, fail.Usage("bench render: the profile and an output are the same file %s", profile)
			}
		}
		f, create := outfile.Create(profile, cfg.Force)
		if create != nil {
			return nil, create
		}
		defer f.Abort()
		if err := pprof.StartCPUProfile(f); err != nil {
			return nil, fmt.Errorf("bench: profile: %w", err)
		}
		defer func() {
			pprof.StopCPUProfile()
			if err == nil {
				err = f.Commit()
			}
		}()
	}
	res, err := render.Run(ctx, cfg)
	if err != nil {
		return nil, err
	}
	r = &PipelineReport{
		Backend: res.Accumulation.Backend, Threads: res.Threads, Rows: res.Catalogue.Rows, Images: res.Images.Total,
		Contributions: res.Accumulation.Contributions, PeakHostBytes: replay.PeakHostBytes(), Stages: res.Stages,
	}
	for _, s := range res.Stages {
		switch s.Name {
		case "catalogue":
			r.RowsPerCore = float64(r.Rows) / s.WallS / float64(r.Threads)
		case "images":
			r.ImagesPerCore = float64(r.Images) / s.WallS / float64(r.Threads)
		}
	}
	return r, nil
}

// Table renders the report as lines.
func (r *PipelineReport) Table() []string {
	lines := []string{fmt.Sprintf("%d rows, %d star images, backend %s, %d threads, peak memory %.0f MiB",
		r.Rows, r.Images, r.Backend, r.Threads, float64(r.PeakHostBytes)/(1<<20))}
	for _, s := range r.Stages {
		lines = append(lines, fmt.Sprintf("%-12s %8.3f s", s.Name, s.WallS))
	}
	return append(lines, fmt.Sprintf("a second and core: %.3g rows in catalogue, %.3g star images in images", r.RowsPerCore, r.ImagesPerCore))
}
