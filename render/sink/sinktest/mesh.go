package sinktest

import (
	"math"
	"testing"

	"grsplat/render/hdr"
	"grsplat/render/psf"
)

// CheckMesh asserts spec section 7 for the mesh: 1e-14 of the peak, plus 2 I(support) times the summed |flux*colour| of the
// events whose rim lies within 2 px of the pixel.
func CheckMesh(t *testing.T, s Scene, got, want *hdr.Frame) {
	t.Helper()
	peak := 0.0
	for _, plane := range want.Plane {
		for _, v := range plane {
			peak = math.Max(peak, math.Abs(v))
		}
	}
	limit := make([]float64, s.W*s.H)
	for i := range limit {
		limit[i] = 1e-14 * peak
	}
	for i := range s.Events {
		e := &s.Events[i]
		if s.PSF.IsDirect(e.Flux) {
			continue
		}
		f := e.Colour()
		rim := 2 * s.PSF.Profile(e.Support*e.Support) * max(math.Abs(f[0]), math.Abs(f[1]), math.Abs(f[2]))
		eachNear(s, e.X, e.Y, e.Support, func(at int) { limit[at] += rim })
	}
	for c := range got.Plane {
		for at, w := range want.Plane[c] {
			if g := got.Plane[c][at]; !(math.Abs(g-w) <= limit[at]) {
				t.Fatalf("pixel %d,%d colour %d: %g, want %g, off by %.3g, limit %.3g", at%s.W, at/s.W, c, g, w, g-w, limit[at])
			}
		}
	}
}

// eachNear calls visit with the pixels within 2 px of a circle.
func eachNear(s Scene, x, y, support float64, visit func(at int)) {
	outer, inner := psf.NewDisc(x, y, support+2, s.W, s.H), psf.NewDisc(x, y, max(support-2, 0), s.W, s.H)
	for j := outer.Y0; j <= outer.Y1; j++ {
		x0, x1 := outer.Row(j)
		skip0, skip1 := inner.Row(j)
		for i := x0; i <= x1; i++ {
			if i < skip0 || i > skip1 {
				visit(j*s.W + i)
			}
		}
	}
}
