//go:build hip

package hip

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/sink"
	"grsplat/render/sink/sinktest"
	"grsplat/tools/hipcpu"
	"grsplat/tools/require"
)

// record draws scenes on the stand-in and returns the trace of what it was asked. Small frames keep the replays short: with
// ThreadSanitizer every thread of a block is a real one.
func record(t *testing.T) string {
	t.Helper()
	needStandIn(t)
	path := os.Getenv("GRSPLAT_HIP_TRACE") // keeps it, for a replay on another device
	if path == "" {
		path = filepath.Join(t.TempDir(), "trace")
	}
	t.Setenv("HIPCPU_TRACE", path)
	s, cfg := scene(t, "negative-blue")
	s.W, s.H, cfg.W, cfg.H = 40, 30, 40, 30
	s.Events = s.Events[:30]
	for i := range s.Events {
		s.Events[i].X -= 10
		s.Events[i].Y -= 10
	}
	for _, c := range []struct {
		path  string
		p     sink.Precision
		piece int // so that lists are cut, or not
	}{{"tile16", sink.Exact128, 8}, {"atomic", sink.Exact128, 8}, {"tile16", sink.F64, 8}, {"tile16", sink.F64, 100}} {
		cfg.Path, cfg.Precision = c.path, c.p
		if err := drawOnce(cfg, s, sizes{100, c.piece}); err != nil {
			t.Fatal(err)
		}
	}
	p := psf.Defaults()
	p.Phases, p.CacheRadius = 4, 4
	f, err := psf.New(p)
	if err != nil {
		t.Fatal(err)
	}
	s.PSF, cfg.PSF, cfg.Path = f, f, "mesh"
	s.Events = append(s.Events, s.Events...) // so that lattice points are shared
	if err := drawOnce(cfg, s, sizes{100, 100}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HIPCPU_TRACE", "")
	// The next call closes the file.
	if _, err := Devices(); err != nil {
		t.Fatal(err)
	}
	return path
}

// drawOnce leaves out the self-test, whose frame is larger.
func drawOnce(cfg sink.Config, s sinktest.Scene, size sizes) error {
	d, err := choose("")
	if err != nil {
		return err
	}
	c, err := d.canvas(cfg, []string{cfg.Path}, size)
	if err != nil {
		return err
	}
	return tryDraw(c, s.Events, hdr.NewFrame(s.W, s.H))
}

func playBack(program, trace string) (string, error) {
	cmd := exec.Command(program, trace, filepath.Join("co", objectPrefix+"gfx1201.hsaco"))
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=abort_on_error=0", "TSAN_OPTIONS=halt_on_error=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The kernels draw the same bits in another process, also under sanitizers.
func TestReplay(t *testing.T) {
	trace := record(t)
	for _, flavour := range []hipcpu.Flavour{hipcpu.Plain, hipcpu.Address, hipcpu.Thread} {
		t.Run(string(flavour), func(t *testing.T) {
			if flavour != hipcpu.Plain {
				require.Long(t)
			}
			program, err := hipcpu.Replay(t.TempDir(), hipcpu.Kernels(), flavour)
			if err != nil {
				t.Fatal(err)
			}
			out, err := playBack(program, trace)
			if err != nil || !strings.Contains(out, " 0 different") || strings.Contains(out, "replay: 0 launches") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// Faults planted into the kernels are caught, each by the check that is there for it.
func TestMutants(t *testing.T) {
	require.Long(t)
	trace := record(t)
	for _, m := range []struct {
		name, file, old, new string
		flavour              hipcpu.Flavour
		caught               string
	}{
		{"missing-barrier", "kernels.hip", "__syncthreads();\n      for (const staged", "for (const staged", hipcpu.Plain, ""}, // wrong bits or a crash
		{"plain-add", "kernels.hip", "atomicAdd(pixel + c * plane, (grhip_u64)quanta<far>(w * s.f[c]));", "pixel[c * plane] += (grhip_u64)quanta<far>(w * s.f[c]);", hipcpu.Thread, "data race"},
		{"out-of-bounds", "kernels.hip", "if (i < a.n) {\n    const double *e", "if (i <= a.n + 200) {\n    const double *e", hipcpu.Address, "heap-buffer-overflow"},
		{"barrier-divergence", "kernels.hip", "if (hit) hits[rank] = id;\n    __syncthreads();", "if (hit) hits[rank] = id;\n    if (hit) __syncthreads();", hipcpu.Plain, "barrier divergence"},
		{"mesh-missing-barrier", "mesh.hip", "  GRHIP_ANEW(b.lane);\n  __syncthreads();", "", hipcpu.Plain, ""},
		{"mesh-plain-add", "mesh_lattice.hip", "atomicAdd((grhip_u64 *)sum, (grhip_u64)__double2ll_rn(units));", "*sum += __double2ll_rn(units);", hipcpu.Thread, "data race"},
		{"mesh-out-of-bounds", "mesh_lattice.hip", "i < a.n ? m.slots[i] - m.first : GRHIP_UNMESHED", "m.slots[i] - m.first", hipcpu.Address, "heap-buffer-overflow"},
	} {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			program, err := hipcpu.Replay(t.TempDir(), mutate(t, m.file, m.old, m.new), m.flavour)
			if err != nil {
				t.Fatal(err)
			}
			if out, err := playBack(program, trace); err == nil || !strings.Contains(out, m.caught) || strings.Contains(out, " 0 different") {
				t.Errorf("not caught: %v\n%s", err, out)
			}
		})
	}
}

// mutate returns a folder with the kernels, one piece of text replaced.
func mutate(t *testing.T, file, old, new string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"kernels.hip", "mesh.hip", "mesh_lattice.hip", "args.h"} {
		text, err := os.ReadFile(filepath.Join(hipcpu.Kernels(), name))
		if err != nil {
			t.Fatal(err)
		}
		if name == file {
			if strings.Count(string(text), old) != 1 {
				t.Fatalf("%s holds %q %d times", file, old, strings.Count(string(text), old))
			}
			text = []byte(strings.Replace(string(text), old, new, 1))
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
