package render

import (
	"fmt"

	"grsplat/render/event"
	"grsplat/render/outfile"
	"grsplat/render/psf"
	"grsplat/render/sink/capture"
)

// A TriangleRange selects the triangles From..To-1 of the lens map; the zero value selects all.
type TriangleRange struct{ From, To int32 }

func (r TriangleRange) all() bool            { return r == TriangleRange{} }
func (r TriangleRange) holds(tri int32) bool { return r.all() || tri >= r.From && tri < r.To }

// A recorder writes a render's cached star images to a capture file beside the sums.
type recorder struct {
	sink *capture.Sink
	w    *event.Writer
	file *outfile.File
	only TriangleRange
}

// openRecorder returns nil for a render that captures nothing.
func openRecorder(c *Config, f *psf.PSF, file *outfile.File) (*recorder, error) {
	if file == nil {
		return nil, nil
	}
	w, err := event.NewWriter(file)
	if err != nil {
		return nil, err
	}
	return &recorder{sink: capture.New(w, f, c.CaptureLimit), w: w, file: file, only: c.CaptureTriangles}, nil
}

// finish writes the manifest: how the events were selected and from what they were made.
func (r *recorder) finish(run *run) error {
	rule := "all cached star images of the render"
	if !r.only.all() {
		rule = fmt.Sprintf("cached star images of the lens map's triangles %d to %d", r.only.From, r.only.To-1)
	}
	if limit := run.cfg.CaptureLimit; limit > 0 {
		rule += fmt.Sprintf(", the first %d in the order of the catalogue", limit)
	}
	inputs := map[string]string{"lens map": run.mapSHA256}
	for _, src := range run.sky.sources {
		inputs[src.Name()] = src.Stats().SHA256
	}
	_, err := r.w.Finish(event.Manifest{
		Width: run.cfg.Camera.W, Height: run.cfg.Camera.H, PSF: capture.Describe(run.cfg.PSF), Selection: rule, Inputs: inputs,
		Program: "grsplat " + run.cfg.Version,
	})
	return err
}
