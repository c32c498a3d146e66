package vulkan

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/hdr"
	"grsplat/render/sink"
	"grsplat/render/sink/sinktest"
	"grsplat/tools/require"
	"grsplat/vk"
)

// draw opens a canvas with faults and draws a scene on it; whatever fails, everything is freed.
func draw(t *testing.T, cfg sink.Config, o Options) (sink.Stats, error) {
	t.Helper()
	scene := sinktest.Scenes(true)[len(sinktest.Scenes(true))-1]
	cfg.Device, cfg.W, cfg.H, cfg.PSF, cfg.QuantumBits, cfg.Threads = testDevice(), scene.W, scene.H, scene.PSF, hdr.DefaultQuantumBits, 1
	c, err := Open(cfg, o)
	if errors.Is(err, vk.ErrNoLoader) || errors.Is(err, vk.ErrNoDevice) || errors.Is(err, vk.ErrNoDriver) {
		require.Tool(t, "vulkan", err)
	}
	if err != nil {
		return sink.Stats{}, err
	}
	for i := 0; i < len(scene.Events) && err == nil; i += 500 {
		err = c.Deposit(context.Background(), scene.Events[i:i+500])
	}
	if err == nil {
		err = c.Resolve(context.Background(), hdr.NewFrame(cfg.W, cfg.H))
	}
	stats := c.Stats()
	return stats, errors.Join(err, c.Close())
}

// A device lost at any submission ends the render with status 5 and the stage's name; before the first event, with 4 or 5.
func TestDeviceLost(t *testing.T) {
	t.Parallel()
	for _, at := range []int{1, 4, 9, 20, 28, 31, 33} {
		_, err := draw(t, sink.Config{Path: "tile16"}, Options{Faults: Faults{Device: vk.Faults{LostAtSubmit: at}}})
		if !errors.Is(err, vk.ErrLost) || fail.Status(err) != fail.StatusDevice || !strings.Contains(err.Error(), ": ") {
			t.Errorf("lost at submission %d: %v (status %d)", at, err, fail.Status(err))
		}
	}
}

func TestOutOfMemory(t *testing.T) {
	t.Parallel()
	for _, at := range []int{1, 5, 12, 70} {
		_, err := draw(t, sink.Config{Path: "tile16"}, Options{Faults: Faults{Device: vk.Faults{NoMemoryAtAllocate: at}}})
		status := fail.Status(err)
		if !errors.Is(err, vk.ErrOutOfMemory) || status != fail.StatusDevice && status != fail.StatusBackend {
			t.Errorf("no memory at allocation %d: %v (status %d)", at, err, status)
		}
	}
	_, err := draw(t, sink.Config{Path: "tile16"}, Options{Faults: Faults{Device: vk.Faults{MemoryBytes: 32 << 20}}})
	if fail.Status(err) != fail.StatusBackend || !strings.Contains(err.Error(), "MiB") {
		t.Errorf("a device of 32 MiB: %v", err)
	}
}

// An event that the device does not prepare is noticed by the counts of its submission.
func TestLostEvent(t *testing.T) {
	t.Parallel()
	for _, p := range []sink.Config{{Path: "tile16"}, {Path: "atomic", Precision: sink.Exact128}} {
		_, err := draw(t, p, Options{Faults: Faults{LoseEvent: 1}})
		if !errors.Is(err, errLost) || fail.Status(err) != fail.StatusDevice {
			t.Errorf("%s: a lost event: %v", p.Path, err)
		}
	}
}

// A path whose self-test fails is refused where it was named, and left out of auto elsewhere.
func TestWrongSelfTest(t *testing.T) {
	t.Parallel()
	fault := Options{Faults: Faults{SelfTest: "tile16-f64"}}
	if _, err := draw(t, sink.Config{Path: "tile16"}, fault); fail.Status(err) != fail.StatusBackend || !strings.Contains(err.Error(), "self-test") {
		t.Errorf("a named path that fails its self-test: %v", err)
	}
	stats, err := draw(t, sink.Config{Path: "auto"}, fault)
	if err != nil || stats.PathEvents["tile16"] != 0 || stats.Events == 0 {
		t.Errorf("auto took %v (%v)", stats.PathEvents, err)
	}
}

// What the device cannot run is refused by the name of the missing bit, what none can as a mistake of the command line.
func TestMissingFeature(t *testing.T) {
	t.Parallel()
	_, err := draw(t, sink.Config{Path: "atomic"}, Options{})
	if testDevice() == lavapipe && (fail.Status(err) != fail.StatusBackend || !strings.Contains(err.Error(), "shaderBufferFloat64AtomicAdd")) {
		t.Errorf("atomic float64 on lavapipe: %v", err)
	}
	_, err = draw(t, sink.Config{Path: "tile32", Precision: sink.F32}, Options{})
	if fail.Status(err) != fail.StatusUsage {
		t.Errorf("a pair that no device runs: %v", err)
	}
}

// A library that is not there, and a device that is not there, are status 4.
func TestMissingDevice(t *testing.T) {
	t.Parallel()
	if _, err := Open(sink.Config{}, Options{Library: "/nonexistent/libvulkan.so.1"}); fail.Status(err) != fail.StatusBackend {
		t.Errorf("without a loader: %v", err)
	}
	if _, err := OpenEngine(sink.Config{Device: "99"}, Options{}); fail.Status(err) != fail.StatusBackend {
		t.Errorf("device 99: %v", err)
	}
}

// The bound of an exact batch grows with flux, colour and quantum, and sends what is beyond 2^58 quanta to the CPU.
func TestBound(t *testing.T) {
	t.Parallel()
	c := &Canvas{cfg: sink.Config{Precision: sink.Exact128, QuantumBits: 44}, peak: 0.125}
	e := event.Event{R: -2, G: 1, B: 0.5, Flux: 4}
	if b, bright := c.bound(&e); bright || !(b >= math.Ldexp(1, 44)+1 && b <= math.Ldexp(1.0001, 44)) {
		t.Errorf("bound %g, bright %v", b, bright)
	}
	e.Flux = 0x1p17
	if _, bright := c.bound(&e); !bright {
		t.Error("2^59 quanta are not bright")
	}
	e.Flux = math.NaN()
	if _, bright := c.bound(&e); !bright {
		t.Error("NaN went to the device")
	}
}

// The suite's scene of carries is one: the second words are used, and every event stays on the device.
func TestCarriesHappen(t *testing.T) {
	t.Parallel()
	e := open(t, sink.Config{Precision: sink.Exact128, Path: "atomic"}, Options{})
	for _, s := range sinktest.Scenes(true) {
		if s.Name != "carries" {
			continue
		}
		c, err := e.Canvas(sink.Config{W: s.W, H: s.H, PSF: s.PSF, Precision: sink.Exact128, QuantumBits: hdr.DefaultQuantumBits, Path: "atomic", Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.Deposit(context.Background(), s.Events); err != nil {
			t.Fatal(err)
		}
		if err := c.Resolve(context.Background(), hdr.NewFrame(s.W, s.H)); err != nil {
			t.Fatal(err)
		}
		if st := c.Stats(); !c.carried || st.PathEvents["atomic"] < int64(len(s.Events))*9/10 {
			t.Errorf("carried %v, paths %v", c.carried, st.PathEvents)
		}
		return
	}
	t.Fatal("no scene of carries")
}
