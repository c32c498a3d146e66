package sinktest

import (
	"math"
	"math/rand/v2"
	"sync"

	"grsplat/render/event"
	"grsplat/render/psf"
)

// A Scene is a frame, a PSF and its events.
type Scene struct {
	Name   string
	W, H   int
	PSF    *psf.PSF
	Events []event.Event
}

// The PSFs are shared, since their kernels are the costly part of a small scene: the default one (R = 47), a small one
// (R = 10) and a small one whose circle is cut by its cache.
var (
	wide    = sync.OnceValue(func() *psf.PSF { return PSF(nil) })
	small   = sync.OnceValue(func() *psf.PSF { return PSF(func(p *psf.Params) { p.Tail = 1e-4; p.MaxCacheFlux = 1e3 }) })
	clipped = sync.OnceValue(func() *psf.PSF { return PSF(func(p *psf.Params) { p.CacheRadius = 6 }) })
	deep    = sync.OnceValue(func() *psf.PSF { return PSF(func(p *psf.Params) { p.Tail = 1e-4; p.MaxCacheFlux = 1e30 }) })
	large   = sync.OnceValue(func() *psf.PSF {
		return PSF(func(p *psf.Params) { p.CacheRadius, p.Phases, p.FWHM = psf.MaxCacheRadius, 1, 300 })
	})
)

// rimsOfLargeStars is a scene whose rims the positions of float32 records do not settle.
const rimsOfLargeStars = "rims-of-large-stars"

// Scenes returns the suite's scenes; light leaves out the two largest.
func Scenes(light bool) []Scene {
	scenes := []Scene{
		{"empty", 40, 30, small(), nil},
		{"phases", 64, 64, small(), phases(small())},
		{"corners", 50, 40, wide(), corners(wide(), 50, 40)},
		{"outside", 33, 29, wide(), outside(wide(), 33, 29)},
		{"one-pixel-frame", 1, 1, wide(), at(wide(), 1, 0.3, -0.2)},
		{"support-beyond-frame", 20, 12, wide(), scatter(wide(), 60, 20, 12, 8, 1)},
		{"hotspot", 160, 120, wide(), hotspot(wide(), 400, 80, 60)},
		{"one-pixel-hotspot", 120, 100, wide(), onePixel(wide(), 400)},
		{"sparse", 640, 360, wide(), scatter(wide(), 40, 640, 360, 640, 2)},
		{"wing-clipped", 90, 70, clipped(), scatter(clipped(), 300, 90, 70, 100, 3)},
		{"mixed-with-direct", 100, 80, small(), mixed(small(), 400, 100, 80)},
		{"flux-decades", 100, 80, small(), decades(small(), 600, 100, 80)},
		{"negative-blue", 60, 50, small(), negative(small(), 60, 50)},
		{"beyond-64-bits", 60, 50, deep(), bright(deep(), 60, 50)},
		{"carries", 60, 50, deep(), carries(deep(), 60, 50)},
		{rimsOfLargeStars, 12, 3, large(), rims(12, 3)},
		dense(2000),
	}
	if !light {
		scenes = append(scenes,
			Scene{"65537-events", 96, 64, small(), scatter(small(), 65537, 96, 64, 96, 4)},
			Scene{"wide-row", 9000, 6, small(), scatter(small(), 500, 9000, 6, 9000, 5)})
	}
	return scenes
}

func dense(n int) Scene {
	return Scene{"dense", 128, 96, small(), scatter(small(), n, 128, 96, 60, 6)}
}

// at returns n equal white events of flux 1.
func at(f *psf.PSF, n int, x, y float64) []event.Event {
	_, support := f.Classify(1)
	events := make([]event.Event, n)
	for i := range events {
		events[i] = event.Event{X: x, Y: y, R: 1, G: 1, B: 1, Flux: 1, Support: support}
	}
	return events
}

func phases(f *psf.PSF) []event.Event {
	var events []event.Event
	for _, dx := range []float64{0, 0.25, 1.0 / 3, 0.5, 0.125, math.Nextafter(1, 0), 0.999999} {
		for _, dy := range []float64{0, 0.5, 1.0 / 3, math.Nextafter(0.125, 0)} {
			events = append(events, at(f, 1, 31+dx, 30+dy)...)
		}
	}
	return events
}

func corners(f *psf.PSF, w, h float64) []event.Event {
	var events []event.Event
	for _, x := range []float64{-0.5, 0, 0.3, w/2 + 0.1, w - 1, w - 0.5, -1e-20} {
		for _, y := range []float64{-0.5, 0, 0.7, h/2 - 0.1, h - 1, h - 0.5} {
			events = append(events, at(f, 1, x, y)...)
		}
	}
	return events
}

// outside places events around the frame, some of which reach it.
func outside(f *psf.PSF, w, h float64) []event.Event {
	var events []event.Event
	_, r := f.Classify(1)
	for _, d := range []float64{1, r / 2, r - 1e-9, r, r + 1e-9, r + 3} {
		events = append(events, at(f, 1, -d, h/2)...)
		events = append(events, at(f, 1, w-1+d, h/2)...)
		events = append(events, at(f, 1, w/2, -d)...)
		events = append(events, at(f, 1, w/2, h-1+d)...)
	}
	return events
}

// scatter places n events in a square of spread px around the frame's centre, with colours 0.5+u and flux 1+u.
func scatter(f *psf.PSF, n int, w, h, spread float64, seed uint64) []event.Event {
	r := rand.New(rand.NewPCG(seed, 12345))
	sx, sy := min(spread, w), min(spread, h)
	events := make([]event.Event, n)
	for i := range events {
		e := event.Event{
			X: (w-sx)/2 + r.Float64()*sx, Y: (h-sy)/2 + r.Float64()*sy,
			R: 0.5 + r.Float64(), G: 0.5 + r.Float64(), B: 0.5 + r.Float64(), Flux: 1 + r.Float64(),
		}
		_, e.Support = f.Classify(e.Flux)
		events[i] = e
	}
	return events
}

func hotspot(f *psf.PSF, n int, x, y float64) []event.Event {
	return scatter(f, n, 2*x, 2*y, 16, 7)
}

func onePixel(f *psf.PSF, n int) []event.Event {
	return scatter(f, n, 120, 100, 1, 8)
}

// refluxed gives every event the flux that of returns and the support that goes with it.
func refluxed(f *psf.PSF, events []event.Event, of func(i int, e *event.Event) float64) []event.Event {
	for i := range events {
		events[i].Flux = of(i, &events[i])
		_, events[i].Support = f.Classify(events[i].Flux)
	}
	return events
}

// mixed makes every tenth event direct.
func mixed(f *psf.PSF, n int, w, h float64) []event.Event {
	return refluxed(f, scatter(f, n, w, h, w, 9), func(i int, e *event.Event) float64 {
		if i%10 == 0 {
			return e.Flux * 3 * f.MaxCacheFlux
		}
		return e.Flux
	})
}

// decades spreads the flux over ten decades below the direct limit.
func decades(f *psf.PSF, n int, w, h float64) []event.Event {
	return refluxed(f, scatter(f, n, w, h, 40, 10), func(i int, e *event.Event) float64 {
		return e.Flux * math.Pow(10, float64(i%11)-8)
	})
}

func negative(f *psf.PSF, w, h float64) []event.Event {
	events := scatter(f, 100, w, h, 30, 11)
	for i := range events {
		events[i].B = -events[i].B
	}
	return events
}

// bright holds cached events whose quanta of 2^-44 exceed 63 bits beside faint ones.
func bright(f *psf.PSF, w, h float64) []event.Event {
	return refluxed(f, scatter(f, 60, w, h, 40, 12), func(i int, e *event.Event) float64 {
		return e.Flux * []float64{1, 1e7, 1e12}[i%3]
	})
}

// carries holds many events of about 2^57 quanta in one place, whose sums pass 2^63: few enough each for a 64-bit word.
func carries(f *psf.PSF, w, h float64) []event.Event {
	return refluxed(f, scatter(f, 300, w, h, 2, 13), func(i int, e *event.Event) float64 {
		return e.Flux * 5e4
	})
}

// rims holds the largest circles, far outside the frame, whose tips light its pixels by a hair or miss them by one.
func rims(w, h int) []event.Event {
	r := rand.New(rand.NewPCG(7, 7))
	events := make([]event.Event, 4000)
	for i := range events {
		e := event.Event{X: 2 + r.Float64()*float64(w-4), Y: 4 + 505*r.Float64(), R: 1, G: 2, B: 3, Flux: 1}
		dx, dy := math.Round(e.X)-e.X, float64(i%h)-e.Y
		e.Support = math.Sqrt(dx*dx + dy*dy)
		if i%2 == 0 {
			e.Support = math.Nextafter(e.Support, math.Inf(1))
		}
		events[i] = e
	}
	return events
}
