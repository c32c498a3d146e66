// Package star turns stars that the lens map has placed into events: magnitude, magnification and frequency shift become
// flux and colour, and the PSF decides what becomes of the image.
package star

import (
	"math"

	"grsplat/render/catalog"
	"grsplat/render/color"
	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/lens"
	"grsplat/render/psf"
)

// Params are the same for every worker.
type Params struct {
	W, H        int // frame, px
	PSF         *psf.PSF
	Colours     *color.Table
	Exposure    float64 // flux of an unlensed star of V = 0
	QuantumBits int     // of exact sums, or 0: then the loss by rounding is not counted
}

// Counts is what became of the star images that touch the frame:
// Cached + WingClipped + Direct + Discarded = Total.
type Counts struct {
	Total, Cached, WingClipped, Direct, Discarded int64

	FluxRGB      [3]float64 // sum of flux*colour over the events
	RoundedAway  float64    // luminance that exact sums lose (psf.RoundedAway)
	BeyondMargin float64    // bound on the luminance of bright stars whose wings alone would reach the frame
}

// Add adds the counts of another worker.
func (c *Counts) Add(o *Counts) {
	c.Total += o.Total
	c.Cached += o.Cached
	c.WingClipped += o.WingClipped
	c.Direct += o.Direct
	c.Discarded += o.Discarded
	for i := range c.FluxRGB {
		c.FluxRGB[i] += o.FluxRGB[i]
	}
	c.RoundedAway += o.RoundedAway
	c.BeyondMargin += o.BeyondMargin
}

// A Maker makes events for one worker.
type Maker struct {
	Counts Counts
	p      Params
}

// NewMaker returns a Maker that has counted nothing.
func NewMaker(p Params) *Maker { return &Maker{p: p} }

// Append appends the event of one image of s, if its support touches the frame and it is not discarded.
//
// flux = exposure * 10^(-0.4 V) * mu * Yb(gT)/Yb(T), colour = B(gT)/Yb(gT). The black body at fixed solid angle holds
// every power of g; mu is the ratio of solid angles.
func (m *Maker) Append(out []event.Event, s *catalog.Star, im *lens.Image) []event.Event {
	rgb, shift := m.p.Colours.Shift(s.Teff, im.G)
	flux := m.unlensed(s) * im.Mu * shift
	status, support := m.p.PSF.Classify(flux)
	if !m.touches(im.X, im.Y, status, support) {
		return out
	}
	m.Counts.Total++
	switch status {
	case psf.Discarded:
		m.Counts.Discarded++
		return out
	case psf.Cached:
		m.Counts.Cached++
	case psf.WingClipped:
		m.Counts.WingClipped++
	case psf.Direct:
		m.Counts.Direct++
	}
	out = append(out, event.Event{X: im.X, Y: im.Y, R: rgb[0], G: rgb[1], B: rgb[2], Flux: flux, Support: support})
	m.count(&out[len(out)-1])
	return out
}

// unlensed is the luminance flux of s in flat space.
func (m *Maker) unlensed(s *catalog.Star) float64 {
	const decimal = -0.4 * math.Ln10
	return m.p.Exposure * math.Exp(decimal*s.V)
}

// touches says whether an image lights a pixel. A discarded image has no circle; it counts where a cached one would.
func (m *Maker) touches(x, y float64, status psf.Status, support float64) bool {
	if x >= 0 && y >= 0 && x <= float64(m.p.W-1) && y <= float64(m.p.H-1) && support >= 1 {
		return true
	}
	if status == psf.Discarded {
		support = min(m.p.PSF.TailRadius(m.p.PSF.Tail), float64(m.p.PSF.R))
	}
	d := psf.NewDisc(x, y, support, m.p.W, m.p.H)
	return d.Touches()
}

func (m *Maker) count(e *event.Event) {
	f := e.Colour()
	for c := range f {
		m.Counts.FluxRGB[c] += f[c]
	}
	if m.p.QuantumBits > 0 {
		var lost [3]float64
		for c := range f {
			amplitude := math.Abs(f[c])
			lost[c] = amplitude * m.p.PSF.RoundedAway(amplitude, e.Support, m.p.QuantumBits)
		}
		m.Counts.RoundedAway += hdr.Luminance(lost)
	}
}

// Missed takes a star that has no image inside the map's margin of R px around the frame. A star bright enough to be direct
// could still reach the frame with its wings: at most the flux outside R lies in the half plane that holds the frame.
func (m *Maker) Missed(s *catalog.Star) {
	if flux := m.unlensed(s); m.p.PSF.IsDirect(flux) {
		m.Counts.BeyondMargin += flux * m.p.PSF.TailFraction(float64(m.p.PSF.R)) / 2
	}
}
