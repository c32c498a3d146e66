//go:build hip

package hip

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"grsplat/render/fail"
	"grsplat/render/hdr"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
	"grsplat/render/sink/sinktest"
)

// scene is one that every call of the runtime serves: direct events apart, small, with more than one batch and carries.
func scene(t *testing.T, name string) (sinktest.Scene, sink.Config) {
	t.Helper()
	for _, s := range sinktest.Scenes(true) {
		if s.Name == name {
			return s, sink.Config{W: s.W, H: s.H, PSF: s.PSF, QuantumBits: hdr.DefaultQuantumBits, Precision: sink.Exact128, Path: "tile16"}
		}
	}
	t.Fatalf("no scene %s", name)
	return sinktest.Scene{}, sink.Config{}
}

// Whatever call fails, and whenever, the error says which, nothing crashes, and nothing stays allocated.
func TestEveryCallCanFail(t *testing.T) {
	needStandIn(t)
	s, cfg := scene(t, "carries")
	a, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{"hipGetDeviceCount", "hipRuntimeGetVersion", "hipDeviceGetName", "hipSetDevice", "hipMemGetInfo", "hipMalloc", "hipHostMalloc",
		"hipMemcpyAsync", "hipMemsetAsync", "hipStreamCreateWithFlags", "hipStreamDestroy", "hipStreamSynchronize", "hipEventCreate",
		"hipEventDestroy", "hipEventRecord", "hipEventSynchronize", "hipEventElapsedTime", "hipModuleLoadData", "hipModuleUnload",
		"hipModuleGetFunction", "hipModuleLaunchKernel", "hipHostFree", "drop"} {
		before, err := a.freeMemory()
		if err != nil {
			t.Fatal(err)
		}
		failed := 0
		for n := 1; ; n += 1 + n/4 {
			t.Setenv("HIPCPU_FAIL", fmt.Sprintf("%s:%d", call, n))
			err := render(cfg, s)
			if err == nil {
				break // it was called fewer than n times
			}
			failed++
			want := call
			if call == "drop" {
				want = "blocks: the driver stopped the work"
			}
			if status := fail.Status(err); !strings.Contains(err.Error(), want) || status != fail.StatusDevice && status != fail.StatusBackend {
				t.Errorf("%s, time %d: status %d, %v", call, n, status, err)
			}
			if n > 1000 {
				t.Fatalf("%s fails for ever", call)
			}
		}
		t.Setenv("HIPCPU_FAIL", "")
		if failed == 0 {
			t.Errorf("%s was never called", call)
		}
		// hipFree is not in the list: a free that fails keeps its memory.
		if after, err := a.freeMemory(); err != nil || after != before {
			t.Errorf("after failures of %s %d bytes are still allocated, %v", call, before-after, err)
		}
	}
}

// No error returns while the device may still work on what its owner will free or fill: all that was recorded has happened.
func TestErrorsWaitForTheDevice(t *testing.T) {
	needStandIn(t)
	s, cfg := scene(t, "carries")
	for _, failure := range []string{"hipMemcpyAsync:1", "hipMemcpyAsync:5", "hipMemsetAsync:2", "hipModuleLaunchKernel:1", "hipModuleLaunchKernel:5",
		"hipEventRecord:4", "hipEventRecord:9", "hipEventSynchronize:1", "hipEventElapsedTime:2"} {
		c := mustOpen(t, cfg, sizes{50, 10})
		t.Setenv("HIPCPU_SLOW", "5")
		t.Setenv("HIPCPU_FAIL", failure)
		err := errors.Join(c.Deposit(context.Background(), s.Events), c.Resolve(context.Background(), hdr.NewFrame(s.W, s.H)))
		t.Setenv("HIPCPU_FAIL", "")
		if call, _, _ := strings.Cut(failure, ":"); err == nil || !strings.Contains(err.Error(), call) {
			t.Errorf("%s: %v", failure, err)
		}
		for i := range c.slots {
			for k := range c.slots[i].stamps[1:] {
				if _, err := c.elapsed(c.slots[i].stamps[k], c.slots[i].stamps[k+1]); err != nil && strings.Contains(err.Error(), "NotReady") {
					t.Errorf("%s: slot %d is still at work after stamp %d: %v", failure, i, k, err)
				}
			}
		}
		t.Setenv("HIPCPU_SLOW", "0")
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A slow device still gets every batch whole: a slot is filled again only when its own is done. Each batch is timed.
func TestSlowDevice(t *testing.T) {
	needStandIn(t)
	s, cfg := scene(t, "carries")
	want, got := hdr.NewFrame(s.W, s.H), hdr.NewFrame(s.W, s.H)
	draw(t, cpu.NewReference(cfg), s.Events, want)
	c := mustOpen(t, cfg, sizes{30, 10})
	t.Setenv("HIPCPU_SLOW", "2")
	draw(t, c, s.Events, got)
	if d, _ := hdr.Compare(got, want, 0); !d.Identical {
		t.Errorf("not the reference's bits: %+v", d)
	}
	st := c.Stats()
	batches := float64(st.PathChunks["tile16"])
	for stage, seconds := range map[string]float64{"upload": st.Seconds.Upload, "prepare": st.Seconds.Bin, "sum": st.Seconds.Accumulate, "merge": st.Seconds.Merge} {
		if batches < 10 || !(seconds >= 2e-3*batches) {
			t.Errorf("%g batches, %s took %g s", batches, stage, seconds)
		}
	}
}

// A line of progress comes every five seconds, not with every chunk.
func TestProgress(t *testing.T) {
	needStandIn(t)
	s, cfg := scene(t, "negative-blue")
	var text bytes.Buffer
	cfg.Log = slog.New(slog.NewTextHandler(&text, nil))
	c := mustOpen(t, cfg, usual)
	for i, lines := range []int{0, 1, 1, 2} {
		if i%2 == 1 {
			c.logged = c.logged.Add(-6 * time.Second)
		}
		if err := c.Deposit(context.Background(), s.Events); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(text.String(), "accumulating"); got != lines {
			t.Errorf("%d lines after chunk %d, want %d:\n%s", got, i, lines, text.String())
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func render(cfg sink.Config, s sinktest.Scene) error {
	c, err := newCanvas(cfg, sizes{100, 30})
	if err != nil {
		return err
	}
	return tryDraw(c, s.Events, hdr.NewFrame(s.W, s.H))
}

// A device that is missing, foreign or too small is refused with one reason.
func TestRefusals(t *testing.T) {
	needStandIn(t)
	s, cfg := scene(t, "negative-blue")
	for _, c := range []struct{ variable, value, device, path, reason string }{
		{"HIPCPU_DEVICES", "0", "", "tile16", "hip: no device: the runtime lists none"},
		{"HIPCPU_ARCH", "gfx90a", "", "tile16", "takes none of the code objects for gfx1201, gfx1100, gfx1030, gfx900, gfx803"},
		{"HIPCPU_MEMORY", "100000", "", "tile16", "MiB free, the frame and a batch take"},
		{"HIPCPU_DEVICES", "2", "7", "tile16", `no device "7" among the 2`},
		{"HIPCPU_DEVICES", "2", "radeon", "tile16", `no device "radeon"`},
	} {
		t.Run(c.reason, func(t *testing.T) {
			t.Setenv(c.variable, c.value)
			cfg.Device, cfg.Path = c.device, c.path
			err := render(cfg, s)
			if fail.Status(err) != fail.StatusBackend || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("status %d: %v", fail.Status(err), err)
			}
		})
	}
}

// A path that there is not is the user's mistake, on whatever machine.
func TestNoSuchPath(t *testing.T) {
	t.Parallel()
	_, err := New(sink.Config{W: 4, H: 4, Path: "atomic"})
	if want := "hip: no path atomic in precision f64; there is auto, tile16, mesh"; fail.Status(err) != fail.StatusUsage || err.Error() != want {
		t.Errorf("status %d: %v", fail.Status(err), err)
	}
}

func TestDevices(t *testing.T) {
	needStandIn(t)
	t.Setenv("HIPCPU_DEVICES", "2")
	list, err := Devices()
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if d := list[1]; d != (Device{Index: 1, Name: "CPU stand-in 1", Runtime: "HIP 6.3.42", Target: "gfx1201"}) {
		t.Errorf("%+v", d)
	}
	s, cfg := scene(t, "negative-blue")
	for _, want := range []string{"1", "STAND-IN 1"} {
		cfg.Device = want
		c, err := newCanvas(cfg, sizes{100, 30})
		if err != nil {
			t.Fatal(err)
		}
		if err := tryDraw(c, s.Events, hdr.NewFrame(s.W, s.H)); err != nil || c.(*Canvas).Index != 1 {
			t.Errorf("device %q: index %d, %v", want, c.(*Canvas).Index, err)
		}
	}
	// Each code object is taken by its own device, and by no other.
	names, err := targets()
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range names {
		t.Setenv("HIPCPU_ARCH", target)
		if list, err := Devices(); err != nil || list[0].Target != target || list[0].Reason != "" {
			t.Errorf("%s: %+v, %v", target, list, err)
		}
	}
	t.Setenv("HIPCPU_ARCH", "gfx906")
	if list, err := Devices(); err != nil || !strings.Contains(list[0].Reason, "takes none") {
		t.Errorf("a foreign device: %+v, %v", list, err)
	}
}

// Without a usable library the reason is the loader's; the library is opened once, so each case is a process.
func TestLibraryMissing(t *testing.T) {
	if os.Getenv("GRSPLAT_HIP_CHILD") != "" {
		_, err := New(sink.Config{W: 4, H: 4})
		if fail.Status(err) != fail.StatusBackend {
			t.Errorf("status %d", fail.Status(err))
		}
		fmt.Println(err)
		return
	}
	t.Parallel()
	for library, reason := range map[string]string{
		"/nonexistent/libamdhip64.so": "hip: load GRSPLAT_HIP_LIBRARY: /nonexistent/libamdhip64.so: cannot open",
		"libm.so.6":                   "hip: load GRSPLAT_HIP_LIBRARY: libm.so.6: the library has no hipGetDeviceCount",
	} {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestLibraryMissing$")
		cmd.Env = append(os.Environ(), "GRSPLAT_HIP_CHILD=1", "GRSPLAT_HIP_LIBRARY="+library)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), reason) {
			t.Errorf("%s: %v\n%s", library, err, out)
		}
	}
}
