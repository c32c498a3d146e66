package search

import (
	"errors"
	"fmt"

	"grsplat/render/fail"
	"grsplat/vk"
)

// OpenOptions choose an engine.
type OpenOptions struct {
	Backend string // auto, cpu or vulkan; auto is the first GPU, or the CPU if there is none
	Threads int    // of the CPU engine; 0 is all processors
	Vulkan  VulkanOptions
}

// Open starts an engine. choice is a line that says which one auto took, and why; it is empty for a named backend.
func Open(s Shape, l Limits, o OpenOptions) (searcher *Searcher, choice string, err error) {
	switch o.Backend {
	case "cpu":
		if o.Vulkan.Device != "" {
			return nil, "", fail.Usage("search: device %q: the cpu backend has no devices", o.Vulkan.Device)
		}
		searcher, err = NewCPU(s, l, o.Threads)
	case "vulkan":
		searcher, err = NewVulkan(s, l, o.Vulkan)
	case "auto":
		searcher, err = NewVulkan(s, l, o.Vulkan)
		if err != nil && o.Vulkan.Device == "" && fail.Status(err) == fail.StatusBackend {
			choice = fmt.Sprintf("backend auto: the cpu, because %v", cause(err))
			searcher, err = NewCPU(s, l, o.Threads)
		} else if err == nil {
			choice = "backend auto: " + searcher.Engine()
		}
	default:
		err = fail.Usage("search: backend %q: want auto, cpu or vulkan", o.Backend)
	}
	return searcher, choice, err
}

// cause is the reason that matters to a reader who asked for no particular device.
func cause(err error) error {
	for _, known := range []error{vk.ErrNoCgo, vk.ErrNoLoader, vk.ErrNoDriver, vk.ErrNoDevice, vk.ErrOnlyCPU} {
		if errors.Is(err, known) {
			return known
		}
	}
	return err
}
