package mesh

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Between the nodes the bilinear mix of V is at least E, wherever the event and the pixel are.
func TestNodesCover(t *testing.T) {
	t.Parallel()
	for _, f := range []struct {
		rim     rim
		nodes   int
		average float64 // of V, in px times I(support) along the circle
	}{
		{fadingRim(defaultPSF(), support(defaultPSF())), 2, 0.54},
		{sharpRim(support(smallPSF())), 2, 1.5},
		{sharpRim(support(smallPSF())), 1, 2.5},
	} {
		psf := defaultPSF()
		if f.rim.sigma == 0 {
			psf = smallPSF()
		}
		v := newNodes(psf, &f.rim, psf.Phases, f.nodes)
		c := float64(f.nodes)
		grids := make([][]float64, f.nodes*f.nodes)
		sum := 0.0
		for k := range grids {
			grids[k] = v.grid(k%f.nodes, k/f.nodes, psf.R)
			for _, x := range grids[k] {
				sum += x
			}
		}
		end := psf.Profile(f.rim.support * f.rim.support)
		if got := sum / c / c / (end * 2 * math.Pi * f.rim.support); !(got <= f.average) {
			t.Errorf("sigma %g, %d nodes: the mean of V is %.3g px, want at most %.3g", f.rim.sigma, f.nodes, got, f.average)
		}
		r := rand.New(rand.NewPCG(5, 6))
		stride, tight := 2*psf.R+3, math.Inf(1)
		for range 300_000 {
			// an event in pixel 0, and a lit pixel near the event's circle
			x, y, angle := r.Float64(), r.Float64(), 2*math.Pi*r.Float64()
			d := f.rim.support + 2*(r.Float64()-0.5)
			i, j := int(math.Round(x+d*math.Cos(angle))), int(math.Round(y+d*math.Sin(angle)))
			if max(i, -i) > psf.R || max(j, -j) > psf.R {
				continue
			}
			mix, nx, ny := 0.0, int(x*c), int(y*c)
			for k := range 4 {
				u, w := nx+k%2, ny+k/2
				weight := (1 - math.Abs(x*c-float64(u))) * (1 - math.Abs(y*c-float64(w)))
				at := (j-w/f.nodes+psf.R+1)*stride + i - u/f.nodes + psf.R + 1
				mix += weight * grids[w%f.nodes*f.nodes+u%f.nodes][at]
			}
			dist := math.Hypot(float64(i)-x, float64(j)-y)
			e := f.rim.difference(psf, dist, dist, psf.Phases)
			if !(mix >= e) {
				t.Fatalf("event at %g,%g, pixel %d,%d: V mixes to %g, E is %g", x, y, i, j, mix, e)
			}
			tight = min(tight, (mix-e)/end)
		}
		if !(tight < 0.02) {
			t.Errorf("sigma %g: V is nowhere nearer than %.3g I(support) to E", f.rim.sigma, tight)
		}
	}
}

// Uniform light has blocks whose bound keeps clear of the default limit of 1e-9.
func TestUniformBound(t *testing.T) {
	t.Parallel()
	a := newArea(t, defaultPSF(), 440, 440, nil)
	a.image(t, scatter(defaultPSF(), 150_000, 20, 20, 400, 0, 8))
	if b := a.Stats().Bound; !(b > 1e-10 && b < 0.8e-9) {
		t.Errorf("bound %g", b)
	}
}
