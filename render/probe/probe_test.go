package probe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"grsplat/render/fail"
	"grsplat/tools/require"
	"grsplat/vk"
)

// The test binary stands in for grsplat's hidden verb.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "_probe" {
		if err := Child(context.Background(), os.Args[2:], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(fail.Status(err))
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func options() Options { return Options{Self: []string{os.Args[0], "_probe"}} }

// lavapipe is the manifest of Mesa's CPU driver.
func lavapipe(t *testing.T) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/share/vulkan/icd.d/lvp_icd*.json")
	var err error
	if len(found) == 0 {
		err = errors.New("no lvp_icd*.json")
	}
	require.Tool(t, "vulkan", err)
	return found[0]
}

// badDriver compiles a driver with one line of C in its constructor and returns its manifest.
func badDriver(t *testing.T, line string) string {
	t.Helper()
	dir := t.TempDir()
	source, library, manifest := filepath.Join(dir, "bad.c"), filepath.Join(dir, "libbad.so"), filepath.Join(dir, "bad.json")
	code := "#include <stdlib.h>\n#include <unistd.h>\n__attribute__((constructor)) static void start(void) { " + line + " }\n"
	if err := os.WriteFile(source, []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", library, source).CombinedOutput()
	if err != nil {
		require.Tool(t, "vulkan", fmt.Errorf("gcc: %w: %s", err, out))
	}
	text := fmt.Sprintf(`{"file_format_version":"1.0.0","ICD":{"library_path":%q,"api_version":"1.3.0"}}`, library)
	if err := os.WriteFile(manifest, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return manifest
}

// A driver that aborts when it is loaded takes the list of all devices with it, and hides none of them.
func TestCrashingDriver(t *testing.T) {
	lvp := lavapipe(t)
	bad := badDriver(t, "abort();")
	t.Setenv(driverFiles, bad+":"+lvp)
	l, devices := survey(t.Context(), options())
	if !strings.Contains(l.Problem, "at once: ended by exit status 2: SIGABRT") || !l.Found || l.Version < vk.MinVersion || l.Environment[driverFiles] == "" {
		t.Errorf("loader %+v", l)
	}
	if len(l.Drivers) != 2 || l.Drivers[0].File != bad || !strings.Contains(l.Drivers[0].Problem, "SIGABRT: abort") || len(l.Drivers[0].Devices) != 0 {
		t.Errorf("drivers %+v", l.Drivers)
	}
	if len(devices) != 1 || devices[0].Type != vk.CPU || devices[0].environment == nil || l.Drivers[1].Devices[0] != devices[0].Name {
		t.Fatalf("devices %+v", devices)
	}
	m, err := measureInChild(t.Context(), options(), &devices[0], Path{Path: "tile16", Precision: "f32"})
	if err != nil || m.SelfTest != passed || m.Speed <= 0 || len(m.Inputs) != len(inputs) {
		t.Errorf("measured %+v, %v", m, err)
	}
}

func TestHangingChild(t *testing.T) {
	lavapipe(t)
	t.Setenv(driverFiles, badDriver(t, "sleep(60);"))
	var l Listing
	start := time.Now()
	if err := options().child(t.Context(), time.Second, nil, &l, taskList, ""); err == nil || err.Error() != "no answer within 1s" {
		t.Errorf("got %v after %v", err, time.Since(start))
	}
}

// A machine without drivers, or without a loader, is an answer; only a device that was named is missed.
func TestNoDevice(t *testing.T) {
	lavapipe(t)
	nowhere := filepath.Join(t.TempDir(), "nowhere.json")
	t.Setenv(driverFiles, nowhere)
	r, err := Run(t.Context(), options())
	if err != nil || len(r.Devices) != 0 || !r.Loader.Found || !strings.HasPrefix(r.Loader.Problem, "vulkan: vkCreateInstance: no vulkan driver found") {
		t.Errorf("got %+v, %v", r, err)
	}
	if len(r.Loader.Drivers) != 1 || r.Loader.Drivers[0].File != nowhere || r.Loader.Drivers[0].Problem == "" {
		t.Errorf("drivers %+v", r.Loader.Drivers)
	}
	o := options()
	o.Library = filepath.Join(t.TempDir(), "libvulkan.so.1")
	r, err = Run(t.Context(), o)
	if table := strings.Join(r.Table(), "\n"); err != nil || r.Loader.Found || !strings.Contains(table, "no vulkan loader") || !strings.Contains(table, "no vulkan device") {
		t.Errorf("without a loader: %v\n%s", err, table)
	}
	o.Device = "0"
	if _, err = Run(t.Context(), o); fail.Status(err) != fail.StatusBackend {
		t.Errorf("a named device that is not there: %v", err)
	}
}

func TestChildProtocol(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := Child(t.Context(), []string{"dance"}, &b); fail.Status(err) != fail.StatusUsage {
		t.Errorf("unknown task: %v", err)
	}
	for _, self := range [][]string{{"/nowhere/grsplat"}, {"/bin/echo"}, {"/bin/sh", "-c", "echo grsplat: broken >&2; exit 4"}} {
		o := Options{Self: self}
		var l Listing
		if err := o.child(t.Context(), time.Minute, nil, &l, taskList, ""); err == nil {
			t.Errorf("%v answered", self)
		} else if self[0] == "/bin/sh" && err.Error() != "ended by exit status 4: broken" {
			t.Errorf("got %v", err)
		}
	}
	if m := measure(t.Context(), "", "0", "tile16", "f80"); !strings.Contains(m.SelfTest, "f80") {
		t.Errorf("got %+v", m)
	}
	if m := measure(t.Context(), "/nowhere/libvulkan.so", "0", "tile16", "f64"); !strings.Contains(m.SelfTest, "no vulkan loader") {
		t.Errorf("got %+v", m)
	}
}

func TestManifests(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"etc/vulkan/icd.d/b.json", "etc/vulkan/icd.d/note.txt", "data/vulkan/icd.d/a.json", "more/c.json"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(`{"ICD":{"library_path":"libx.so"}}`), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range []string{driverFiles, icdFilenames, "XDG_CONFIG_HOME", "XDG_DATA_HOME"} {
		t.Setenv(v, "")
	}
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_DIRS", filepath.Join(dir, "etc"))
	t.Setenv("XDG_DATA_DIRS", filepath.Join(dir, "data")+":"+filepath.Join(dir, "data"))
	t.Setenv(addDriverFiles, filepath.Join(dir, "more", "c.json"))
	var got []string
	for _, f := range manifests() {
		if strings.HasPrefix(f, dir) {
			got = append(got, filepath.Base(f))
		}
	}
	if !slices.Equal(got, []string{"c.json", "b.json", "a.json"}) {
		t.Errorf("found %v", got)
	}
	if l := library(filepath.Join(dir, "more/c.json")); l != "libx.so" {
		t.Errorf("library %q", l)
	}
	t.Setenv(driverFiles, filepath.Join(dir, "more"))
	if got := manifests(); len(got) != 1 || filepath.Base(got[0]) != "c.json" {
		t.Errorf("named alone: %v", got)
	}
}
