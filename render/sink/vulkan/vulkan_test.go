package vulkan

import (
	"cmp"
	"os"
	"slices"
	"testing"
	"time"

	"grsplat/render/sink"
	"grsplat/render/sink/sinktest"
	"grsplat/tools/require"
)

// lavapipe is the software device that the tests run on, under validation. GRSPLAT_TEST_DEVICE names another, on which the same
// suite runs without the layer.
const lavapipe = "llvmpipe"

func testDevice() string { return cmp.Or(os.Getenv("GRSPLAT_TEST_DEVICE"), lavapipe) }

// open opens an engine under validation whose messages fail the test.
func open(t *testing.T, cfg sink.Config, o Options) *Engine {
	t.Helper()
	o.Validation = testDevice() == lavapipe
	cfg.Device = testDevice()
	e, err := OpenEngine(cfg, o)
	if err != nil {
		require.Tool(t, "vulkan", err)
	}
	t.Cleanup(func() {
		for _, m := range e.Messages() {
			t.Errorf("validation: %v", m)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func opener(e *Engine) func(t *testing.T, cfg sink.Config) sink.Canvas {
	return func(t *testing.T, cfg sink.Config) sink.Canvas {
		c, err := e.Canvas(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

func conforms(t *testing.T, e *Engine, h sinktest.Harness) {
	h.New = opener(e)
	h.Light = h.Light || !h.BitEqual
	sinktest.Run(t, h)
}

// Every path that the device has, and auto, in every precision.
func TestConformance(t *testing.T) {
	t.Parallel()
	for _, p := range []sink.Precision{sink.F64, sink.Exact128, sink.F32} {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			e := open(t, sink.Config{Precision: p}, Options{})
			want := [][]string{{"tile16", "tile32", "mesh"}, {"atomic", "tile16", "tile32"}, {"atomic", "tile16"}}[p]
			if testDevice() == lavapipe && !slices.Equal(e.Paths(), want) {
				t.Errorf("paths %v, want %v", e.Paths(), want)
			}
			paths := slices.DeleteFunc(e.Paths(), func(path string) bool { return path == "mesh" }) // mesh_test.go
			if p == sink.F64 {
				paths = append(paths, "auto")
			}
			for _, path := range paths {
				t.Run(path, func(t *testing.T) {
					conforms(t, e, sinktest.Harness{Config: sink.Config{Precision: p, Path: path}})
				})
			}
		})
	}
}

// A list that is not split sums in the order of deposits: the very bits of the reference. All scenes, 65,537 events too.
func TestUnsplitTilesAreTheSequentialSum(t *testing.T) {
	t.Parallel()
	e := open(t, sink.Config{Precision: sink.F64}, Options{Tuning: Tuning{SplitMin: 1 << 20}})
	for _, path := range []string{"tile16", "tile32"} {
		t.Run(path, func(t *testing.T) {
			conforms(t, e, sinktest.Harness{Config: sink.Config{Path: path}, BitEqual: true, Light: path == "tile32"})
		})
	}
}

// Frames bound in bands of 32 rows, batches of 300 events out of slots of 100, lists that overflow and are halved, lists cut every
// 64 entries and merged.
func TestForcedSizes(t *testing.T) {
	t.Parallel()
	forced := Tuning{BandRows: 32, BatchEvents: 300, SlotEvents: 100, ListEntries: 6000, SplitMin: 64, SplitTarget: 8}
	for path, p := range map[string]sink.Precision{"tile16": sink.F64, "atomic": sink.Exact128} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			e := open(t, sink.Config{Precision: p, Path: path}, Options{Tuning: forced})
			conforms(t, e, sinktest.Harness{Config: sink.Config{Precision: p, Path: path}})
		})
	}
}

// Three events a submission, 71 of them, each out of a buffer that is overwritten at once, after a rehearsal that leaves no light.
func TestSmallestBatches(t *testing.T) {
	t.Parallel()
	e := open(t, sink.Config{Precision: sink.Exact128}, Options{Warm: time.Millisecond, Tuning: Tuning{BatchEvents: 3, SlotEvents: 3}})
	h := sinktest.Harness{Config: sink.Config{Precision: sink.Exact128, Path: "atomic"}}
	h.New = opener(e)
	h.Overwritten(t)
}
