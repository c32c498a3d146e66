//go:build hip

package hipcpu_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"grsplat/render/fail"
	"grsplat/tools/hipcpu"
	"grsplat/tools/require"
)

// build makes the program with a tag and returns its path.
func build(t *testing.T, tags string, env ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "grsplat")
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-tags", tags, "-o", out, "grsplat/cmd/grsplat")
	cmd.Env = append(os.Environ(), env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build -tags %s: %v\n%s", tags, err, text)
	}
	return out
}

// Whatever is missing, `render --backend hip` says which in one line, ends with status 4 and writes no file.
func TestRefusals(t *testing.T) {
	library, err := hipcpu.Library(t.TempDir())
	require.Tool(t, "hipcpu", err)
	bare, tagged := build(t, ""), build(t, "hip")
	for _, c := range []struct{ name, program, library, env, reason string }{
		{"tag", bare, library, "", "hip: this binary was built without the HIP backend; build it with go build -tags hip ./cmd/grsplat"},
		{"library", tagged, "", "", "hip: no runtime: found none of libamdhip64.so.7, libamdhip64.so.6, libamdhip64.so.5, libamdhip64.so, /opt/rocm"},
		{"named library", tagged, "/nowhere/libamdhip64.so", "", "hip: load GRSPLAT_HIP_LIBRARY: /nowhere/libamdhip64.so: cannot open"},
		{"device", tagged, library, "HIPCPU_DEVICES=0", "hip: no device: the runtime lists none"},
		{"code object", tagged, library, "HIPCPU_ARCH=gfx906", "hip: CPU stand-in 0 takes none of the code objects for gfx1201, gfx1100, gfx1030, gfx900, gfx803"},
		{"kernel", tagged, library, "HIPCPU_FAIL=hipModuleGetFunction:2", "hip: the code object for gfx1201 lacks a kernel: hip: hipModuleGetFunction grhip_atomic_i64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if installed, _ := filepath.Glob("/opt/rocm/lib/libamdhip64.so"); c.name == "library" && len(installed) > 0 {
				require.Tool(t, "hipcpu", errors.New("a machine without ROCm"))
			}
			dir := t.TempDir()
			cmd := exec.Command(c.program, "render", "--backend", "hip", "--size", "64x48", "-o", "a.png", "--hdr-output", "--report", "a.json")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GRSPLAT_HIP_LIBRARY="+c.library, c.env)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			err := cmd.Run()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != fail.StatusBackend {
				t.Errorf("%v", err)
			}
			if text := stderr.String(); !strings.Contains(text, c.reason) || strings.Count(text, "\n") != 1 {
				t.Errorf("said %q, want %q", text, c.reason)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left %v, %v", left, err)
			}
		})
	}
}

// Where Vulkan has no device, auto takes HIP's, and says so.
func TestAuto(t *testing.T) {
	library, err := hipcpu.Library(t.TempDir())
	require.Tool(t, "hipcpu", err)
	cmd := exec.Command(build(t, "hip"), "render", "--size", "64x48", "--psf-relative-tail", "1e-4", "-o", filepath.Join(t.TempDir(), "a.png"))
	cmd.Env = append(os.Environ(), "GRSPLAT_HIP_LIBRARY="+library, "VK_DRIVER_FILES=/nowhere.json")
	out, err := cmd.CombinedOutput()
	if text := string(out); err != nil || !strings.Contains(text, "backend hip") || !strings.Contains(text, "summed  hip, ") {
		t.Errorf("%v\n%s", err, text)
	}
}

// The program linked with the runtime builds against its headers and runs with it: both are the stand-in's here.
func TestLinked(t *testing.T) {
	dir := t.TempDir()
	_, err := hipcpu.Library(dir)
	require.Tool(t, "hipcpu", err)
	headers, err := filepath.Abs("src")
	if err != nil {
		t.Fatal(err)
	}
	program := build(t, "hip,hiplink", "C_INCLUDE_PATH="+headers, "LIBRARY_PATH="+dir)
	cmd := exec.Command(program, "probe", "--json")
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GRSPLAT_HIP_LIBRARY=") }), "LD_LIBRARY_PATH="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"name": "CPU stand-in 0"`) {
		t.Errorf("%v\n%s", err, out)
	}
}
