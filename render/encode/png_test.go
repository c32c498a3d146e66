package encode

import (
	"bytes"
	"encoding/json"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"grsplat/render/hdr"
)

func decodePNG(t *testing.T, f *hdr.Frame, depth int) func(x, y int) [3]uint32 {
	t.Helper()
	var b bytes.Buffer
	if err := WritePNG(&b, f, depth, DefaultStretch()); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]color.Model{8: color.RGBAModel, 16: color.RGBA64Model}[depth]
	if img.ColorModel() != want {
		t.Errorf("depth %d is written with another colour model", depth)
	}
	if img.Bounds().Dx() != f.W || img.Bounds().Dy() != f.H {
		t.Fatalf("bounds %v", img.Bounds())
	}
	return func(x, y int) [3]uint32 {
		r, g, b, _ := img.At(x, y).RGBA()
		return [3]uint32{r, g, b}
	}
}

func TestPNGRowsTopDown(t *testing.T) {
	t.Parallel()
	const w, h = 5, 3
	f := hdr.NewFrame(w, h)
	set := func(x, y int, rgb [3]float64) {
		for c := range 3 {
			f.Plane[c][y*w+x] = rgb[c]
		}
	}
	set(0, 0, [3]float64{0.2, 0, 0})
	set(w-1, 0, [3]float64{0, 0.2, 0})
	set(0, h-1, [3]float64{0, 0, 0.2})
	set(w-1, h-1, [3]float64{1, 1, 1})
	for _, depth := range []int{8, 16} {
		at := decodePNG(t, f, depth)
		for _, corner := range []struct{ x, y, c int }{{0, 0, 0}, {w - 1, 0, 1}, {0, h - 1, 2}} {
			got := at(corner.x, corner.y)
			for c, v := range got {
				if (v == slices.Max(got[:])) != (c == corner.c) {
					t.Errorf("depth %d: corner %+v is %v", depth, corner, got)
				}
			}
		}
		if got := at(w-1, h-1); got != [3]uint32{0xffff, 0xffff, 0xffff} {
			t.Errorf("depth %d: white is %v", depth, got)
		}
		if got := at(2, 1); got != [3]uint32{} {
			t.Errorf("depth %d: black is %v", depth, got)
		}
	}
}

func TestPNGRefusals(t *testing.T) {
	t.Parallel()
	f := hdr.NewFrame(4, 4)
	if err := WritePNG(&bytes.Buffer{}, f, 12, DefaultStretch()); err == nil {
		t.Error("12 bits are accepted")
	}
	if err := WritePNG(&bytes.Buffer{}, f, 8, Stretch{}); err == nil {
		t.Error("an empty stretch is accepted")
	}
	f.Plane[2][6] = math.NaN()
	if err := WritePNG(&bytes.Buffer{}, f, 8, DefaultStretch()); err == nil || !strings.Contains(err.Error(), "pixel (2,1) of plane B is NaN") {
		t.Errorf("error %v", err)
	}
}

// With saturation 1 a colour inside the display's range keeps the ratios of its components (Lupton et al. 2004), and the
// luminance follows asinh.
func TestStretchKeepsHue(t *testing.T) {
	t.Parallel()
	s := Stretch{Q: 50, White: 2, Saturation: 1}
	m := newMapper(s)
	for _, scale := range []float64{1e-6, 1e-3, 0.1, 0.5} {
		in := [3]float64{1.2 * scale, scale, 0.7 * scale}
		out := m.display(in)
		y := hdr.Luminance(in)
		want := math.Asinh(50*y/2) / math.Asinh(50)
		if !(math.Abs(hdr.Luminance(out)/want-1) < 1e-9) {
			t.Errorf("luminance %g of %g, want %g", hdr.Luminance(out), y, want)
		}
		for c := range 3 {
			if !(math.Abs(out[c]/in[c]*y/want-1) < 1e-9) {
				t.Errorf("scale %g: %v becomes %v", scale, in, out)
			}
		}
	}
}

// Any finite pixel becomes a displayable one; brighter light of the same colour is never shown darker, and the order of the
// components never changes.
func TestStretchRange(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		m := newMapper(Stretch{Q: math.Exp(8*r.Float64() - 2), White: 1, Saturation: 3 * r.Float64()})
		var in [3]float64
		for c := range in {
			in[c] = r.NormFloat64() * math.Exp(20*r.NormFloat64())
		}
		out, last := m.display(in), 0.0
		for c, v := range out {
			if !(v >= 0 && v <= 1) {
				t.Fatalf("%v becomes %v", in, out)
			}
			d := (c + 1) % 3
			if in[c] > in[d] && v < out[d]-1e-12 {
				t.Fatalf("order of components changes: %v becomes %v", in, out)
			}
		}
		for k := range 40 {
			g := math.Exp(float64(k)/2 - 12)
			y := hdr.Luminance(m.display([3]float64{g, 0.6 * g, 0.4 * g}))
			if y < last-1e-12 {
				t.Fatalf("light %g is shown darker (%g) than fainter light (%g)", g, y, last)
			}
			last = y
		}
	}
	m := newMapper(DefaultStretch())
	for _, in := range [][3]float64{{math.MaxFloat64, 0, 0}, {-1, -1, -1}, {1e308, 1e308, 1e308}, {5e-324, 0, 0}, {4.6, 0.04, -0.09}} {
		for _, v := range m.display(in) {
			if !(v >= 0 && v <= 1) {
				t.Errorf("%v becomes %v", in, m.display(in))
			}
		}
	}
}

// Values of IEC 61966-2-1 to its own precision.
func TestTransfer(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]float64{0: 0, 0.0031308: 0.04045, 0.2140411: 0.5, 1: 1} {
		if got := transfer(v); !(math.Abs(got-want) < 1e-5) {
			t.Errorf("transfer(%g) = %g, want %g", v, got, want)
		}
	}
}

func TestParseStretch(t *testing.T) {
	t.Parallel()
	s, err := ParseStretch("q=20, white=0.5,saturation=2,black=-1e-3")
	if err != nil || s != (Stretch{Q: 20, Black: -1e-3, White: 0.5, Saturation: 2}) {
		t.Errorf("%+v, %v", s, err)
	}
	if again, err := ParseStretch(s.String()); err != nil || again != s {
		t.Errorf("%q reads as %+v, %v", s.String(), again, err)
	}
	if s, err := ParseStretch(" "); err != nil || s != DefaultStretch() {
		t.Errorf("empty: %+v, %v", s, err)
	}
	for _, bad := range []string{"q", "q=", "q=x", "gamma=2", "q=0", "q=-1", "q=NaN", "white=0", "white=inf", "black=2", "saturation=-1", "saturation=11", "q=1,,"} {
		if _, err := ParseStretch(bad); err == nil || !strings.HasPrefix(err.Error(), "encode: stretch: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParseStretch(f *testing.F) {
	f.Add("q=20,white=0.5")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseStretch(text)
		if err != nil {
			return
		}
		if again, err := ParseStretch(s.String()); err != nil || again != s {
			t.Errorf("%q reads as %+v, %v", s.String(), again, err)
		}
	})
}

func TestReport(t *testing.T) {
	t.Parallel()
	loss := 1e-9
	r := Report{Version: "v1", ExactLoss: &loss, Catalogue: CatalogueReport{Rows: 3, Skipped: map[string]int64{"magnitude": 1}}}
	var b bytes.Buffer
	if err := WriteReport(&b, &r); err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || !reflect.DeepEqual(back, r) {
		t.Errorf("%+v, %v", back, err)
	}
	for _, key := range []string{"catalogue", "images", "map", "accumulation", "stages", "total_flux_rgb", "expected_flux_rgb", "parameters",
		"threads", "chunk_events", "host", "device", "inputs", "version", "commit", "wing_clipped", "contributions_per_s", "clamped"} {
		if !strings.Contains(b.String(), `"`+key+`":`) {
			t.Errorf("no key %s", key)
		}
	}
	r.TotalFlux[1] = math.NaN()
	if err := WriteReport(&b, &r); err == nil || !strings.HasPrefix(err.Error(), "encode: report: ") {
		t.Errorf("NaN: %v", err)
	}
}

func BenchmarkPNG(b *testing.B) {
	f := hdr.NewFrame(1280, 720)
	for c := range 3 {
		for i := range f.Plane[c] {
			f.Plane[c][i] = math.Exp(-float64(i%97) / 5)
		}
	}
	for b.Loop() {
		if err := WritePNG(&bytes.Buffer{}, f, 8, DefaultStretch()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFITS(b *testing.B) {
	f := corners(1280, 720)
	for b.Loop() {
		if err := WriteFITS(&bytes.Buffer{}, f, -32, testHeader()); err != nil {
			b.Fatal(err)
		}
	}
}
