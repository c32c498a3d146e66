// Package cpu accumulates on the processor. reference.go is the definition that every other path must equal, kept plain;
// the production sink lies beside it.
package cpu

import (
	"context"
	"fmt"

	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/sink"
	"grsplat/render/sink/direct"
)

// Reference sums every event in order on one goroutine, in float64 or exactly. It is spec section 7 as written.
type Reference struct {
	cfg    sink.Config
	frame  *hdr.Frame // float64 sums of the cached events
	sums   *hdr.Sums  // or the exact ones
	direct *direct.Adder

	events, contributions int64
}

// NewReference returns a black canvas. Precision F32 is summed in float64, which is within its tolerance.
func NewReference(cfg sink.Config) *Reference {
	r := &Reference{cfg: cfg, direct: direct.New(cfg)}
	if cfg.Precision == sink.Exact128 {
		r.sums = hdr.NewSums(cfg.W, cfg.H, cfg.QuantumBits)
	} else {
		r.frame = hdr.NewFrame(cfg.W, cfg.H)
	}
	return r
}

// Deposit sums a chunk.
func (r *Reference) Deposit(ctx context.Context, chunk []event.Event) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("accumulate: %w", err)
	}
	for i := range chunk {
		e := &chunk[i]
		r.events++
		if r.cfg.PSF.IsDirect(e.Flux) {
			if err := r.direct.Add(ctx, e); err != nil {
				return fmt.Errorf("accumulate: %w", err)
			}
		} else {
			r.stamp(e)
		}
	}
	return nil
}

// stamp adds one cached event: w = ((b00 k00 + b10 k10) + b01 k01) + b11 k11, c = w*(flux*colour), each operation rounded. The
// conversions to float64 keep the compiler from fusing a product into a sum.
func (r *Reference) stamp(e *event.Event) {
	k := r.cfg.PSF.Kernel
	m := k.Mix(e.X, e.Y)
	k00, k10, k01, k11 := k.Grids(&m)
	f := e.Colour()
	d := psf.NewDisc(e.X, e.Y, e.Support, r.cfg.W, r.cfg.H)
	for y := d.Y0; y <= d.Y1; y++ {
		x0, x1 := d.Row(y)
		row := (y-m.IY+k.R)*k.Stride - m.IX + k.R
		for x := x0; x <= x1; x++ {
			q := row + x
			w := float64(m.B00*k00[q]) + float64(m.B10*k10[q])
			w += float64(m.B01 * k01[q])
			w += float64(m.B11 * k11[q])
			r.add(y*r.cfg.W+x, w, &f)
		}
		r.contributions += int64(max(x1-x0+1, 0))
	}
}

func (r *Reference) add(i int, w float64, f *[3]float64) {
	for c := range f {
		v := float64(w * f[c])
		if r.sums == nil {
			r.frame.Plane[c][i] += v
			continue
		}
		hi, lo := hdr.Quantise(v, r.cfg.QuantumBits)
		r.sums.Add(c, i, hi, lo)
	}
}

// Resolve overwrites dst with the sums, the direct events' added once.
func (r *Reference) Resolve(ctx context.Context, dst *hdr.Frame) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("resolve: %w", err)
	}
	if err := r.direct.Flush(ctx); err != nil {
		return fmt.Errorf("resolve: %w", err)
	}
	if r.sums != nil {
		r.Sums().Resolve(dst)
		return nil
	}
	for c := range dst.Plane {
		copy(dst.Plane[c], r.frame.Plane[c])
	}
	r.direct.AddTo(dst)
	return nil
}

// Sums returns the exact sums, direct events included, or nil in float64.
func (r *Reference) Sums() *hdr.Sums {
	if r.sums == nil {
		return nil
	}
	total := hdr.NewSums(r.cfg.W, r.cfg.H, r.cfg.QuantumBits)
	total.Merge(r.sums)
	r.direct.MergeInto(total)
	return total
}

// Close has nothing to free.
func (r *Reference) Close() error { return nil }

// Stats counts the work.
func (r *Reference) Stats() sink.Stats {
	chunks := (r.events + event.ChunkLen - 1) / event.ChunkLen
	return sink.Stats{
		Backend: "cpu", Path: "reference", Events: r.events, Direct: r.direct.Events(),
		Contributions: r.contributions + r.direct.Contributions(),
		PathChunks:    map[string]int64{"reference": chunks},
		PathEvents:    map[string]int64{"reference": r.events - r.direct.Events()},
	}
}
