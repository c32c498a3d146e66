package probe

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"grsplat/tools/require"
	"grsplat/vk"
)

func TestRun(t *testing.T) { run(t, []string{"atomic-f64", "tile16-f64", "atomic-exact"}) }

func TestRunAll(t *testing.T) {
	require.Long(t)
	run(t, nil)
}

// Every path of lavapipe passes its self-test and has a speed, the selection follows the speeds, and a second run is
// answered by the cache: it starts no child that measures.
func run(t *testing.T, only []string) {
	t.Setenv(driverFiles, lavapipe(t))
	o := options()
	o.only, o.CacheDir, o.Device = only, t.TempDir(), "LLVMpipe"
	r, err := Run(t.Context(), o)
	if err != nil || len(r.Devices) != 1 {
		t.Fatalf("got %+v, %v", r, err)
	}
	d := r.Devices[0]
	best := map[string]Path{}
	for _, p := range d.Paths {
		if !p.Eligible {
			continue
		}
		if p.SelfTest != passed || p.Speed <= 0 {
			t.Errorf("%s %s: %s, %g/s", p.Path, p.Precision, p.SelfTest, p.Speed)
		}
		if p.Speed > best[p.Precision].Speed {
			best[p.Precision] = p
		}
	}
	for precision, got := range map[string]*string{"f64": d.Selected.F64, "exact": d.Selected.Exact, "f32": d.Selected.F32} {
		want := best[precision].Path
		if want == "" {
			want = "none"
		}
		if name(got) != want {
			t.Errorf("selected %s for %s, the fastest is %s", name(got), precision, want)
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{`"loader":{`, `"driver":"llvmpipe`, `"shaderBufferFloat64AtomicAdd":false`, `"maxStorageBufferRange":`, `"selected":{"f64":"`, `"contributions_per_s":`} {
		if !strings.Contains(string(text), key) {
			t.Errorf("the report has no %s", key)
		}
	}
	again, err := Run(t.Context(), o)
	if err != nil || !slices.EqualFunc(again.Devices[0].Paths, d.Paths, func(a, b Path) bool { return a.Speed == b.Speed }) {
		t.Errorf("measured again: %v", err)
	}
}

func TestCache(t *testing.T) {
	t.Parallel()
	i := vk.Info{Name: "x", UUID: "1"}
	paths := []Path{{Path: "tile16", Precision: "f64", Eligible: true}, {Path: "atomic", Precision: "f64"}}
	c := newCache(filepath.Join(t.TempDir(), "probe"), "1", i)
	if c.read(paths) || (cache{}).read(paths) || newCache("", "1", i).write(paths) != nil {
		t.Error("read from nowhere")
	}
	measured := []Path{{Path: "tile16", Precision: "f64", Eligible: true, SelfTest: passed, Speed: 5}, {Path: "atomic", Precision: "f64", SelfTest: skipped}}
	if err := c.write(measured); err != nil {
		t.Fatal(err)
	}
	if !c.read(paths) || paths[0].Speed != 5 || paths[1].SelfTest != skipped {
		t.Errorf("read %+v", paths)
	}
	more := []Path{paths[0], {Path: "tile32", Precision: "f64", Eligible: true}}
	if c.read(more) {
		t.Error("a path that was never measured was answered")
	}
	if other := newCache(filepath.Dir(c.path), "2", i); other == c {
		t.Error("another program has the same file")
	}
	i.Driver.Version++
	if other := newCache(filepath.Dir(c.path), "1", i); other == c {
		t.Error("another driver has the same file")
	}
	if err := os.WriteFile(c.path, []byte("[{"), 0o644); err != nil || c.read(paths) {
		t.Error("a damaged file was read")
	}
	if (cache{filepath.Join(c.path, "below", "file")}).write(measured) == nil {
		t.Error("written below a file")
	}
}

func TestSelection(t *testing.T) {
	t.Parallel()
	d := Device{Paths: []Path{
		{Path: "atomic", Precision: "f64", Eligible: true, SelfTest: "pixel 3 is 0", Speed: 9},
		{Path: "tile16", Precision: "f64", Eligible: true, SelfTest: passed, Speed: 2},
		{Path: "tile32", Precision: "f64", Eligible: true, SelfTest: passed, Speed: 3},
		{Path: "mesh", Precision: "f64", Eligible: true, SelfTest: passed, Speed: 99}, // its error depends on the events
		{Path: "atomic", Precision: "exact", Eligible: true, SelfTest: "ended by signal: segmentation fault"},
		{Path: "tile16", Precision: "f32", Reason: "shaderFloat64"},
	}}
	d.choose()
	if name(d.Selected.F64) != "tile32" || d.Selected.Exact != nil || d.Selected.F32 != nil {
		t.Errorf("selected %+v", d.Selected)
	}
	if d.Refused["exact"] != "atomic refused: ended by signal: segmentation fault" || d.Refused["f32"] != "tile16 no: needs shaderFloat64" || len(d.Refused) != 2 {
		t.Errorf("refused %v", d.Refused)
	}
	old := newDevice(vk.Info{API: 1<<22 | 1<<12, HasQueue: true})
	old.judge()
	if old.Problem != "vulkan 1.1.0, needs 1.2.0" || old.Selected.F32 != nil || old.Paths[0].Eligible {
		t.Errorf("an old device: %+v", old)
	}
}

func TestHIPTable(t *testing.T) {
	t.Parallel()
	h := HIP{Problem: "hip: one card is gone", Devices: []HIPDevice{{Index: 0, Name: "RX 9070", Target: "gfx1201", Eligible: true}, {Index: 1, Name: "old", Reason: "no code object"}}}
	table := Report{HIP: &h}.Table()
	if want := []string{"no vulkan device", "hip: one card is gone", "hip 0: RX 9070  eligible, gfx1201", "hip 1: old      no: no code object"}; !slices.Equal(table, want) {
		t.Errorf("got %q", table)
	}
}

func TestHint(t *testing.T) {
	t.Parallel()
	cpu, gpu := []Device{{Info: vk.Info{Type: vk.CPU}}}, []Device{{Info: vk.Info{Type: vk.Discrete}}}
	dir := t.TempDir()
	if h := hint(cpu, dir+"/renderD*"); !strings.HasPrefix(h, "no "+dir) {
		t.Errorf("no node: %q", h)
	}
	if err := os.Mkdir(dir+"/renderD128", 0o755); err != nil { // cannot be opened for writing, whoever asks
		t.Fatal(err)
	}
	if h := hint(cpu, dir+"/renderD*"); !strings.HasSuffix(h, "render group?") {
		t.Errorf("closed node: %q", h)
	}
	if err := os.WriteFile(dir+"/card0", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if h := hint(nil, dir+"/card*"); !strings.Contains(h, "driver is missing") {
		t.Errorf("open node: %q", h)
	}
	if h := hint(gpu, dir+"/renderD*"); h != "" {
		t.Errorf("with a gpu: %q", h)
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	if s := inBytes(512<<10) + " " + inBytes(3<<20) + " " + inBytes(5<<29); s != "512 KiB 3 MiB 2.5 GiB" {
		t.Errorf("sizes read %q", s)
	}
}
