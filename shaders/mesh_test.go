package shaders_test

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"grsplat/shaders"
)

// MeshPush has the fields of mesh_common.glsl in their order, and fits where every kernel's constants do.
func TestMeshPushMatchesGLSL(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("mesh_common.glsl")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile(`(?s)uniform Mesh \{(.*?)\} pm;`).FindSubmatch(text)
	var names, fields []string
	for line := range strings.Lines(string(block[1])) {
		line, _, _ = strings.Cut(line, "//")
		for _, f := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ,;\n", r) }) {
			if f != "int" && f != "uint" && f != "double" {
				names = append(names, strings.ToLower(f))
			}
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[shaders.MeshPush]()) {
		fields = append(fields, strings.ToLower(f.Name))
	}
	if !slices.Equal(names, fields) {
		t.Errorf("mesh_common.glsl has %v, MeshPush has %v", names, fields)
	}
	if n := len(shaders.MeshPush{}.Bytes()); n != shaders.PushBytes {
		t.Errorf("%d bytes of constants, the pipelines take %d", n, shaders.PushBytes)
	}
}

// The constants that the host shares with the mesh's kernels have one value.
func TestMeshConstantsMatchGLSL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, name string
		want       int
	}{
		{"mesh_fft.glsl", "POINTS", shaders.MeshPoints}, {"mesh_events.glsl", "CLASSES", shaders.MeshClasses},
		{"mesh_paste.comp", "GROUP", shaders.MeshGroup}, {"mesh_filter.comp", "WIDE", shaders.MeshWide},
		{"mesh_count.comp", "APART", shaders.MeshApart},
	} {
		text, err := os.ReadFile(c.file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), fmt.Sprintf("const uint %s = %du;", c.name, c.want)) {
			t.Errorf("%s: %s is not %d", c.file, c.name, c.want)
		}
	}
}
