// Package probe asks every Vulkan device of the machine what it is, which accumulation paths it can run, whether each is
// right and how fast it is. A driver is only ever entered in a child process, so that one that crashes hides no other.
//
//	loader.go   the loader and its driver files, each asked on its own
//	child.go    what a child process does: list the devices, or measure one path
//	paths.go    eligibility by data, and the selection
//	measure.go  self-test and speed of one path
//	cache.go    measurements kept by driver identity
//	profile.go  the same answers for a device described by a file
package probe

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"grsplat/render/fail"
	"grsplat/vk"
)

// Options say what to ask.
type Options struct {
	Self     []string // command line of this program's hidden verb that calls Child
	Library  string   // of the Vulkan loader; "" finds it as usual
	Device   string   // index, or part of a name or UUID; "" asks every device
	Fresh    bool     // measure even what the cache holds
	CacheDir string   // of the measurements; "" keeps none
	Program  string   // version of this program; measurements of another are not read
	Log      *slog.Logger

	only []string // the paths to report, as path-precision, for tests that have no time for all
}

// Report is the whole answer, in the shape of `grsplat probe --json`.
type Report struct {
	Loader  *Loader  `json:"loader,omitempty"` // nil for a profile
	Devices []Device `json:"devices"`
	HIP     *HIP     `json:"hip,omitempty"` // nil for a profile
}

// HIP is what AMD's runtime lists, apart from Vulkan.
type HIP struct {
	Devices []HIPDevice `json:"devices"`
	Problem string      `json:"problem,omitempty"` // why there is no list
}

// HIPDevice is one device of the runtime.
type HIPDevice struct {
	Index    int    `json:"index"`
	Name     string `json:"name"`
	Runtime  string `json:"runtime"`
	Target   string `json:"target"` // code object that it takes
	Eligible bool   `json:"eligible"`
	Reason   string `json:"reason"` // why it cannot be used
}

// Device is one device with its paths.
type Device struct {
	vk.Info
	DriverName string            `json:"driver"`
	FreeMemory uint64            `json:"free_memory"`       // bytes that a render may allocate
	Problem    string            `json:"problem,omitempty"` // why nothing runs on it
	Paths      []Path            `json:"paths"`
	Selected   Selected          `json:"selected"`
	Refused    map[string]string `json:"refused,omitempty"` // precisions that no path can do, and why

	NotInProfile []string `json:"not_in_profile,omitempty"` // facts that the file of ReadProfile lacks

	child       int      // its index in a child's list
	environment []string // that makes a child see it, when the usual one does not
}

// newDevice takes what a driver said of itself.
func newDevice(i vk.Info) Device {
	return Device{Info: i, DriverName: strings.TrimSpace(i.Driver.Name + " " + i.Driver.Info), child: i.Index}
}

// Path is one variant on one device.
type Path struct {
	Path      string             `json:"path"`
	Precision string             `json:"precision"`
	Eligible  bool               `json:"eligible"`
	Reason    string             `json:"reason"`              // what is missing, by Vulkan's name; "" if eligible
	SelfTest  string             `json:"self_test,omitempty"` // "passed", "skipped" where not eligible, or what went wrong
	Speed     float64            `json:"contributions_per_s,omitempty"`
	Inputs    map[string]float64 `json:"inputs,omitempty"` // contributions per second by standard input
}

// Selected is the fastest path of each precision for any input, nil where no path can run. A render with
// --path auto chooses anew for every batch.
type Selected struct {
	F64   *string `json:"f64"`
	Exact *string `json:"exact"`
	F32   *string `json:"f32"`
}

// Run asks the machine. That there is no device is an answer, not an error, unless one was named.
func Run(ctx context.Context, o Options) (Report, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	loader, devices := survey(ctx, o)
	if loader.Found {
		loader.Hint = hint(devices, renderNodes)
	}
	report := Report{Loader: &loader, Devices: []Device{}, HIP: hipInChild(ctx, o)}
	if o.Device != "" {
		infos := make([]vk.Info, len(devices))
		for i, d := range devices {
			infos[i] = d.Info
		}
		chosen, err := vk.Select(infos, o.Device)
		if err != nil {
			return report, fail.Backend("probe: %w", err)
		}
		devices = devices[chosen.Index : chosen.Index+1]
	}
	for _, d := range devices {
		if err := d.fill(ctx, o); err != nil {
			return report, err
		}
		report.Devices = append(report.Devices, d)
	}
	return report, nil
}

// fill judges and measures every path of a device.
func (d *Device) fill(ctx context.Context, o Options) error {
	d.judge()
	if d.Problem != "" {
		return nil
	}
	if o.only != nil {
		d.Paths = slices.DeleteFunc(d.Paths, func(p Path) bool { return !slices.Contains(o.only, p.Path+"-"+p.Precision) })
	}
	cache := newCache(o.CacheDir, o.Program, d.Info)
	if !o.Fresh && cache.read(d.Paths) {
		d.choose()
		return nil
	}
	for i := range d.Paths {
		p := &d.Paths[i]
		if !p.Eligible {
			p.SelfTest = skipped
			continue
		}
		o.Log.Info("measuring", "device", d.Name, "path", p.Path, "precision", p.Precision)
		m, err := measureInChild(ctx, o, d, *p)
		if ctx.Err() != nil {
			return fmt.Errorf("probe: %w", ctx.Err())
		}
		if err != nil {
			m = Measurement{SelfTest: err.Error()}
		}
		p.take(m)
	}
	d.choose()
	if err := cache.write(d.Paths); err != nil {
		o.Log.Debug("measurements not kept", "reason", err.Error())
	}
	return nil
}

// CacheDir is the user's folder for measurements, or "" if there is none.
func CacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return dir + "/grsplat/probe"
}
