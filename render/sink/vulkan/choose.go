package vulkan

import (
	"fmt"
	"slices"
	"strings"

	"grsplat/render/fail"
	"grsplat/render/sink"
	"grsplat/shaders"
	"grsplat/vk"
)

// Missing returns what keeps a device from running a variant, by Vulkan's own name, or "". It reads only features and
// limits, so that it answers for a profile in a file as for a device.
func Missing(info vk.Info, v shaders.Variant) string {
	for _, need := range v.Needs {
		if !info.Features[need] {
			return need
		}
	}
	l := info.Limits
	if uint64(v.Invocations) > l.MaxComputeWorkGroupInvocations {
		return fmt.Sprintf("maxComputeWorkGroupInvocations %d, the device has %d", v.Invocations, l.MaxComputeWorkGroupInvocations)
	}
	// The kernels that all paths share are rows of 256 invocations, a tile's kernel is a square.
	for axis, need := range [2]uint32{256, uint32(tiles[v.Path])} {
		if have := l.MaxComputeWorkGroupSize[axis]; need > have {
			return fmt.Sprintf("maxComputeWorkGroupSize %d along %c, the device has %d", need, "xy"[axis], have)
		}
	}
	if uint64(v.Shared) > l.MaxComputeSharedMemorySize {
		return fmt.Sprintf("maxComputeSharedMemorySize %d, the device has %d", v.Shared, l.MaxComputeSharedMemorySize)
	}
	return ""
}

// tiles are the paths that this sink runs, with the edge of their tiles in px; the atomic paths and the mesh have none.
var tiles = map[string]int{"atomic": 0, "tile16": 16, "tile32": 32, "mesh": 0}

// A candidate is a path with its variant of one precision.
type candidate struct {
	path    string
	variant shaders.Variant
}

// possible refuses a path that no device runs in the precision asked for.
func possible(cfg sink.Config) error {
	if cfg.Path == "" || cfg.Path == "auto" {
		return nil
	}
	if _, ok := shaders.Find(cfg.Path, cfg.Precision.String()); ok {
		return nil
	}
	var has []string
	for _, v := range shaders.Variants() {
		if v.Path == cfg.Path {
			has = append(has, v.Precision)
		}
	}
	if len(has) == 0 {
		return fail.Usage("vulkan: path %s is not one of %s, auto", cfg.Path, strings.Join(shaders.Paths(), ", "))
	}
	return fail.Usage("vulkan: path %s has no precision %v, only %s", cfg.Path, cfg.Precision, strings.Join(has, ", "))
}

// candidates returns the variants that may run under cfg on a device. A path that the user named must be among them.
func candidates(info vk.Info, cfg sink.Config) ([]candidate, error) {
	precision := cfg.Precision.String()
	if p := cfg.Path; p != "" && p != "auto" {
		v, _ := shaders.Find(p, precision) // see possible
		if reason := Missing(info, v); reason != "" {
			return nil, fail.Backend("vulkan: %s: path %s of precision %s needs %s", info.Name, p, precision, reason)
		}
		return []candidate{{p, v}}, nil
	}
	var found []candidate
	var reasons []string
	for _, p := range shaders.Paths() {
		v, ok := shaders.Find(p, precision)
		if _, runs := tiles[p]; !ok || !runs {
			continue
		}
		if reason := Missing(info, v); reason != "" {
			reasons = append(reasons, fmt.Sprintf("%s needs %s", p, reason))
			continue
		}
		found = append(found, candidate{p, v})
	}
	if len(found) == 0 {
		return nil, fail.Backend("vulkan: %s: no path of precision %s: %s", info.Name, precision, strings.Join(reasons, ", "))
	}
	return found, nil
}

// kernels are the shared kernels that the candidates of a precision use beside their own.
func kernels(p sink.Precision) []string {
	names := []string{"phase-count", "phase-scatter", "cell-count", "cell-scatter", "scan-reduce", "scan-spine", "scan-down",
		"starts", "plan-segments", "plan-items", "prepare-" + suffix(p), "merge-" + suffix(p)}
	if p == sink.Exact128 {
		names = append(names, "carry-i64")
	}
	return names
}

// suffix is how the table names the kernels of a precision.
func suffix(p sink.Precision) string { return [...]string{"f64", "i64", "f32"}[p] }

// features is the union of what the candidates and their shared kernels need, all of which the device has.
func features(found []candidate, p sink.Precision) []string {
	var names []string
	add := func(v shaders.Variant) {
		for _, n := range v.Needs {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	for _, c := range found {
		add(c.variant)
	}
	for _, k := range kernels(p) {
		v, _ := shaders.Lookup(k)
		add(v)
	}
	return names
}
