package vulkan

import (
	"testing"

	"grsplat/render/sink"
	"grsplat/render/sink/sinktest"
	"grsplat/tools/require"
)

// lavapipe is the software device that every test runs on.
const lavapipe = "llvmpipe"

// open opens an engine under validation whose messages fail the test.
func open(t *testing.T, cfg sink.Config, o Options) *Engine {
	t.Helper()
	o.Validation = true
	cfg.Device = lavapipe
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

func conforms(t *testing.T, e *Engine, h sinktest.Harness) {
	h.New = func(t *testing.T, cfg sink.Config) sink.Canvas {
		c, err := e.Canvas(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	h.Light = true
	sinktest.Run(t, h)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, p := range []sink.Precision{sink.F64, sink.Exact128, sink.F32} {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			e := open(t, sink.Config{Precision: p}, Options{})
			for _, path := range e.Paths() {
				t.Run(path, func(t *testing.T) {
					conforms(t, e, sinktest.Harness{Config: sink.Config{Precision: p, Path: path}})
				})
			}
		})
	}
}
