package render

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"grsplat/render/encode"
	"grsplat/render/fail"
	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/sink"
	"grsplat/tools/require"
)

// small is a render of 96x64 pixels into a folder of the test's own.
func small(t testing.TB, edit func(*Config)) Config {
	t.Helper()
	c := Defaults()
	c.Camera.W, c.Camera.H = 96, 64
	c.Backend, c.Exposure, c.HDRPrecision = "cpu", 1, "f64"
	c.HDROutput = filepath.Join(t.TempDir(), "out.fits")
	edit(&c)
	return c
}

func mustRun(t testing.TB, c Config) (*Result, *hdr.Frame) {
	t.Helper()
	res, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if c.HDROutput == "" {
		return res, nil
	}
	image, err := encode.ReadFITS(c.HDROutput)
	if err != nil {
		t.Fatal(err)
	}
	return res, image.Frame
}

// write makes a CSV catalogue of lines under a header.
func write(t testing.TB, header string, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stars.csv")
	if err := os.WriteFile(path, []byte(header+"\n"+strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A star of magnitude 0 at exposure 1 in flat space has total luminance 1 - tail and lies where the camera puts it.
func TestFluxAndCentroid(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		sampling psf.Sampling
		tol      float64
	}{{psf.Centre, 4e-6}, {psf.Pixel, 1e-9}} {
		for range 10 {
			ra, dec := 84.05+r.Float64()*4-2, -1.2+r.Float64()*4-2
			cfg := small(t, func(cfg *Config) {
				cfg.Camera.W, cfg.Camera.H, cfg.PSF.Sampling = 128, 128, c.sampling
				cfg.Catalogs = []string{write(t, "ra,dec,vmag,teff", fmt.Sprintf("%.12f,%.12f,0,5772", ra, dec))}
			})
			res, frame := mustRun(t, cfg)
			optics, err := cfg.Camera.Optics()
			if err != nil {
				t.Fatal(err)
			}
			x, y, _ := optics.Project(direction(ra, dec))
			if got := hdr.Luminance(res.TotalFlux); !(math.Abs(got-(1-1e-8)) <= c.tol) {
				t.Errorf("%v: luminance %.12f", c.sampling, got)
			}
			if cx, cy := centroid(frame); !(math.Hypot(cx-x, cy-y) <= 1e-3) {
				t.Errorf("%v: centroid %.5f %.5f, want %.5f %.5f", c.sampling, cx, cy, x, y)
			}
		}
	}
}

func direction(ra, dec float64) [3]float64 {
	sa, ca := math.Sincos(ra * math.Pi / 180)
	sd, cd := math.Sincos(dec * math.Pi / 180)
	return [3]float64{cd * ca, cd * sa, sd}
}

func centroid(f *hdr.Frame) (x, y float64) {
	sum := 0.0
	for i, v := range f.Plane[1] {
		sum += v
		x += v * float64(i%f.W)
		y += v * float64(i/f.W)
	}
	return x / sum, y / sum
}

// Exact sums are the same bits for any number of threads, order of stars, chunk size and split into files.
func TestExactSumsAreInvariant(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	var lines []string
	for range 3000 {
		lines = append(lines, fmt.Sprintf("%.9f,%.9f,%.3f,%.3f", 84+r.NormFloat64()*20, r.NormFloat64()*15, 4+r.NormFloat64(), r.Float64()))
	}
	const header = "ra,dec,vmag,bv"
	whole := write(t, header, lines...)
	sum := func(edit func(*Config)) string {
		res, _ := mustRun(t, small(t, func(c *Config) {
			c.Precision, c.Catalogs, c.Exposure, c.PSF.Tail = sink.Exact128, []string{whole}, 1e3, 1e-4
			edit(c)
		}))
		return res.SumsSHA256
	}
	want := sum(func(c *Config) { c.Threads = 1 })
	shuffled := append([]string(nil), lines...)
	r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for name, edit := range map[string]func(*Config){
		"2 threads":   func(c *Config) { c.Threads = 2 },
		"7 threads":   func(c *Config) { c.Threads = 7 },
		"chunks of 1": func(c *Config) { c.ChunkEvents = 1 },
		"chunks 100":  func(c *Config) { c.ChunkEvents = 100 },
		"shuffled":    func(c *Config) { c.Catalogs = []string{write(t, header, shuffled...)} },
		"two files": func(c *Config) {
			c.Catalogs = []string{write(t, header, lines[:1100]...), write(t, header, lines[1100:]...)}
		},
		"reference": func(c *Config) { c.Path = "reference" },
	} {
		if got := sum(edit); got != want || got == "" {
			t.Errorf("%s: sums %s, want %s", name, got, want)
		}
	}
}

// Parallel float64 sums against the sequential ones, with every status of image.
func TestParallelAgainstSequential(t *testing.T) {
	t.Parallel()
	draw := func(path string) (*Result, *hdr.Frame) {
		return mustRun(t, small(t, func(c *Config) {
			c.Path, c.Exposure, c.PSF.MinY, c.PSF.MaxCacheFlux, c.PSF.CacheRadius = path, 1e3, 3, 100, 20
		}))
	}
	ref, want := draw("reference")
	par, got := draw("stamp")
	if ref.Images != par.Images || ref.Images.Total == 0 {
		t.Errorf("images %+v, sequential %+v", par.Images, ref.Images)
	}
	im := ref.Images
	if im.WingClipped == 0 || im.Direct == 0 || im.Discarded == 0 || im.Cached+im.WingClipped+im.Direct+im.Discarded != im.Total {
		t.Errorf("images do not add up or a status is missing: %+v", im)
	}
	d, err := hdr.Compare(got, want, 1e-12)
	if err != nil {
		t.Fatal(err)
	}
	if !(d.MaxRel <= 1e-12) || !(d.FluxRelY <= 1e-13) {
		t.Errorf("parallel sums off by %+v", d)
	}
}

// The report's arithmetic: rows are stars and skipped, images are their statuses, expected flux is what the pixels hold.
func TestReport(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "r.json")
	mustRun(t, small(t, func(c *Config) {
		c.Report = path
		c.Catalogs = []string{write(t, "ra,dec,vmag,bv", "84,-1,0,0.5", "84.2,-1.3,1,", "84,95,1,0", "84,1,99,0", "84,,3,0")}
	}))
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rep Result
	if err := json.Unmarshal(raw, &rep); err != nil {
		t.Fatal(err)
	}
	skipped := int64(0)
	for _, n := range rep.Catalogue.Skipped {
		skipped += n
	}
	if rep.Catalogue.Rows != 5 || rep.Catalogue.Stars != 2 || skipped != 3 || rep.Images.Total != 2 {
		t.Errorf("catalogue %+v images %+v", rep.Catalogue, rep.Images)
	}
	for c := range rep.TotalFlux {
		if got, want := rep.TotalFlux[c], rep.ExpectedFlux[c]; !(math.Abs(got-want) <= 1e-5*want) {
			t.Errorf("plane %d: total flux %g, expected %g", c, got, want)
		}
	}
	var names []string
	for _, s := range rep.Stages {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, " "); got != "map catalogue images accumulate resolve encode" {
		t.Errorf("stages %s", got)
	}
	if rep.MapSHA256 == "" || len(rep.Inputs) != 1 || len(rep.Inputs[0].SHA256) != 64 || rep.ChunkEvents != 16384 || rep.Threads < 1 {
		t.Errorf("report lacks something: %+v", rep)
	}
}

// The report says how a band other than V became V.
func TestReportSaysHowVWasDerived(t *testing.T) {
	t.Parallel()
	res, _ := mustRun(t, small(t, func(c *Config) { c.Catalogs = []string{write(t, "ra,dec,j_m,k_m", "84,-1,1,0.5")} }))
	want := "V from J by the black body of each star's temperature between J = 0 at 1594 Jy, 1.235 um"
	if v := res.Catalogue.V; len(v) != 1 || !strings.HasPrefix(v[0], want) {
		t.Errorf("derivation %q, want one of %q", v, want)
	}
	if res, _ := mustRun(t, small(t, func(*Config) {})); res.Catalogue.V != nil {
		t.Errorf("derivation of V: %q", res.Catalogue.V)
	}
}

// An interrupted render leaves no file, whole or partial.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{0, time.Millisecond, 20 * time.Millisecond} {
		c := small(t, func(c *Config) { c.Camera.W, c.Camera.H = 1500, 1000 })
		ctx, cancel := context.WithTimeoutCause(context.Background(), after, context.Canceled)
		_, err := Run(ctx, c)
		cancel()
		if err == nil {
			continue // it was fast enough
		}
		if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %v", after, err)
		}
		if left, _ := os.ReadDir(filepath.Dir(c.HDROutput)); len(left) != 0 {
			t.Errorf("after %v: left %v", after, left)
		}
	}
}

func TestFailuresLeaveNoFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit   func(*Config)
		status int
	}{
		"no catalogue":  {func(c *Config) { c.Catalogs = []string{"nowhere.csv"} }, fail.StatusInput},
		"no star":       {func(c *Config) { c.Catalogs = []string{write(t, "ra,dec,vmag", "1,2,99")} }, fail.StatusInput},
		"horizon":       {func(c *Config) { c.Spacetime.Name, c.Spacetime.Radius = "schwarzschild", 2 }, fail.StatusUsage},
		"cpu path":      {func(c *Config) { c.Path = "atomic" }, fail.StatusBackend},
		"no map":        {func(c *Config) { c.MapInput = "nowhere.grlens" }, fail.StatusInput},
		"band":          {func(c *Config) { c.Read.Band = "Q" }, fail.StatusUsage},
		"cpu device":    {func(c *Config) { c.Device = "0" }, fail.StatusUsage},
		"no PNG":        {func(c *Config) { c.Output = "out.jpg" }, fail.StatusUsage},
		"device number": {func(c *Config) { c.Backend, c.Device = "vulkan", "99" }, fail.StatusBackend},
	} {
		cfg := small(t, c.edit)
		_, err := Run(context.Background(), cfg)
		if got := fail.Status(err); got != c.status {
			t.Errorf("%s: status %d, want %d: %v", name, got, c.status, err)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one line: %q", name, err)
		}
		if left, _ := os.ReadDir(filepath.Dir(cfg.HDROutput)); len(left) != 0 {
			t.Errorf("%s: left %v", name, left)
		}
	}
}

// A map traced for a render that fails later is an output like the others: it is not left behind.
func TestFailureLeavesNoMap(t *testing.T) {
	t.Parallel()
	cfg := small(t, func(c *Config) {
		c.Catalogs = []string{write(t, "ra,dec,vmag", "1,2,99")}
		c.MapOutput = filepath.Join(filepath.Dir(c.HDROutput), "map.grlens")
	})
	if _, err := Run(context.Background(), cfg); fail.Status(err) != fail.StatusInput {
		t.Errorf("error %v", err)
	}
	if left, _ := os.ReadDir(filepath.Dir(cfg.HDROutput)); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

// 500 stars are where python3-astropy's reading of the FITS header puts their catalogue positions, within 0.01 px.
func TestAstrometryJudgedByAstropy(t *testing.T) {
	t.Parallel()
	require.Tool(t, "astropy", exec.Command("/usr/bin/python3", "-c", "import astropy").Run())
	r := rand.New(rand.NewPCG(3, 3))
	for _, roll := range []float64{0, 33} {
		cfg := small(t, func(c *Config) {
			c.Camera.W, c.Camera.H, c.Camera.Roll, c.PSF.Tail = 2000, 1500, roll, 1e-6
		})
		optics, err := cfg.Camera.Optics()
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for i := 0; i < 500; i++ { // one star in each cell of a 25x20 grid, so that their light stays apart
			x, y := 40+float64(i%25)*80+r.Float64()*30-15, 37+float64(i/25)*75+r.Float64()*30-15
			dir, _ := optics.Ray(x, y)
			lines = append(lines, fmt.Sprintf("%.12f,%.12f,0", math.Atan2(dir[1], dir[0])*180/math.Pi, math.Atan2(dir[2], math.Hypot(dir[0], dir[1]))*180/math.Pi))
		}
		cfg.Catalogs = []string{write(t, "ra,dec,vmag", lines...)}
		mustRun(t, cfg)
		out, err := exec.Command("/usr/bin/python3", "testdata/astrometry.py", cfg.HDROutput, cfg.Catalogs[0]).CombinedOutput()
		if err != nil {
			t.Fatalf("roll %g: %v\n%s", roll, err, out)
		}
		var worst float64
		var n int
		if _, err := fmt.Sscan(string(out), &n, &worst); err != nil || n != 500 || !(worst <= 0.01) {
			t.Errorf("roll %g: astropy found %s", roll, out)
		}
	}
}
