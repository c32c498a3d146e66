package mesh

import (
	"math"

	"grsplat/render/event"
)

// A Device is what another processor needs to convolve blocks as an Engine does: whole blocks instead of tiles, otherwise the
// same sizes, filter and spectra. Its transforms are of their own kind: decimation in frequency by 16s, in place, 16 points a lane.
// Lengths are px unless said.
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
	Twiddles    []float64 // (re, im) pairs by stage of span N, N/16, ... above 16: [k-1][j] is exp(-2 pi i j k/span), k < 16, j < span/16
	Order       []int     // frequency at each place of a transform
	Spectra     int       // kernel spectra
	RingSpectra int       // spectra of the bound
	engine      *Engine
}

// lanePoints is how many points of a line a lane of the device's transforms holds.
const lanePoints = 16

// Device describes the engine.
func (e *Engine) Device() Device {
	d := Device{
		P: e.P, Q: e.Q, D: e.D, Taps: e.taps, N: e.N, Pitch: e.Pitch, R: e.R, Margin: e.Margin, Rows: e.Rows, Cols: e.Cols,
		Edge: e.Pitch*e.P + 1, Nodes: e.nodesPerPixel(), First: -e.R - 1, Support: e.support,
		Spectra: len(e.spectra), RingSpectra: len(e.ringSpectra), engine: e,
	}
	for span := e.N; span > lanePoints; span /= lanePoints {
		for k := 1; k < lanePoints; k++ {
			for j := range span / lanePoints {
				sin, cos := math.Sincos(2 * math.Pi * float64(j*k) / float64(span))
				d.Twiddles = append(d.Twiddles, cos, -sin)
			}
		}
	}
	for i := range e.N {
		d.Order = append(d.Order, laneOrder(i, e.N))
	}
	return d
}

// laneOrder returns the frequency at place i of a transform of length n.
func laneOrder(i, n int) int {
	if n <= lanePoints {
		return i
	}
	sub := n / lanePoints
	return i/sub + lanePoints*laneOrder(i%sub, sub)
}

// Spectrum writes kernel spectrum q as (re, im) pairs, 2 N^2 float64: row by row in the transforms' order, and within a row point k
// of every lane before point k+1 of any, so that lanes read neighbours.
func (d *Device) Spectrum(q int, dst []float64) { d.reorder(d.engine.spectra[q], dst) }

// RingSpectrum writes a spectrum of the bound likewise.
func (d *Device) RingSpectrum(node int, dst []float64) { d.reorder(d.engine.ringSpectra[node], dst) }

func (d *Device) reorder(src, dst []float64) {
	n := d.N
	place := make([]int, n) // of a frequency, in the engine's order
	for i, f := range d.engine.plan.Order {
		place[f] = i
	}
	lanes := n / lanePoints
	for y := range n {
		row := place[d.Order[y]]
		for x := range n {
			column := place[d.Order[x%lanes*lanePoints+x/lanes]]
			s := src[(row/8*n+column)*16+row%8:]
			dst[2*(y*n+x)], dst[2*(y*n+x)+1] = s[0], s[8]
		}
	}
}

// Blocks returns the grid's size in blocks for a frame of w x h px.
func (d *Device) Blocks(w, h int) (x, y int) {
	g := newGrid(&d.engine.shape, w, h)
	return g.bx, g.by
}

// Room is what a block's error at the rims may be over its peak for the bound to keep to a limit.
func Room(limit float64) float64 { return limit - gridError }

// Bound is the error bound of a block over its peak, from the largest moduli of its result and of its error at the rims.
func Bound(peak, rims float64) float64 {
	if peak == 0 {
		return 0
	}
	return gridError + rims/peak
}

// Scale returns how many units of an integer are 1 where the integers add up |flux*colour| of at most light in all: a power of two
// that keeps every sum below 2^62.
func Scale(light float64) float64 {
	if !(light > 0) {
		return 1
	}
	return math.Exp2(max(min(math.Floor(scaleBits-math.Log2(light)), 1000), -1000))
}

const scaleBits = 61

// Brightness is the largest component of an event's flux*colour, which the bound weighs events by.
func Brightness(e *event.Event) float64 { return brightness(e) }

// BrightClass returns the highest class of brightness whose events a block keeps, given how many it has of each class, k holding
// those of 2^k to 2^(k+1) units: the brightest few events go elsewhere while each outshines the mean of all fainter ones by
// brightFactor, as far as the classes tell.
func BrightClass(counts []uint32) int {
	fainter, light := 0.0, 0.0 // events below class k, and their brightness at most
	for k, n := range counts {
		fainter += float64(n)
		light += float64(n) * math.Ldexp(2, k)
	}
	highest, bright := len(counts)-1, 0.0
	for k := len(counts) - 1; k > 0; k-- {
		n := float64(counts[k])
		fainter -= n
		light -= n * math.Ldexp(2, k)
		if bright += n; bright > mostBright || fainter == 0 {
			break
		}
		if n > 0 && math.Ldexp(1, k)*fainter > brightFactor*light {
			highest = k - 1
		}
	}
	return highest
}
