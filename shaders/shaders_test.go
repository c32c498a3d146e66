package shaders_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"grsplat/shaders"
	"grsplat/shaders/spirv"
)

func manifest(t *testing.T) shaders.Manifest {
	t.Helper()
	m, err := shaders.Committed()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every committed file is the one that the manifest names, made from the sources as they are.
func TestNothingIsStale(t *testing.T) {
	t.Parallel()
	m := manifest(t)
	if len(m.Entries) != len(shaders.Variants()) {
		t.Fatalf("%d manifest entries, %d variants: run go run ./tools/shadergen", len(m.Entries), len(shaders.Variants()))
	}
	for i, v := range shaders.Variants() {
		e := m.Entries[i]
		digest, err := v.Digest(os.DirFS("."), m.Flags, m.Compiler)
		if err != nil {
			t.Fatal(err)
		}
		code, err := v.Code()
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(code)
		if e.Name != v.Name || e.Source != v.Source || e.Digest != digest || e.SPIRV != hex.EncodeToString(sum[:]) {
			t.Errorf("%s is stale: run go run ./tools/shadergen", v.Name)
		}
	}
	files, err := filepath.Glob("spv/*.spv")
	if err != nil || len(files) != len(m.Entries) {
		t.Errorf("%d files of SPIR-V for %d variants (%v)", len(files), len(m.Entries), err)
	}
}

// A digest sees a change of any include and of the defines.
func TestDigestSeesIncludes(t *testing.T) {
	t.Parallel()
	v, _ := shaders.Lookup("tile16-f64")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	digest := func(v shaders.Variant) string {
		d, err := v.Digest(os.DirFS(dir), nil, "")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	before := digest(v)
	for _, name := range []string{"footprint.glsl", "tally.glsl", "tile.comp"} {
		text, _ := os.ReadFile(filepath.Join(dir, name))
		if err := os.WriteFile(filepath.Join(dir, name), append(text, ' '), 0o644); err != nil {
			t.Fatal(err)
		}
		after := digest(v)
		if after == before {
			t.Errorf("a change of %s kept the digest", name)
		}
		before = after
	}
	v.Defines = []string{"TILE=8"}
	if digest(v) == before {
		t.Error("other defines kept the digest")
	}
}

// capabilities of SPIR-V (section 3.31) by the feature that a row must list for them.
var capabilities = map[uint32]string{
	1:    "", // Shader
	10:   "shaderFloat64",
	11:   "shaderInt64",
	12:   "shaderBufferInt64Atomics",
	4467: "shaderRoundingModeRTEFloat64",
	6033: "shaderBufferFloat32AtomicAdd",
	6034: "shaderBufferFloat64AtomicAdd",
}

// doubles are the GLSL.std.450 instructions that are defined and exact for float64: Trunc, RoundEven, FAbs, Floor, Ceil, FMin, FMax,
// FClamp, packing. Exp, log, pow and their like exist for 16 and 32 bits only, sqrt is not always rounded, Fma may fuse: only the mesh,
// whose sums have no fixed order, has it.
var doubles = []uint32{2, 3, 4, 8, 9, 37, 40, 43, 59, 65}

const fma = 50

// A module declares only what its row lists, fuses nothing and calls no float64 function that drivers lack.
func TestModulesKeepToTheirRows(t *testing.T) {
	t.Parallel()
	for _, v := range shaders.Variants() {
		code, err := v.Code()
		if err != nil {
			t.Fatal(err)
		}
		m, err := spirv.Parse(code)
		if err != nil {
			t.Fatalf("%s: %v", v.Name, err)
		}
		used := []string{}
		for _, c := range m.Capabilities {
			feature, known := capabilities[c]
			if !known {
				t.Errorf("%s: capability %d is in no row", v.Name, c)
			} else if feature != "" {
				used = append(used, feature)
			}
		}
		want := slices.Clone(v.Needs)
		slices.Sort(used)
		slices.Sort(want)
		if !slices.Equal(used, want) {
			t.Errorf("%s: the module uses %v, its row lists %v", v.Name, used, want)
		}
		for _, op := range m.Double {
			if !slices.Contains(doubles, op) && !(op == fma && v.Precision == "mesh") {
				t.Errorf("%s: GLSL.std.450 instruction %d in float64", v.Name, op)
			}
		}
		if m.Loose > 0 {
			t.Errorf("%s: %d float64 operations without `precise`", v.Name, m.Loose)
		}
		if n := m.LocalSize[0] * m.LocalSize[1] * m.LocalSize[2]; int(n) != v.Invocations && !m.Sized {
			t.Errorf("%s: %d invocations, its row says %d", v.Name, n, v.Invocations)
		}
		if m.SharedBytes > v.Shared {
			t.Errorf("%s: %d bytes of shared memory, its row says %d", v.Name, m.SharedBytes, v.Shared)
		}
	}
}

// What a path needs covers what the kernels beside it need.
func TestPathsCoverTheirKernels(t *testing.T) {
	t.Parallel()
	for _, path := range shaders.Variants() {
		if path.Path == "" {
			continue
		}
		for _, k := range shaders.Variants() {
			if k.Path != "" || k.Precision != "" && k.Precision != path.Precision {
				continue
			}
			for _, need := range k.Needs {
				if !slices.Contains(path.Needs, need) {
					t.Errorf("%s does not list %s, which %s needs", path.Name, need, k.Name)
				}
			}
			if k.Invocations > path.Invocations {
				t.Errorf("%s has fewer invocations than %s", path.Name, k.Name)
			}
		}
		if path.Path == "tile16" && (path.Invocations != 256 || path.Shared > 16<<10) || path.Path == "tile32" && path.Invocations != 1024 {
			t.Errorf("%s: %d invocations, %d bytes shared", path.Name, path.Invocations, path.Shared)
		}
	}
	if v, ok := shaders.Find("tile16", "f32"); !ok || len(v.Needs) != 0 {
		t.Errorf("tile16-f32 needs %v", v.Needs)
	}
}

// Push has the fields of common.glsl in their order, and its state words their numbers.
func TestPushMatchesGLSL(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("common.glsl")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile(`(?s)uniform Push \{(.*?)\} pc;`).FindSubmatch(text)
	var names []string
	for _, line := range strings.Split(string(block[1]), "\n") {
		line, _, _ = strings.Cut(line, "//")
		for _, f := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ,;", r) }) {
			if f != "int" && f != "uint" {
				names = append(names, strings.ToLower(f))
			}
		}
	}
	var fields []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[shaders.Push]()) {
		fields = append(fields, strings.ToLower(f.Name))
	}
	if !slices.Equal(names, fields) {
		t.Errorf("common.glsl has %v, Push has %v", names, fields)
	}
	if shaders.PushBytes > 128 {
		t.Errorf("%d bytes of push constants, Vulkan promises 128", shaders.PushBytes)
	}
	words := map[string]int{"PREPARED": shaders.Prepared, "CONSUMED": shaders.Consumed, "CONTRIB_LO": shaders.ContribLo, "CONTRIB_HI": shaders.ContribHi,
		"OVERFLOW": shaders.Overflow, "ENTRIES": shaders.Entries, "ITEMS": shaders.Items, "MERGES": shaders.Merges, "GROUPS": shaders.Groups, "SLOTS": shaders.Slots}
	for _, m := range regexp.MustCompile(`const uint (\w+) = (\d+)u;`).FindAllSubmatch(text, -1) {
		if want, ok := words[string(m[1])]; ok && string(m[2]) != strconv.Itoa(want) {
			t.Errorf("%s is %s in GLSL, %d in Go", m[1], m[2], want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, v := range shaders.Variants()[:3] {
		code, _ := v.Code()
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code []byte) { spirv.Parse(code) }) // must not panic
}
