package cpu

import (
	"grsplat/render/fail"
	"grsplat/render/sink"
)

// New opens the canvas of cfg.Path: reference, stamp, mesh, or auto (also the empty path): stamps, cells and mesh, the cheapest
// block by block that meets the precision, the mesh only within cfg.MeshError.
func New(cfg sink.Config) (sink.Canvas, error) {
	switch cfg.Path {
	case "reference":
		return NewReference(cfg), nil
	case "stamp":
		cfg.Coalesce = false
		return NewStamp(cfg)
	case "mesh":
		return NewMesh(cfg)
	case "auto", "":
		cfg.Path = "auto"
		if cfg.Precision == sink.Exact128 || !(cfg.MeshError > 0) {
			return NewStamp(cfg)
		}
		if m, err := NewMesh(cfg); err == nil {
			return m, nil
		}
		return NewStamp(cfg) // kernels too wide for the mesh
	}
	return nil, fail.Backend("backend cpu: path %q: the CPU has reference, stamp, mesh and auto", cfg.Path)
}
