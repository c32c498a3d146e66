package encode

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"grsplat/render/hdr"
	"grsplat/tools/require"
)

// astropy runs testdata/judge.py with Debian's Python, the one that python3-astropy installs for.
func astropy(t *testing.T, args ...string) []byte {
	t.Helper()
	const python = "/usr/bin/python3"
	require.Tool(t, "astropy", exec.Command(python, "-c", "import astropy").Run())
	cmd := exec.Command(python, append([]string{"-W", "error", "testdata/judge.py"}, args...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("astropy: %v\n%s", err, stderr.String())
	}
	return out
}

// fitsverify demands 0 warnings and 0 errors.
func fitsverify(t *testing.T, path string) {
	t.Helper()
	_, err := exec.LookPath("fitsverify")
	require.Tool(t, "fitsverify", err)
	out, err := exec.Command("fitsverify", path).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "found 0 warning(s) and 0 error(s)") {
		t.Fatalf("fitsverify: %v\n%s", err, out)
	}
}

func testHeader() Header {
	return Header{
		Creator: "grsplat test",
		Date:    time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Unit:    "adu",
		History: []string{"size = 4x3", "catalog = /home/müller/étoiles 'v2'.csv", "long = " + strings.Repeat("words and ", 20)},
	}
}

// corners is a frame whose every value is different and exact in float32; the corners tell flips apart.
func corners(w, h int) *hdr.Frame {
	f := hdr.NewFrame(w, h)
	for c, plane := range f.Plane {
		for i := range plane {
			plane[i] = float64(c*w*h+i)/16 - 1
		}
	}
	return f
}

// save writes through fn to a new file.
func save(t *testing.T, fn func(*os.File) error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.fits")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := fn(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

type astropyImage struct {
	HDUs                int
	Type                string
	Shape               []int
	Data                []float64
	History             []string
	Creator, Date, Unit string
}

func TestOutsideJudges(t *testing.T) {
	t.Parallel()
	const w, h = 4, 3
	f := corners(w, h)
	for bitpix, kind := range map[int]string{-32: ">f4", -64: ">f8"} {
		path := save(t, func(o *os.File) error { return WriteFITS(o, f, bitpix, testHeader()) })
		fitsverify(t, path)
		var got astropyImage
		if err := json.Unmarshal(astropy(t, "read", path), &got); err != nil {
			t.Fatal(err)
		}
		if got.HDUs != 1 || got.Type != kind || fmt.Sprint(got.Shape) != "[3 3 4]" {
			t.Errorf("astropy sees %d HDUs, %s, %v", got.HDUs, got.Type, got.Shape)
		}
		if got.Creator != "grsplat test" || got.Date != "2026-01-02T03:04:05" || got.Unit != "adu" {
			t.Errorf("astropy reads %+v", got)
		}
		if len(got.History) != 5 || got.History[1] != `catalog = /home/m\u00fcller/\u00e9toiles 'v2'.csv` {
			t.Errorf("history %q", got.History)
		}
		for i, v := range got.Data {
			c, row, x := i/(w*h), i/w%h, i%w
			if want := f.Plane[c][(h-1-row)*w+x]; v != want {
				t.Fatalf("value %d is %g, want %g", i, v, want)
			}
		}
	}
}

func TestSumsJudged(t *testing.T) {
	t.Parallel()
	s := hdr.NewSums(2, 2, 44)
	s.Add(0, 0, -1, math.MaxUint64)
	s.Add(2, 3, 7, 1<<63)
	path := save(t, func(o *os.File) error { return WriteSums(o, s, testHeader()) })
	fitsverify(t, path)
	var got astropyImage
	if err := json.Unmarshal(astropy(t, "read", path), &got); err != nil {
		t.Fatal(err)
	}
	if got.Type != ">i8" || fmt.Sprint(got.Shape) != "[2 3 2 2]" || got.Data[2] != -1 || got.Data[12+2] != -1 ||
		got.Data[8+1] != 7 || got.Data[12+8+1] != math.MinInt64 {
		t.Errorf("astropy reads %+v", got)
	}
}

func TestReadsAstropysFiles(t *testing.T) {
	t.Parallel()
	for _, bitpix := range []int{-32, -64} {
		path := filepath.Join(t.TempDir(), "a.fits")
		astropy(t, "write", path, strconv.Itoa(bitpix))
		m, err := ReadFITS(path)
		if err != nil {
			t.Fatal(err)
		}
		if m.Frame == nil || m.Frame.W != 4 || m.Frame.H != 5 {
			t.Fatalf("read %+v", m)
		}
		for i, v := range m.Frame.Plane[1] {
			if want := float64(20+(4-i/4)*4+i%4) / 8; v != want {
				t.Errorf("pixel %d is %g, want %g", i, v, want)
			}
		}
	}
}

// A pinhole camera's own formula and astropy's reading of the header agree on where stars are, for any roll.
func TestWCSAgainstAstropy(t *testing.T) {
	t.Parallel()
	const w, h, focal = 640, 480, 700.0
	for _, look := range [][3]float64{{83.8, -1.2, 0}, {359.5, 40, 30}, {10, -89.5, -135}} {
		radian := math.Pi / 180
		wcs, err := NewWCS("tan", w, h, 1/focal/radian, look[0], look[1], look[2])
		if err != nil {
			t.Fatal(err)
		}
		head := testHeader()
		head.WCS = wcs
		path := save(t, func(o *os.File) error { return WriteFITS(o, hdr.NewFrame(w, h), -32, head) })
		fitsverify(t, path)
		args := []string{"sky", path}
		var want [][2]float64
		for k := range 40 {
			ra, dec := look[0]+float64(k%8-4)*3/math.Cos(look[1]*radian), look[1]+float64(k/8-2)*3
			if dec < -90 || dec > 90 {
				continue
			}
			args = append(args, fmt.Sprint(ra), fmt.Sprint(dec))
			x, y := pinhole(ra*radian, dec*radian, look[0]*radian, look[1]*radian, look[2]*radian)
			// Pixels: x right, y down; FITS counts from 1 and from the bottom.
			px, py := float64(w-1)/2+focal*x, float64(h-1)/2-focal*y
			want = append(want, [2]float64{px + 1, float64(h) - py})
		}
		var got struct {
			Pixels [][2]float64
			Frame  string
		}
		if err := json.Unmarshal(astropy(t, args...), &got); err != nil {
			t.Fatal(err)
		}
		if got.Frame != "ICRS" || len(got.Pixels) != len(want) {
			t.Fatalf("frame %s, %d pixels", got.Frame, len(got.Pixels))
		}
		for i := range want {
			if d := math.Hypot(got.Pixels[i][0]-want[i][0], got.Pixels[i][1]-want[i][1]); !(d < 1e-6) {
				t.Errorf("look %v: star %d is at %v, want %v", look, i, got.Pixels[i], want[i])
			}
		}
	}
}

// pinhole projects a direction: x right (west), y up (north), turned counter-clockwise by the roll.
func pinhole(ra, dec, ra0, dec0, roll float64) (x, y float64) {
	forward := math.Sin(dec0)*math.Sin(dec) + math.Cos(dec0)*math.Cos(dec)*math.Cos(ra-ra0)
	east := math.Cos(dec) * math.Sin(ra-ra0) / forward
	north := (math.Cos(dec0)*math.Sin(dec) - math.Sin(dec0)*math.Cos(dec)*math.Cos(ra-ra0)) / forward
	sin, cos := math.Sincos(roll)
	return -cos*east - sin*north, -sin*east + cos*north
}

func TestFullSkyWCSAgainstAstropy(t *testing.T) {
	t.Parallel()
	for projection, dec := range map[string]float64{"CAR": 0, "ZEA": 35} {
		const w, h = 360, 180
		wcs, err := NewWCS(projection, w, h, 1, 266, dec, 0)
		if err != nil {
			t.Fatal(err)
		}
		head := testHeader()
		head.WCS = wcs
		path := save(t, func(o *os.File) error { return WriteFITS(o, hdr.NewFrame(w, h), -32, head) })
		fitsverify(t, path)
		var got struct{ Pixels [][2]float64 }
		// The centre, 10 degrees east, 10 degrees north.
		out := astropy(t, "sky", path, "266", fmt.Sprint(dec), "276", fmt.Sprint(dec), "266", fmt.Sprint(dec+10))
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		reach := 10.0
		if projection == "ZEA" {
			reach = 2 * math.Sin(5*math.Pi/180) * 180 / math.Pi
		}
		centre, east, north := got.Pixels[0], got.Pixels[1], got.Pixels[2]
		if centre != [2]float64{180.5, 90.5} {
			t.Errorf("%s: centre at %v", projection, centre)
		}
		if !(math.Abs(north[0]-180.5) < 1e-9 && math.Abs(north[1]-90.5-reach) < 1e-9) || !(east[0] < 180.5-7) {
			t.Errorf("%s: east at %v, north at %v", projection, east, north)
		}
	}
}
