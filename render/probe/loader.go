package probe

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"grsplat/vk"
)

// Loader is what there is to Vulkan besides devices.
type Loader struct {
	Found       bool              `json:"found"`
	Version     vk.Version        `json:"version"`
	Library     string            `json:"library,omitempty"` // file that was loaded, where the system tells
	Problem     string            `json:"problem,omitempty"`
	Layers      []string          `json:"layers,omitempty"`
	Environment map[string]string `json:"environment,omitempty"` // variables that steer the loader
	Drivers     []DriverFile      `json:"drivers"`
	Hint        string            `json:"hint,omitempty"` // why a GPU of this machine may be hidden
}

// DriverFile is one manifest of an installable driver, asked alone.
type DriverFile struct {
	File    string   `json:"file"`
	Library string   `json:"library"`
	Devices []string `json:"devices"`
	Problem string   `json:"problem,omitempty"`
}

// Variables by which the loader is told which drivers to use: the first names the only ones, older loaders know the second.
const (
	driverFiles    = "VK_DRIVER_FILES"
	icdFilenames   = "VK_ICD_FILENAMES"
	addDriverFiles = "VK_ADD_DRIVER_FILES"
)

// survey lists the devices as a render would see them. When that crashes, it puts the list together from the drivers that
// answer alone.
func survey(ctx context.Context, o Options) (Loader, []Device) {
	l := Loader{Environment: map[string]string{}, Drivers: []DriverFile{}}
	for _, name := range []string{driverFiles, icdFilenames, addDriverFiles, "VK_INSTANCE_LAYERS", "VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE"} {
		if v := os.Getenv(name); v != "" {
			l.Environment[name] = v
		}
	}
	all, err := listInChild(ctx, o, nil)
	l.take(all)
	l.Problem = all.Problem
	crashed := err != nil
	if crashed {
		l.Problem = "listing all devices at once: " + err.Error()
	}
	var devices []Device
	for _, i := range all.Devices {
		devices = append(devices, newDevice(i))
	}
	for _, file := range manifests() {
		d := DriverFile{File: file, Library: library(file), Devices: []string{}}
		alone := []string{driverFiles + "=" + file, icdFilenames + "=" + file}
		var found Listing
		if all.Loader || crashed {
			found, err = listInChild(ctx, o, alone)
			if d.Problem = found.Problem; err != nil {
				d.Problem = err.Error()
			}
		}
		l.take(found)
		for _, i := range found.Devices {
			d.Devices = append(d.Devices, i.Name)
			known := slices.ContainsFunc(devices, func(k Device) bool { return k.UUID == i.UUID })
			if crashed && !known {
				more := newDevice(i)
				more.Index, more.environment = len(devices), alone
				devices = append(devices, more)
			}
		}
		l.Drivers = append(l.Drivers, d)
	}
	return l, devices
}

// take keeps what the first child that found the loader says of it.
func (l *Loader) take(a Listing) {
	if a.Loader && !l.Found {
		l.Found, l.Version, l.Library, l.Layers = true, a.Version, a.Library, a.Layers
	}
}

// library is the driver that a manifest names.
func library(manifest string) string {
	var m struct {
		ICD struct {
			Library string `json:"library_path"`
		}
	}
	text, err := os.ReadFile(manifest)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return ""
	}
	return m.ICD.Library
}

// manifests finds the driver files as the loader does on Unix (LoaderDriverInterface.md, "Driver Discovery"). Windows
// keeps them in the registry, where only the loader looks.
func manifests() (files []string) {
	if runtime.GOOS == "windows" {
		return nil
	}
	for _, name := range []string{driverFiles, icdFilenames} {
		if v := os.Getenv(name); v != "" {
			return expand(filepath.SplitList(v))
		}
	}
	home, _ := os.UserHomeDir()
	var dirs []string
	add := func(variable, otherwise string) {
		v := os.Getenv(variable)
		if v == "" {
			v = otherwise
		}
		dirs = append(dirs, filepath.SplitList(v)...)
	}
	add("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	add("XDG_CONFIG_DIRS", "/etc/xdg")
	dirs = append(dirs, "/usr/local/etc", "/etc")
	add("XDG_DATA_HOME", filepath.Join(home, ".local/share"))
	add("XDG_DATA_DIRS", "/usr/local/share:/usr/share")
	paths := filepath.SplitList(os.Getenv(addDriverFiles))
	for _, d := range dirs {
		paths = append(paths, filepath.Join(d, "vulkan", "icd.d"))
	}
	return expand(paths)
}

// expand replaces folders by the manifests in them and names each file once.
func expand(paths []string) (files []string) {
	for _, p := range paths {
		found := []string{p}
		if s, err := os.Stat(p); err == nil && s.IsDir() {
			found, _ = filepath.Glob(filepath.Join(p, "*.json"))
		} else if err != nil && !strings.HasSuffix(p, ".json") {
			continue
		}
		for _, f := range found {
			if !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	return files
}
