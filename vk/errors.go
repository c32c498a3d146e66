package vk

import (
	"errors"
	"fmt"
)

// What a caller tells apart. Every other failure is an error of the named stage and call.
var (
	ErrNoCgo        = errors.New("this program was built without cgo, so it has no vulkan")
	ErrNoLoader     = errors.New("no vulkan loader")
	ErrNoDriver     = errors.New("no vulkan driver found")
	ErrNoDevice     = errors.New("no vulkan device")
	ErrOnlyCPU      = errors.New("only a cpu device was found")
	ErrNoValidation = errors.New("the validation layer is not installed")
	ErrNoFeature    = errors.New("missing feature")
	ErrOutOfMemory  = errors.New("out of device memory")
	ErrLost         = errors.New("device lost")
)

// Codes outside VkResult's range: those of native.h and that of a build without cgo.
const (
	codeNoLoader = -2000000001
	codeNoSymbol = -2000000002
	codeNoLayer  = -2000000003
	codeNoQueue  = -2000000004
	codeNoCgo    = -2000000005
)

const (
	codeTimeout         = 2
	codeOutOfHostMemory = -1
	codeOutOfMemory     = -2
	codeInitialization  = -3
	codeLost            = -4
	codeIncompatible    = -9
)

var codeNames = map[int32]string{
	1: "VK_NOT_READY", codeTimeout: "VK_TIMEOUT", 5: "VK_INCOMPLETE", codeOutOfHostMemory: "VK_ERROR_OUT_OF_HOST_MEMORY",
	codeOutOfMemory: "VK_ERROR_OUT_OF_DEVICE_MEMORY", codeInitialization: "VK_ERROR_INITIALIZATION_FAILED", codeLost: "VK_ERROR_DEVICE_LOST",
	-5: "VK_ERROR_MEMORY_MAP_FAILED", -6: "VK_ERROR_LAYER_NOT_PRESENT", -7: "VK_ERROR_EXTENSION_NOT_PRESENT",
	-8: "VK_ERROR_FEATURE_NOT_PRESENT", codeIncompatible: "VK_ERROR_INCOMPATIBLE_DRIVER", -10: "VK_ERROR_TOO_MANY_OBJECTS",
	-12: "VK_ERROR_FRAGMENTED_POOL", -13: "VK_ERROR_UNKNOWN", -1000012000: "VK_ERROR_INVALID_SHADER_NV",
	-1000069000: "VK_ERROR_OUT_OF_POOL_MEMORY", codeNoSymbol: "missing in this loader or driver", codeNoQueue: "no compute queue",
}

// status is a VkResult with the call that gave it.
type status struct {
	code int32
	call string
	text string // what the system said, for a missing loader
}

// err reads `stage: call: reason` and wraps the sentinel that the code stands for.
func (s status) err(stage string) error {
	switch s.code {
	case 0:
		return nil
	case codeNoCgo:
		return fmt.Errorf("%s: %w", stage, ErrNoCgo)
	case codeNoLoader:
		return fmt.Errorf("%s: %s: %w: %s", stage, s.call, ErrNoLoader, s.text)
	case codeNoLayer:
		return fmt.Errorf("%s: %s: %w", stage, s.call, ErrNoValidation)
	case codeIncompatible:
		return fmt.Errorf("%s: %s: %w", stage, s.call, ErrNoDriver)
	case codeOutOfMemory, codeOutOfHostMemory:
		return fmt.Errorf("%s: %s: %w (%s)", stage, s.call, ErrOutOfMemory, codeNames[s.code])
	case codeLost:
		return fmt.Errorf("%s: %s: %w", stage, s.call, ErrLost)
	}
	name := codeNames[s.code]
	if name == "" {
		name = fmt.Sprintf("VkResult %d", s.code)
	}
	return fmt.Errorf("%s: %s: %s", stage, s.call, name)
}
