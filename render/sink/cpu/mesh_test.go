package cpu_test

import (
	"context"
	"testing"

	"grsplat/render/hdr"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
	"grsplat/render/sink/sinktest"
)

func newMesh(t testing.TB, cfg sink.Config, options ...cpu.Option) *cpu.Mesh {
	t.Helper()
	m, err := cpu.NewMesh(cfg, options...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// With every block convolved, the mesh meets its bound on every scene. Package mesh compares its vector levels.
func TestMeshConforms(t *testing.T) {
	sinktest.Run(t, sinktest.Harness{
		New: func(t *testing.T, cfg sink.Config) sink.Canvas {
			return newMesh(t, cfg, cpu.ConvolveAll)
		},
		Config:    sink.Config{Path: "mesh"},
		Check:     sinktest.CheckMesh,
		Uncounted: true,
		Light:     true,
		Narrow:    true,
	})
}

// By cost, and with cells and the error limit, as auto does.
func TestAutoConforms(t *testing.T) {
	sinktest.Run(t, sinktest.Harness{
		New:       func(t *testing.T, cfg sink.Config) sink.Canvas { return newMesh(t, cfg) },
		Config:    sink.Config{Path: "auto", MeshError: 1e-9},
		Check:     sinktest.CheckMesh,
		Uncounted: true,
		Narrow:    true,
	})
}

// A mesh that was reset holds what a new one does, and counts it.
func TestMeshReset(t *testing.T) {
	t.Parallel()
	s := hotScene(2400)
	cfg := sink.Config{W: s.W, H: s.H, PSF: s.PSF, Path: "mesh", Threads: 2}
	used, fresh := newMesh(t, cfg, cpu.ConvolveAll), newMesh(t, cfg, cpu.ConvolveAll)
	feed(t, used, s.Events[100:], 777)
	resolved(t, used, s)
	feed(t, used, s.Events[100:], 777)
	if err := used.Reset(context.Background()); err != nil {
		t.Fatal(err)
	}
	feed(t, used, s.Events, 1000)
	feed(t, fresh, s.Events, 1000)
	if d, err := hdr.Compare(resolved(t, used, s), resolved(t, fresh, s), 0); err != nil || !(d.MaxAbsPeak <= 1e-14) {
		t.Errorf("%+v %v", d, err)
	}
	if got, want := used.Stats(), fresh.Stats(); got.Events != want.Events || got.PathEvents["mesh"] != want.PathEvents["mesh"] || want.PathEvents["mesh"] == 0 {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}
