package sinktest

import (
	"math"
	"slices"
	"testing"

	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/psf"
)

// A MeshShape is a scene whose mesh has transforms of Length points and a filter of Ratio P/Q.
type MeshShape struct {
	Scene
	Length, Ratio int
	Long          bool // takes a stand-in too long for every day
}

// MeshShapes returns transforms of every length but that of the other scenes, and filters of several ratios and none.
func MeshShapes() (shapes []MeshShape) {
	for _, shape := range []struct {
		phases, radius, length, ratio int
		steep, long                   bool
	}{
		{17, 2, 32, 1, false, false}, {16, 4, 64, 1, false, true}, {4, 9, 128, 1, false, false}, {2, 60, 512, 1, false, true}, {1, 120, 1024, 1, false, true},
		{15, 0, 128, 3, true, true}, {16, 0, 128, 4, true, true},
	} {
		f := PSF(func(p *psf.Params) {
			p.Phases, p.CacheRadius = shape.phases, shape.radius
			if shape.steep {
				p.Beta, p.Tail = 10, 2e-10
			}
		})
		s := Scene{Name: "shape", W: 45, H: 37, PSF: f}
		_, support := f.Classify(1)
		support = min(support, float64(f.R))
		for i := range 60 {
			k := float64(i)
			s.Events = append(s.Events, event.Event{X: math.Mod(k*17.31, 50) - 3, Y: math.Mod(k*11.77, 40) - 2, R: 1, G: 0.2 + k/60, B: 0.5, Flux: 1 + k/9, Support: support})
		}
		shapes = append(shapes, MeshShape{s, shape.length, shape.ratio, shape.long})
	}
	return shapes
}

// RingAndStar holds 200 events on a ring, whose rims meet in one pixel of their block, and one event in a block of its own: the bounds of
// the two blocks lie on either side of 1e-4.
func RingAndStar() Scene {
	s := Scene{Name: "ring and star", W: 400, H: 60, PSF: small()}
	_, r := s.PSF.Classify(1)
	for i := range 200 {
		sin, cos := math.Sincos(float64(i) / 200 * 2 * math.Pi)
		s.Events = append(s.Events, event.Event{X: 30 + r*cos, Y: 30 + r*sin, R: 1, G: 1, B: 1, Flux: 1, Support: r})
	}
	far := s.Events[0]
	far.X = 350
	s.Events = append(s.Events, far)
	return s
}

// FaintAndBright holds 100 faint events and, behind them, three that outshine their mean more than a thousand times.
func FaintAndBright() (both, faint Scene) {
	both = Scene{Name: "faint and bright", W: 60, H: 50, PSF: small()}
	_, support := both.PSF.Classify(1)
	for i := range 103 {
		k := float64(i)
		both.Events = append(both.Events, event.Event{X: 20 + math.Mod(k*3.7, 20), Y: 10 + math.Mod(k*2.3, 20), R: 1, G: 0.5, B: 0.2, Flux: 1e-3, Support: support})
	}
	for i := range both.Events[100:] {
		both.Events[100+i].Flux = 5
	}
	faint = both
	faint.Events = both.Events[:100]
	return both, faint
}

// CheckBrightApart asserts, from a mesh's images of FaintAndBright and the reference's, that the bright stamps have the error of tiles, far
// below what the mesh may err by at their rims.
func CheckBrightApart(t *testing.T, got, want, gotFaint, wantFaint *hdr.Frame) {
	t.Helper()
	peak := slices.Max(want.Plane[0])
	for at, w := range want.Plane[0] {
		off, own := math.Abs(got.Plane[0][at]-w), math.Abs(gotFaint.Plane[0][at]-wantFaint.Plane[0][at])
		if !(off <= own+1e-14*peak) {
			t.Fatalf("pixel %d: off by %.3g, the faint events alone by %.3g", at, off, own)
		}
	}
}
