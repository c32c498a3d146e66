package render

import (
	"errors"
	"os"
	"path/filepath"

	"grsplat/render/fail"
	"grsplat/render/sink"
	"grsplat/render/sink/count"
	"grsplat/render/sink/cpu"
	"grsplat/render/sink/hip"
	"grsplat/render/sink/vulkan"
)

// openSink opens the backend that the configuration names; a named backend never falls back.
func openSink(c *Config, cfg sink.Config) (sink.Sink, error) {
	switch c.Backend {
	case "count":
		return count.New(cfg), nil
	case "cpu":
		return cpu.New(cfg)
	case "vulkan":
		return vulkan.Open(cfg, vulkanOptions())
	case "hip":
		return hip.New(cfg)
	case "auto":
		return openAuto(cfg)
	}
	return nil, fail.Usage("backend %q is not known", c.Backend)
}

// openAuto takes a real GPU if there is one that can run the render, through Vulkan or else HIP, else the CPU, and says which.
func openAuto(cfg sink.Config) (sink.Sink, error) {
	gpu, err := vulkan.Open(cfg, vulkanOptions())
	if err == nil {
		cfg.Log.Info("backend vulkan", "device", gpu.Stats().Device)
		return gpu, nil
	}
	if !lacks(err) {
		return nil, err
	}
	amd, hipErr := hip.New(cfg)
	if hipErr == nil {
		cfg.Log.Info("backend hip")
		return amd, nil
	}
	if !lacks(hipErr) {
		return nil, hipErr
	}
	cfg.Log.Info("backend cpu", "reason", err)
	return cpu.New(cfg)
}

// lacks says of a backend's error that it is missing, or has not the path that was named: another may have it.
func lacks(err error) bool {
	status := fail.Status(err)
	return status == fail.StatusBackend || status == fail.StatusUsage
}

// vulkanOptions keeps compiled pipelines in the user's cache folder, if there is one.
func vulkanOptions() vulkan.Options {
	dir, err := os.UserCacheDir()
	if err != nil {
		return vulkan.Options{}
	}
	return vulkan.Options{CacheFile: filepath.Join(dir, "grsplat", "pipelines.bin")}
}

// OpenCanvas opens a backend for a caller without stars, such as a replay.
func OpenCanvas(backend string, cfg sink.Config) (sink.Canvas, error) {
	s, err := openSink(&Config{Backend: backend}, cfg)
	if err != nil {
		return nil, err
	}
	if c, ok := s.(sink.Canvas); ok {
		return c, nil
	}
	return nil, errors.Join(fail.Usage("backend %s draws no frame", backend), s.Close())
}
