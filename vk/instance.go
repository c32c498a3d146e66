package vk

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Options say how to open Vulkan.
type Options struct {
	Library    string // the loader's file; "" is the platform's own name, found by its usual rules
	Validation bool   // VK_LAYER_KHRONOS_validation with synchronization checks; its findings are in Messages
}

// Instance is an open loader with its drivers. It is safe for use by several goroutines; Close comes last.
type Instance struct {
	handle instanceHandle
	infos  []Info
}

// Open loads Vulkan and asks every driver for its devices. It fails with ErrNoCgo, ErrNoLoader, ErrNoDriver
// or ErrNoDevice, as an OpenError once a loader was found.
func Open(o Options) (*Instance, error) {
	h, s := nativeOpen(o.Library, o.Validation)
	in := &Instance{handle: h}
	if s.code != 0 {
		return nil, in.failed(s.err("vulkan"))
	}
	n, s := in.nativeDevices()
	if s.code == codeInitialization { // what the loader says when no driver finds hardware of its own
		n, s = 0, status{}
	}
	if s.code != 0 {
		return nil, in.failed(s.err("vulkan"))
	}
	for i := range n {
		in.infos = append(in.infos, in.nativeInfo(i))
	}
	in.infos = fold(in.infos)
	if len(in.infos) == 0 {
		return nil, in.failed(fmt.Errorf("vulkan: vkEnumeratePhysicalDevices: %w", ErrNoDevice))
	}
	return in, nil
}

// An OpenError carries what is known of the loader that Open failed with, and what it and the drivers said.
type OpenError struct {
	err      error
	API      Version
	File     string
	Messages []Message
}

func (e *OpenError) Error() string { return e.err.Error() }
func (e *OpenError) Unwrap() error { return e.err }

func (in *Instance) failed(err error) error {
	if in.handle == nil {
		return err
	}
	e := &OpenError{err, in.API(), in.File(), in.Messages()}
	in.nativeClose()
	return e
}

// Close frees the instance; a second call does nothing. It is an error if an object made from it is still alive; below a
// device that is, such as one that hangs, the instance is left alone.
func (in *Instance) Close() error {
	if in.handle == nil {
		return nil
	}
	live := in.nativeLive()
	if live["device"] == 0 {
		in.nativeClose()
		in.handle = nil
	}
	return leaks("vulkan: close", live)
}

func leaks(stage string, live map[string]int) error {
	if len(live) == 0 {
		return nil
	}
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(live)) {
		parts = append(parts, fmt.Sprintf("%d %s", live[kind], kind))
	}
	return fmt.Errorf("%s: not freed: %s", stage, strings.Join(parts, ", "))
}

// API is the loader's version.
func (in *Instance) API() Version { return Version(in.nativeAPI()) }

// File is the loader's file, where the system tells.
func (in *Instance) File() string { return in.nativeFile() }

// Layers are the installed layers.
func (in *Instance) Layers() []string { return strings.Fields(in.nativeLayers()) }

// Devices are the devices in the order of the loader, each physical device once.
func (in *Instance) Devices() []Info { return in.infos }

// fold lists a device that several drivers offer once, under the driver that came first.
func fold(all []Info) (out []Info) {
	for _, i := range all {
		same := slices.IndexFunc(out, func(o Info) bool { return o.UUID == i.UUID && strings.Trim(i.UUID, "0") != "" })
		if same >= 0 {
			out[same].Also = append(out[same].Also, i.Driver.Name)
			continue
		}
		i.Index = len(out)
		out = append(out, i)
	}
	return out
}

// Select finds a device. want is an index, or a part of a name or UUID in any case; the first device that fits is taken.
// A number under 100 is only ever an index, and a part of a UUID has at least four digits, so that an index out of range
// fits no device by chance. An empty want takes the first discrete, else integrated, virtual or other GPU, and never a
// CPU device: ErrOnlyCPU.
func Select(infos []Info, want string) (Info, error) {
	if want == "" {
		return best(infos)
	}
	n, err := strconv.Atoi(want)
	index := err == nil && n < 100
	if index && n >= 0 && n < len(infos) {
		return infos[n], nil
	}
	part := strings.ToLower(want)
	digits := strings.ReplaceAll(part, "-", "")
	for _, i := range infos {
		if !index && (strings.Contains(strings.ToLower(i.Name), part) || len(digits) >= 4 && strings.Contains(i.UUID, digits)) {
			return i, nil
		}
	}
	return Info{}, fmt.Errorf("vulkan: device %q: %w of that index, name or uuid among %s", want, ErrNoDevice, list(infos))
}

func best(infos []Info) (Info, error) {
	for _, t := range []Type{Discrete, Integrated, Virtual, Other} {
		for _, i := range infos {
			if i.Type == t && i.Unusable() == "" {
				return i, nil
			}
		}
	}
	if len(infos) == 0 {
		return Info{}, fmt.Errorf("vulkan: %w", ErrNoDevice)
	}
	return Info{}, fmt.Errorf("vulkan: %w: %s; name it to use it, or if this machine has a gpu, is this user in the render group?", ErrOnlyCPU, list(infos))
}

func list(infos []Info) string {
	var names []string
	for _, i := range infos {
		names = append(names, fmt.Sprintf("%d: %s", i.Index, i.Name))
	}
	return strings.Join(names, "; ")
}
