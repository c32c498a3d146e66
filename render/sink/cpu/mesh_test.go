package cpu_test

import (
	"testing"

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
	})
}

// By cost, and with cells and the error limit, as auto does.
func TestAutoConforms(t *testing.T) {
	sinktest.Run(t, sinktest.Harness{
		New:       func(t *testing.T, cfg sink.Config) sink.Canvas { return newMesh(t, cfg) },
		Config:    sink.Config{Path: "auto", MeshError: 1e-9},
		Check:     sinktest.CheckMesh,
		Uncounted: true,
	})
}
