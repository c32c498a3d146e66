package probe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"grsplat/render/fail"
	"grsplat/vk"
)

// maxProfile bounds the file of a profile; a report of several devices with all its measurements is a tenth of it.
const maxProfile = 1 << 20

// ReadProfile answers for the device that a file describes: one entry of devices[] of a report, of which every part may be
// absent. An absent limit counts as Vulkan's required minimum, an absent feature as false; Device.NotInProfile lists what is absent.
func ReadProfile(r io.Reader) (Device, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxProfile+1))
	if err != nil {
		return Device{}, fail.Input("profile: %w", err)
	}
	if len(text) > maxProfile {
		return Device{}, fail.Input("profile: larger than 1 MiB")
	}
	d := Device{Info: vk.Info{Limits: vk.RequiredLimits(), Type: vk.Other, API: vk.MinVersion, HasQueue: true}}
	if err := decodeProfile(text, &d); err != nil {
		return Device{}, fail.Input("profile: %w", err)
	}
	if !slices.Contains([]vk.Type{vk.Integrated, vk.Discrete, vk.Virtual, vk.CPU, vk.Other}, d.Type) {
		return Device{}, fail.Input("profile: type %q is not one of integrated, discrete, virtual, cpu, other", d.Type)
	}
	if d.NotInProfile, err = absent(text); err != nil {
		return Device{}, fail.Input("profile: %w", err)
	}
	d.judge()
	for i := range d.Paths {
		p := &d.Paths[i]
		if limit, _, _ := strings.Cut(p.Reason, " "); strings.HasPrefix(limit, "max") && d.lacks("limits."+limit) {
			p.Reason += ", Vulkan's minimum: the profile has none"
		}
	}
	d.choose()
	return d, nil
}

// decodeProfile takes one object of known fields and nothing after it: a mistyped limit would silently be the minimum.
func decodeProfile(text []byte, d *Device) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	const want = "want one entry of devices[] of probe --json"
	var other *json.UnmarshalTypeError
	switch err := dec.Decode(d); {
	case errors.Is(err, io.EOF):
		return errors.New("empty; " + want)
	case errors.As(err, &other):
		return fmt.Errorf("%s is of another kind (%s); %s", cmp.Or(other.Field, "the value"), other.Value, want)
	case err != nil:
		return fmt.Errorf("%s; %s", strings.TrimPrefix(err.Error(), "json: "), want)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value")
	}
	return nil
}

// absent lists the facts of a device that a profile lacks, limits as limits.NAME.
func absent(text []byte) ([]string, error) {
	facts, err := fields(struct {
		vk.Info
		DriverName string `json:"driver"`
	}{})
	if err != nil {
		return nil, err
	}
	limits, err := fields(vk.Limits{})
	if err != nil {
		return nil, err
	}
	var given, givenLimits map[string]json.RawMessage
	if err := json.Unmarshal(text, &given); err != nil {
		return nil, err
	}
	missing := without(facts, given, "")
	for name, value := range given {
		if strings.EqualFold(name, "limits") {
			if err := json.Unmarshal(value, &givenLimits); err != nil {
				return nil, err
			}
			missing = append(missing, without(limits, givenLimits, "limits.")...)
		}
	}
	slices.Sort(missing)
	return missing, nil
}

// fields are the names under which a struct is written.
func fields(v any) (map[string]json.RawMessage, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var out map[string]json.RawMessage
	return out, json.Unmarshal(text, &out)
}

// without lists the names of all that are not given, as a decoder matches them: in any case, and not for null.
func without(all, given map[string]json.RawMessage, prefix string) (names []string) {
	has := map[string]bool{}
	for name, value := range given {
		has[strings.ToLower(name)] = string(value) != "null"
	}
	for name := range maps.Keys(all) {
		if !has[strings.ToLower(name)] {
			names = append(names, prefix+name)
		}
	}
	return names
}

// lacks tells whether the profile says nothing of a fact.
func (d Device) lacks(fact string) bool {
	whole, _, _ := strings.Cut(fact, ".")
	return slices.Contains(d.NotInProfile, fact) || slices.Contains(d.NotInProfile, whole)
}

// MarshalJSON leaves out what a profile lacks, instead of zeros that nobody stated.
func (d Device) MarshalJSON() ([]byte, error) {
	type plain Device
	if len(d.NotInProfile) == 0 {
		return json.Marshal(plain(d))
	}
	out, err := fields(plain(d))
	if err != nil {
		return nil, err
	}
	limits, err := fields(d.Limits)
	if err != nil {
		return nil, err
	}
	for _, name := range d.NotInProfile {
		delete(out, name)
		delete(limits, strings.TrimPrefix(name, "limits."))
	}
	if d.lacks("memory") {
		delete(out, "free_memory")
	}
	if !d.lacks("limits") {
		if out["limits"], err = json.Marshal(limits); err != nil {
			return nil, err
		}
	}
	return json.Marshal(out)
}
