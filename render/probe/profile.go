package probe

import (
	"encoding/json"
	"io"
	"slices"

	"grsplat/render/fail"
	"grsplat/vk"
)

// ReadProfile answers for the device that a file describes: one entry of devices[] of a report, of which every part may be
// absent. An absent limit is Vulkan's required minimum, an absent feature is false.
func ReadProfile(r io.Reader) (Device, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return Device{}, fail.Input("profile: %w", err)
	}
	file := struct {
		vk.Info
		Driver string `json:"driver"`
	}{Info: vk.Info{Limits: vk.RequiredLimits(), Type: vk.Other, API: vk.MinVersion, HasQueue: true}}
	if err := json.Unmarshal(text, &file); err != nil {
		return Device{}, fail.Input("profile: %w", err)
	}
	d := newDevice(file.Info)
	d.DriverName = file.Driver
	if !slices.Contains([]vk.Type{vk.Integrated, vk.Discrete, vk.Virtual, vk.CPU, vk.Other}, d.Type) {
		return Device{}, fail.Input("profile: type %q is not one of integrated, discrete, virtual, cpu, other", d.Type)
	}
	d.judge()
	return d, nil
}
