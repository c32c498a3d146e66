package compile

import (
	"bytes"
	"testing"

	"grsplat/shaders"
	"grsplat/tools/require"
)

// Where the compiler of the manifest is installed, it gives the committed bytes.
func TestCompilerGivesCommittedBytes(t *testing.T) {
	t.Parallel()
	version, err := Version()
	if err != nil {
		require.Tool(t, "glslc", err)
	}
	m, err := shaders.Committed()
	if err != nil {
		t.Fatal(err)
	}
	if version != m.Compiler {
		t.Logf("this glslc is %q, the manifest's %q: bytes are not compared", version, m.Compiler)
	}
	for _, v := range shaders.Variants() {
		got, err := Variant("../../../shaders", v)
		if err != nil {
			t.Fatal(err)
		}
		want, err := v.Code()
		if err != nil {
			t.Fatal(err)
		}
		if version == m.Compiler && !bytes.Equal(got, want) {
			t.Errorf("%s: the committed SPIR-V is not what its source compiles to", v.Name)
		}
	}
}
