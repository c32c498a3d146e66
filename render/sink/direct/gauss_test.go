package direct

import (
	"math"
	"testing"

	"grsplat/render/psf"
)

// The rules with fewer points agree with psf's integral to 1e-13 at every distance, whichever pixels share one.
func TestGaussIsTheIntegral(t *testing.T) {
	t.Parallel()
	worst := 0.0
	for _, in := range []struct{ fwhm, beta float64 }{{2.7, 4.5}, {1, 4.5}, {0.4, 2.5}, {0.8, 1.2}, {3, steepest}, {20, 6}} {
		f := newPSF(t, in.fwhm, in.beta, psf.Pixel)
		g := newGauss(f, newRadial(f), newLegendre(f.Beta))
		for _, dy := range []float64{0, 0.3, -1.5, 7.8, -61.2, 1900} {
			var out [37]float64
			for dx := -2000.0; dx < 20; dx = dx*0.9 + 2.3 {
				g.row(out[:], dx, dy)
				for i, got := range out {
					want := f.At(dx+float64(i), dy)
					if d := math.Abs(got/want - 1); !(d <= 1e-13) {
						t.Fatalf("%+v, (%v, %v): got %v, want %v, off by %.2g", in, dx+float64(i), dy, got, want, d)
					} else {
						worst = max(worst, d)
					}
				}
			}
		}
	}
	t.Logf("largest difference %.2g", worst)
}
