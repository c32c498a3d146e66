package cpu

import (
	"grsplat/render/fail"
	"grsplat/render/sink"
)

// New opens the canvas of cfg.Path: reference, stamp, or auto (also the empty path), the fastest that meets the precision.
func New(cfg sink.Config) (sink.Canvas, error) {
	switch cfg.Path {
	case "reference":
		return NewReference(cfg), nil
	case "stamp":
		cfg.Coalesce = false
		return NewStamp(cfg)
	case "auto", "":
		return NewStamp(cfg)
	}
	return nil, fail.Backend("backend cpu: path %q: the CPU has reference, stamp and auto", cfg.Path)
}
