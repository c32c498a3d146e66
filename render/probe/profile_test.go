package probe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"grsplat/render/fail"
)

const profiles = "../../testdata/profiles/"

func profile(t testing.TB, name string) Device {
	t.Helper()
	f, err := os.Open(profiles + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := ReadProfile(f)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The rows of devices.md: what is eligible follows from each device's features and limits.
func TestProfiles(t *testing.T) {
	t.Parallel()
	const (
		tiles  = "tile16-f64 tile32-f64 tile16-f32 "
		exact  = "tile16-exact tile32-exact "
		oneGiB = 1 << 30
	)
	for _, c := range []struct {
		name             string
		eligible         string
		f64, exact, f32  string // selected
		freeMemory       uint64
		largeStorageBind bool
	}{
		{"intel-uhd630-anv", tiles + exact + "atomic-exact", "tile16", "tile16", "tile16", 24 * oneGiB / 10 * 7, false},
		{"intel-uhd620-windows", tiles + exact, "tile16", "tile16", "tile16", 24 * oneGiB / 10 * 7, false},
		{"intel-uhd630-moltenvk", "tile16-f32", "none", "none", "tile16", 24 * oneGiB / 10 * 7, false},
		{"intel-xe-anv", "tile16-f32", "none", "none", "tile16", 24 * oneGiB / 10 * 7, true},
		{"amd-wx4100-radv", tiles + exact + "atomic-exact", "tile16", "tile16", "tile16", 3840 << 19, true},
		{"amd-rx9070-radv", tiles + exact + "atomic-exact atomic-f32", "tile16", "tile16", "tile16", 16 * oneGiB / 10 * 7, true},
		{"amd-rx9070-windows", tiles + exact + "atomic-exact atomic-f32", "tile16", "tile16", "tile16", 16 * oneGiB / 10 * 7, true},
		{"nvidia-gtx1060", tiles + exact + "atomic-exact atomic-f32 atomic-f64", "tile16", "tile16", "tile16", 6 * oneGiB / 10 * 7, true},
		{"nvidia-h200", tiles + exact + "atomic-exact atomic-f32 atomic-f64", "tile16", "tile16", "tile16", 139 * oneGiB / 10 * 7, true},
		{"lavapipe", tiles + exact + "atomic-exact atomic-f32", "tile16", "tile16", "tile16", oneGiB, false},
	} {
		d := profile(t, c.name)
		want := strings.Fields(c.eligible)
		for _, p := range d.Paths {
			if p.Path == "mesh" {
				continue
			}
			id := p.Path + "-" + p.Precision
			if p.Eligible != slices.Contains(want, id) || p.Eligible != (p.Reason == "") {
				t.Errorf("%s: %s eligible %v (%s)", c.name, id, p.Eligible, p.Reason)
			}
			if p.SelfTest != "" || p.Speed != 0 {
				t.Errorf("%s: %s was measured", c.name, id)
			}
		}
		if got := fmt.Sprint(name(d.Selected.F64), name(d.Selected.Exact), name(d.Selected.F32)); got != c.f64+c.exact+c.f32 {
			t.Errorf("%s: selected %s", c.name, got)
		}
		if d.FreeMemory != c.freeMemory {
			t.Errorf("%s: %d bytes free, want %d", c.name, d.FreeMemory, c.freeMemory)
		}
		if large := d.Limits.MaxStorageBufferRange >= 1<<32-1; large != c.largeStorageBind {
			t.Errorf("%s: storage range %d", c.name, d.Limits.MaxStorageBufferRange)
		}
	}
	files, err := filepath.Glob(profiles + "*.json")
	if err != nil || len(files) != 10 {
		t.Errorf("%d profiles, %v; each has a row here", len(files), err)
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	d := profile(t, "intel-uhd630-moltenvk")
	if r := d.Refused["f64"]; !strings.Contains(r, "tile16 no: needs shaderFloat64") {
		t.Errorf("refusal %q", r)
	}
	table := strings.Join(Report{Devices: []Device{d}}.Table(), "\n")
	for _, part := range []string{"MoltenVK 1.2.9", "tile16 f64", "f64 none, exact none, f32 tile16"} {
		if !strings.Contains(table, part) {
			t.Errorf("no %q in\n%s", part, table)
		}
	}
}

// What a profile leaves out is Vulkan's minimum: 128 invocations and no feature run no kernel of 256.
func TestSparseProfile(t *testing.T) {
	t.Parallel()
	d, err := ReadProfile(strings.NewReader(`{"name":"least"}`))
	if err != nil || d.Limits.MaxComputeWorkGroupInvocations != 128 || d.Limits.MaxStorageBufferRange != 1<<27 {
		t.Fatalf("got %+v, %v", d.Limits, err)
	}
	for _, p := range d.Paths {
		if p.Eligible {
			t.Errorf("%s %s is eligible", p.Path, p.Precision)
		}
	}
	d, err = ReadProfile(strings.NewReader(`{"limits":{"maxComputeWorkGroupInvocations":256,"maxComputeWorkGroupSize":[256,256,64]},"features":{"shaderFloat64":true}}`))
	if err != nil || name(d.Selected.F64) != "tile16" || name(d.Selected.Exact) != "none" || name(d.Selected.F32) != "tile16" {
		t.Errorf("256 invocations with float64: %+v, %v", d.Selected, err)
	}
	for _, p := range d.Paths {
		if p.Path == "tile32" && (p.Eligible || p.Precision == "f64" && p.Reason != "maxComputeWorkGroupInvocations 1024, the device has 256") {
			t.Errorf("tile32 %s: %s", p.Precision, p.Reason)
		}
	}
}

// The edges of a work group count as its invocations do.
func TestProfileOfSmallGroups(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ size, reason string }{
		{`,"maxComputeWorkGroupSize":[1024,16,64]`, "maxComputeWorkGroupSize 32 along y, the device has 16"},
		{`,"maxComputeWorkGroupSize":[255,1024,64]`, "maxComputeWorkGroupSize 256 along x, the device has 255"},
		{"", "maxComputeWorkGroupSize 256 along x, the device has 128, Vulkan's minimum: the profile has none"},
	} {
		d, err := ReadProfile(strings.NewReader(`{"limits":{"maxComputeWorkGroupInvocations":1024` + c.size + `},"features":{"shaderFloat64":true}}`))
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(d.Paths, func(p Path) bool { return p.Path == "tile32" && p.Precision == "f64" })
		if d.Paths[i].Reason != c.reason || d.Paths[i].Eligible {
			t.Errorf("%s: %q", c.size, d.Paths[i].Reason)
		}
	}
}

// What a profile does not state is not made up: neither in the table nor in the JSON, which reads back as the same device.
func TestOnlyWhatIsKnown(t *testing.T) {
	t.Parallel()
	d, err := ReadProfile(strings.NewReader(`{"name":"least","Limits":{"maxComputeSharedMemorySize":32768},"memory":null}`))
	if err != nil {
		t.Fatal(err)
	}
	r := Report{Devices: []Device{d}}
	table := strings.Join(r.Table(), "\n")
	for _, want := range []string{"0: least", "memory         not in the profile", "type           not in the profile", "shared memory  32 KiB\n",
		"storage range  128 MiB, Vulkan's minimum: not in the profile"} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, made := range []string{"loader", "free_memory", `"uuid":`, `"memory":`, "maxStorageBufferRange\":", "driver_facts\":", `:""`} {
		if strings.Contains(strings.ReplaceAll(string(text), `"reason":""`, ""), made) {
			t.Errorf("%s in %s", made, text)
		}
	}
	var back struct{ Devices []json.RawMessage }
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	again, err := ReadProfile(bytes.NewReader(back.Devices[0]))
	if err != nil || !reflect.DeepEqual(again, d) {
		t.Errorf("read back: %v\n%+v\n%+v", err, again, d)
	}
	if whole := profile(t, "lavapipe"); slices.Contains(whole.NotInProfile, "memory") || whole.lacks("limits.subgroupSize") {
		t.Errorf("lavapipe lacks %v", whole.NotInProfile)
	}
}

// A file that is no profile is refused with a line that says what is wanted.
func TestNotAProfile(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "[]", `{"limit":{}}`, `{"devices":[]}`, `{"name":1}`, `{} {}`, `{"type":"gpu"}`, strings.Repeat(" ", maxProfile+1)} {
		if _, err := ReadProfile(strings.NewReader(text)); fail.Status(err) != fail.StatusInput || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

func FuzzProfile(f *testing.F) {
	for _, s := range []string{"{}", `{"type":"gpu"}`, `{"limits":{"maxComputeWorkGroupCount":[1,2,3,4]}}`, `{"memory":[{"bytes":-1}]}`, "{} {}", "[1]", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ReadProfile(strings.NewReader(text))
		if err != nil {
			if fail.Status(err) != fail.StatusInput {
				t.Errorf("status %d: %v", fail.Status(err), err)
			}
			return
		}
		if len(d.Paths) == 0 || len(Report{Devices: []Device{d}}.Table()) < 5 {
			t.Errorf("no answer for %q", text)
		}
	})
}
