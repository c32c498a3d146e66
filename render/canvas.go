package render

import (
	"grsplat/render/fail"
	"grsplat/render/sink"
	"grsplat/render/sink/count"
	"grsplat/render/sink/cpu"
)

// openSink opens the backend that the configuration names. auto takes a real GPU if there is one, else the CPU, and says
// which; a named backend never falls back.
func openSink(c *Config, cfg sink.Config) (sink.Sink, error) {
	switch c.Backend {
	case "count":
		return count.New(cfg), nil
	case "cpu":
		return cpu.New(cfg)
	}
	return nil, fail.Backend("backend %s: not in this build", c.Backend)
}
