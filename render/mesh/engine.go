package mesh

import (
	"fmt"
	"math"
	"sync"

	"grsplat/render/mesh/fft"
	"grsplat/render/psf"
)

// An Engine holds what convolving blocks needs and what no worker changes: sizes, filter, kernel spectra.
type Engine struct {
	shape
	support     float64 // of the events it takes, px
	rim         rim
	filter      filter
	spectra     [][]float64
	ringSpectra [][]float64
	k           fft.Kernels
	plan        *fft.Plan

	taps    []float64
	rowOff  []int64   // of the taps in a lattice, rows apart
	lineOff [][]int64 // by plane column q: of the taps in a de-interleaved line

	// Residual is the largest error of a lone event's stamp, over its peak and apart from its rim, as measured when
	// the engine was made.
	Residual float64

	// BlockSeconds is the time of a block's transforms on one core, TileSeconds of an occupied tile's filter, as measured then.
	BlockSeconds, TileSeconds float64
}

// maxSpectra bounds the memory of the kernel spectra.
const maxSpectra = 1 << 30

// maxResidual is what New accepts of a coarser grid: half of what spec section 7 grants, for a lone event.
const maxResidual = 5e-15

// NewEngine prepares the mesh for a PSF: the coarsest grid whose measured residual is small enough, else all P phase planes. It
// fails when the PSF's kernels are too wide, or its spectra too large.
func NewEngine(f *psf.PSF, level fft.Level) (*Engine, error) {
	support, k := support(f), f.Kernel
	var fade [][]float64
	leak := fadeLeak * f.Profile(support*support) / k.Peak()
	for q := 2; q < k.P && leak <= maxResidual; q++ {
		if k.P%q != 0 {
			continue
		}
		m := fadingRim(f, support)
		if fade == nil {
			fade = ended(k, m)
		}
		s := axisSpectrum(k, fade)
		if s(float64(q)/2) > maxResidual*math.Max(1, float64(q)) {
			continue
		}
		h, ok := designFilter(k.P, q, s)
		if !ok {
			continue
		}
		e, err := assemble(f, level, m, h, fade)
		if err == nil && e.Residual <= maxResidual {
			return e, nil
		}
	}
	m := sharpRim(support)
	return assemble(f, level, m, identity(k.P), ended(k, m))
}

func assemble(f *psf.PSF, level fft.Level, m rim, h filter, grids [][]float64) (*Engine, error) {
	e := &Engine{support: m.support, rim: m, filter: h, k: fft.For(level), taps: h.taps()}
	var ok bool
	if e.shape, ok = newShape(f.Kernel, h.q, h.half()); !ok {
		return nil, fmt.Errorf("mesh: kernels of radius %d px are too wide", f.R)
	}
	if need := e.spectraBytes(); need > maxSpectra {
		return nil, fmt.Errorf("mesh: kernel spectra would take %d bytes", need)
	}
	e.plan = fft.NewPlan(e.N)
	e.offsets()
	w := e.NewWorker()
	var rings sync.WaitGroup
	rings.Go(func() { e.ringSpectra = ringSpectra(&e.shape, f, &m, newTransformer(&e.shape, e.k, e.plan)) })
	e.spectra = kernelSpectra(&e.shape, &h, f.Kernel, grids, w.transformer)
	rings.Wait()
	e.Residual = w.residual(grids, f.Kernel)
	return e, nil
}

// offsets lists where the taps read: in a lattice, and in a de-interleaved line, where point u = p + P m of colour c is
// element (3p+c)*Line + m.
func (e *Engine) offsets() {
	stride := int64(up8(3 * (e.Tile*e.P + 1)))
	for k := range e.taps {
		e.rowOff = append(e.rowOff, int64(k)*stride)
	}
	for q := range e.Q {
		var off []int64
		for k := range e.taps {
			u := e.D*q + k - e.Half
			p := (u%e.P + e.P) % e.P
			off = append(off, int64(3*p*e.Line+e.Margin+(u-p)/e.P))
		}
		e.lineOff = append(e.lineOff, off)
	}
}

// NewLattice returns an empty lattice of one tile.
func (e *Engine) NewLattice() *Lattice { return newLattice(e.P, e.Tile, 2*e.Half, e.k) }
