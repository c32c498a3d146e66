package cpu_test

import (
	"math"
	"testing"

	"grsplat/render/hdr"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
	"grsplat/render/sink/cpu/kern"
	"grsplat/render/sink/sinktest"
)

func newMesh(t testing.TB, cfg sink.Config, options ...cpu.Option) *cpu.Mesh {
	t.Helper()
	m, err := cpu.NewMesh(cfg, options...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checkMesh asserts spec section 7 for the mesh: 1e-14 of the peak, plus 2 I(support) times the summed |flux*colour| of the
// events whose rim lies within 2 px of the pixel.
func checkMesh(t *testing.T, s sinktest.Scene, got, want *hdr.Frame) {
	t.Helper()
	peak := 0.0
	for _, plane := range want.Plane {
		for _, v := range plane {
			peak = math.Max(peak, math.Abs(v))
		}
	}
	for y := range s.H {
		for x := range s.W {
			rim := 0.0
			for i := range s.Events {
				e := &s.Events[i]
				d := math.Hypot(float64(x)-e.X, float64(y)-e.Y)
				if math.Abs(d-e.Support) <= 2 && !s.PSF.IsDirect(e.Flux) {
					f := e.Colour()
					rim += s.PSF.Profile(e.Support*e.Support) * math.Max(math.Abs(f[0]), math.Max(math.Abs(f[1]), math.Abs(f[2])))
				}
			}
			limit := 1e-14*peak + 2*rim
			for c := range got.Plane {
				g, w := got.Plane[c][y*s.W+x], want.Plane[c][y*s.W+x]
				if !(math.Abs(g-w) <= limit) {
					t.Fatalf("pixel %d,%d colour %d: %g, want %g, off by %.3g, limit %.3g", x, y, c, g, w, g-w, limit)
				}
			}
		}
	}
}

// Every vector level of the mesh, with every block convolved, meets the mesh's bound.
func TestMeshConforms(t *testing.T) {
	for _, set := range kern.Available() {
		t.Run(set.Name, func(t *testing.T) {
			t.Parallel()
			sinktest.Run(t, sinktest.Harness{
				New: func(t *testing.T, cfg sink.Config) sink.Canvas {
					return newMesh(t, cfg, cpu.Level(set.Name), cpu.ConvolveAll)
				},
				Config:    sink.Config{Path: "mesh"},
				Check:     checkMesh,
				Uncounted: true,
				Light:     true,
			})
		})
	}
}
