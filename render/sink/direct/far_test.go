package direct

import (
	"fmt"
	"math"
	"testing"

	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/sink"
)

// The far field gives the plain sum at every pixel, by any number of threads, and counts the same pixels: with the star inside
// and outside the frame, circles that end in it, and blocks that the frame's edges cut.
func TestFarFieldIsThePlainSum(t *testing.T) {
	t.Parallel()
	for _, fwhm := range []float64{1, 2.7, 20} {
		for _, beta := range []float64{2.5, 4.5} {
			for _, s := range []psf.Sampling{psf.Centre, psf.Pixel} {
				if s == psf.Pixel && fwhm == 2.7 {
					continue // nothing that 1 and 20 do not show
				}
				t.Run(fmt.Sprintf("%v/%v/%v", fwhm, beta, s), func(t *testing.T) {
					t.Parallel()
					f := newPSF(t, fwhm, beta, s)
					for _, at := range [][3]float64{{30.3, 40.7, 310}, {256, 255.5, 480.2}, {-90.4, 120, 400}, {300, 700.9, 2000}, {555.5, -1e4, 2e4}} { // in, at a tile's edge, out, far out
						checkFar(t, f, at[0], at[1], at[2])
					}
				})
			}
		}
	}
}

// checkFar adds farLeast events at one place, so that nothing hides their error.
func checkFar(t *testing.T, f *psf.PSF, x, y, support float64) {
	t.Helper()
	const w, h = 561, 330
	e := eventAt(x, y, support)
	d := psf.NewDisc(x, y, support, w, h)
	var frames [2]*hdr.Frame
	for i := range frames {
		a := New(sink.Config{W: w, H: h, PSF: f, Threads: 1 + 2*i})
		for range farLeast {
			add(t, a, &e)
		}
		frames[i] = hdr.NewFrame(w, h)
		flush(t, a)
		a.AddTo(frames[i])
		if a.far == nil {
			t.Fatal("the far field was not used")
		}
		if n := farLeast * d.Pixels(); a.Contributions() != n {
			t.Errorf("(%v, %v) %v px: counted %d pixels of %d", x, y, support, a.Contributions(), n)
		}
	}
	if diff, err := hdr.Compare(frames[1], frames[0], 0); err != nil || !diff.Identical {
		t.Errorf("three threads differ from one: %+v %v", diff, err)
	}
	worst := 0.0
	for j := range h {
		x0, x1 := 0, -1
		if d.Y0 <= j && j <= d.Y1 {
			x0, x1 = d.Row(j)
		}
		for i := j % stride; i < w; i += stride {
			got, want := frames[0].Plane[0][j*w+i], 0.0
			if x0 <= i && i <= x1 {
				want = farLeast * e.Flux * f.At(float64(i)-x, float64(j)-y)
			}
			if got != want {
				worst = max(worst, math.Abs(got-want)/want)
			}
		}
	}
	if t.Logf("(%v, %v) %v px: %.2g", x, y, support, worst); !(worst <= 5e-13) {
		t.Errorf("(%v, %v) %v px: off by %.2g", x, y, support, worst)
	}
}

// stride thins the pixels compared; rows begin at different columns.
const stride = 13

// The profile by radial tables is the profile, for all steepness that has them.
func TestRadialIsTheProfile(t *testing.T) {
	t.Parallel()
	for _, beta := range []float64{1.05, 2.5, 4.5, steepest} {
		f := newPSF(t, 2.7, beta, psf.Centre)
		r := newRadial(f)
		for x := 0.0; x < 1e6; x = x*1.01 + 0.1 {
			var w [3]float64
			r.row(w[:], x, -0.3)
			if want := f.At(x+2, -0.3); !(math.Abs(w[2]-want) <= 3e-14*want) {
				t.Fatalf("beta %v, r %v: got %v, want %v", beta, x+2, w[2], want)
			}
		}
	}
}

// BenchmarkFar adds 10,000 events of radius 2,000 px to a 4K frame.
func BenchmarkFar(b *testing.B) {
	for _, s := range []psf.Sampling{psf.Centre, psf.Pixel} {
		b.Run(fmt.Sprint(s), func(b *testing.B) {
			f := newPSF(b, 2.7, 4.5, s)
			for b.Loop() {
				a := New(sink.Config{W: 3840, H: 2160, PSF: f})
				for i := range 10000 {
					e := eventAt(float64(i*997%3840), float64(i*613%2160), 2000)
					add(b, a, &e)
				}
				flush(b, a)
			}
		})
	}
}
