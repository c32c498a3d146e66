package mesh

import "grsplat/render/event"

// A Device is what another processor needs to convolve blocks as an Engine does: whole blocks instead of tiles, otherwise the
// same sizes, filter, transforms and spectra. Lengths are px unless said.
type Device struct {
	P, Q, D     int // lattice points and planes a pixel, their ratio
	Taps        []float64
	N           int // transform length
	Pitch, R    int // of a block; cache radius
	Margin      int // of the planes, all round
	Rows, Cols  int // of a plane
	Edge        int // lattice points along a block
	Nodes       int // along a pixel, of the bound at the rims
	First       int // x and y of the grid's first pixel
	Support     float64
	Twiddles    []float64 // forward, then inverse, of package fft's plan
	Spectra     int       // kernel spectra
	engine      *Engine
	RingSpectra int // spectra of the bound
}

// Device describes the engine.
func (e *Engine) Device() Device {
	return Device{
		P: e.P, Q: e.Q, D: e.D, Taps: e.taps, N: e.N, Pitch: e.Pitch, R: e.R, Margin: e.Margin, Rows: e.Rows, Cols: e.Cols,
		Edge: e.Pitch*e.P + 1, Nodes: e.nodesPerPixel(), First: -e.R - 1, Support: e.support,
		Twiddles: append(append([]float64(nil), e.plan.Forward...), e.plan.Inverse...),
		Spectra:  len(e.spectra), RingSpectra: len(e.ringSpectra), engine: e,
	}
}

// Spectrum writes kernel spectrum q row by row, (re, im) pairs in the order of the transforms along both axes; 2 N^2 float64.
func (d *Device) Spectrum(q int, dst []float64) { d.rowwise(d.engine.spectra[q], dst) }

// RingSpectrum writes a spectrum of the bound likewise.
func (d *Device) RingSpectrum(node int, dst []float64) { d.rowwise(d.engine.ringSpectra[node], dst) }

func (d *Device) rowwise(src, dst []float64) {
	n := d.N
	for g := range n / 8 {
		for x := range n {
			s := src[(g*n+x)*16:]
			for l := range 8 {
				at := 2 * ((8*g+l)*n + x)
				dst[at], dst[at+1] = s[l], s[8+l]
			}
		}
	}
}

// Blocks returns the grid's size in blocks for a frame of w x h px.
func (d *Device) Blocks(w, h int) (x, y int) {
	g := newGrid(&d.engine.shape, w, h)
	return g.bx, g.by
}

// Bound is the error bound of a block over its peak, from the largest moduli of its result and of its error at the rims.
func Bound(peak, rims float64) float64 {
	if peak == 0 {
		return 0
	}
	return gridError + rims/peak
}

// Brightness is the largest component of an event's flux*colour, which the bound weighs events by.
func Brightness(e *event.Event) float64 { return brightness(e) }
