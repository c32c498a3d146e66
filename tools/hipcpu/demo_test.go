//go:build hip

package hipcpu_test

import (
	"context"
	"path/filepath"
	"testing"

	"grsplat/render"
	"grsplat/render/encode"
	"grsplat/render/hdr"
	"grsplat/render/lens"
	"grsplat/render/sink"
	"grsplat/tools/hipcpu"
	"grsplat/tools/require"
)

// demos are the scenes of `./build.sh demo`, small and with short tails.
var demos = map[string]func(c *render.Config){
	"orion": func(*render.Config) {},
	"orion-hole": func(c *render.Config) {
		c.Spacetime.Name, c.Spacetime.Hole, c.Camera.Fov = lens.Schwarzschild, c.Camera.Look(), 75
	},
	"sky": func(c *render.Config) {
		c.Camera.Projection, c.Camera.W, c.Camera.H = lens.Zea, 96, 96
	},
}

// The demo scenes through the whole program on the stand-in: float64 sums within the tolerance of the sequential ones, exact
// ones of equal bits on the CPU, HIP and Vulkan.
func TestDemoScenes(t *testing.T) {
	library, err := hipcpu.Library(t.TempDir())
	require.Tool(t, "hipcpu", err)
	t.Setenv("GRSPLAT_HIP_LIBRARY", library)
	for name, scene := range demos {
		t.Run(name, func(t *testing.T) {
			want, got := mustDraw(t, scene, "cpu", sink.F64).frame, mustDraw(t, scene, "hip", sink.F64).frame
			d, err := hdr.Compare(got, want, 1e-12)
			if err != nil || !(d.MaxRel <= 1e-12) || !(d.FluxRelY < 1e-13) || want.Peak() == 0 {
				t.Errorf("float64 sums: %+v, %v", d, err)
			}
			exact := mustDraw(t, scene, "cpu", sink.Exact128).sums
			if got := mustDraw(t, scene, "hip", sink.Exact128).sums; got != exact || got == "" {
				t.Errorf("exact sums %s, on the CPU %s", got, exact)
			}
			vulkan, err := draw(t, scene, "vulkan", sink.Exact128)
			require.Tool(t, "vulkan", err)
			if vulkan.sums != exact {
				t.Errorf("exact sums on Vulkan %s, on the CPU %s", vulkan.sums, exact)
			}
		})
	}
}

type picture struct {
	frame *hdr.Frame
	sums  string // digest of exact ones
}

func mustDraw(t *testing.T, scene func(*render.Config), backend string, p sink.Precision) picture {
	t.Helper()
	pic, err := draw(t, scene, backend, p)
	if err != nil {
		t.Fatalf("%s: %v", backend, err)
	}
	return pic
}

func draw(t *testing.T, scene func(*render.Config), backend string, p sink.Precision) (picture, error) {
	c := render.Defaults()
	c.Camera.W, c.Camera.H, c.PSF.Tail = 128, 72, 1e-5
	c.Backend, c.Precision = backend, p
	c.HDROutput, c.HDRPrecision = filepath.Join(t.TempDir(), "out.fits"), "f64"
	switch backend {
	case "cpu":
		c.Path = "reference"
	case "vulkan":
		c.Device = "llvmpipe"
	}
	scene(&c)
	res, err := render.Run(context.Background(), c)
	if err != nil {
		return picture{}, err
	}
	image, err := encode.ReadFITS(c.HDROutput)
	if err != nil {
		return picture{}, err
	}
	return picture{image.Frame, res.SumsSHA256}, nil
}
