package replay

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"grsplat/render/fail"
	"grsplat/render/psf"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
)

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
