package replay

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/psf"
	"grsplat/render/sink"
	"grsplat/render/sink/capture"
	"grsplat/render/sink/cpu"
)

// A capture whose events no render makes, its hash right all the same, is bad input and not a crash.
func TestLoadRefusesEvents(t *testing.T) {
	t.Parallel()
	good := event.Event{X: 5, Y: 5, R: 1, G: 1, B: 1, Flux: 1, Support: 3}
	for name, edit := range map[string]func(*event.Event){
		"good": func(*event.Event) {}, "nan": func(e *event.Event) { e.X = math.NaN() }, "off": func(e *event.Event) { e.Y = 1e300 },
		"wide": func(e *event.Event) { e.Support = 7 }, "flux": func(e *event.Event) { e.Flux = math.Inf(1) }, "colour": func(e *event.Event) { e.G = math.NaN() },
		"bright": func(e *event.Event) { e.Flux = 1e30 },
	} {
		e := good
		edit(&e)
		path := filepath.Join(t.TempDir(), "x.events")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w, err := event.NewWriter(f)
		if err == nil {
			err = w.Write([]event.Event{e})
		}
		p := psf.Defaults()
		p.CacheRadius = 6
		if err == nil {
			_, err = w.Finish(event.Manifest{Width: 10, Height: 10, PSF: capture.Describe(p)})
		}
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		r, err := Load(path)
		if accepted := name == "good" || name == "bright"; (err == nil) != accepted || err != nil && fail.Status(err) != fail.StatusInput {
			t.Errorf("%s: %v", name, err)
		}
		if name == "bright" && fail.Status(r.checkExact(44)) != fail.StatusInput {
			t.Error("exact sums take a flux of 1e30")
		}
	}
}

func generated(t *testing.T) string {
	t.Helper()
	p := psf.Defaults()
	p.CacheRadius = 6
	path := filepath.Join(t.TempDir(), "x.events")
	m, err := Generate(t.Context(), Synthetic{Events: 300, Spread: 40, FluxDecades: 3, Seed: DefaultSeed, W: 60, H: 50}, p, path, false, "test")
	if err != nil || m.Events != 300 {
		t.Fatal(m, err)
	}
	return path
}

// A file replays on the reference without error, on the stamp within tolerance, exactly to the bit, and says what it was.
func TestRun(t *testing.T) {
	t.Parallel()
	r, err := Load(generated(t))
	if err != nil {
		t.Fatal(err)
	}
	var digest string
	for _, c := range []sink.Config{{Path: "reference"}, {Path: "stamp"}, {Path: "reference", Precision: sink.Exact128}, {Path: "stamp", Precision: sink.Exact128}} {
		c.Threads, c.QuantumBits = 2, 44
		res, err := Run(context.Background(), r, Options{Open: cpu.New, Config: c, Repeat: 3, Check: true})
		if err != nil {
			t.Fatal(err)
		}
		if res.Path != c.Path || res.Events != 300 || res.Contributions == 0 || !(res.Wall > 0) || !(res.ContributionsPerSec > 0) || res.PeakHostBytes == 0 {
			t.Errorf("%+v", res)
		}
		if !(res.Check.MaxRel <= 1e-12) || c.Precision == sink.Exact128 && res.Check.MaxAbs != 0 {
			t.Errorf("%s %v: %+v", c.Path, c.Precision, res.Check)
		}
		if digest == "" {
			digest = res.SHA256
		} else if res.SHA256 != digest {
			t.Errorf("exact sums %s and %s", digest, res.SHA256)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	path := generated(t)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw[100] ^= 1
	if err := os.WriteFile(path, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, path + ".missing"} {
		if _, err := Load(p); fail.Status(err) != fail.StatusInput {
			t.Errorf("%s: %v", p, err)
		}
	}
}
