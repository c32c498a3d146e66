package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"grsplat/tools/require"
)

const root = "../.."

func committed(t *testing.T) manifest {
	t.Helper()
	var m manifest
	text, err := os.ReadFile(filepath.Join(root, folder, "co", "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// Needs no compiler: whoever changes a kernel and forgets ./build.sh hip fails here.
func TestObjectsAreFresh(t *testing.T) {
	t.Parallel()
	m := committed(t)
	dir := filepath.Join(root, folder)
	now, err := digests(dir, sources)
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(now, m.Sources) || !slices.Equal(flags, m.Flags) {
		t.Error("the code objects are stale: run ./build.sh hip")
	}
	for _, target := range targets {
		sum, err := digests(filepath.Join(dir, "co"), []string{objectFile(target)})
		if err != nil {
			t.Fatal(err)
		}
		if sum[objectFile(target)] != m.Objects[target] {
			t.Errorf("%s is not the object of the manifest", objectFile(target))
		}
	}
	if len(m.Objects) != len(targets) {
		t.Errorf("%d objects for %d targets", len(m.Objects), len(targets))
	}
}

func needClang(t *testing.T) string {
	t.Helper()
	const compiler = "clang-19"
	for _, name := range []string{compiler, "ld.lld-19", "llvm-objdump-19", "llvm-readobj-19"} {
		_, err := exec.LookPath(name)
		require.Tool(t, "hipcpu", err)
	}
	return compiler
}

// Where the compiler is, the committed objects come out of it byte for byte, and their machine code is as it must be.
func TestObjectsAreReproducible(t *testing.T) {
	t.Parallel()
	compiler := needClang(t)
	m := committed(t)
	same, err := version(compiler)
	if err != nil {
		t.Fatal(err)
	}
	dir, temp := filepath.Join(root, folder), t.TempDir()
	for _, target := range targets {
		out := filepath.Join(temp, objectFile(target))
		if err := compile(dir, compiler, target, out); err != nil {
			t.Fatal(err)
		}
		kernels, err := inspect(compiler, target, out)
		if err != nil {
			t.Fatal(err)
		}
		if len(kernels) != len(m.Kernels) {
			t.Errorf("%s has %d kernels", target, len(kernels))
		}
		for _, k := range kernels {
			if k.Arguments != m.Kernels[0].Arguments {
				t.Errorf("%s: %s takes %d bytes", target, k.Name, k.Arguments)
			}
		}
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(dir, "co", objectFile(target)))
		if err != nil {
			t.Fatal(err)
		}
		if same == m.Compiler && !bytes.Equal(got, want) {
			t.Errorf("%s is another object than the committed one", target)
		}
	}
}

// The assertions on machine code see what they are there for.
func TestCheckCode(t *testing.T) {
	t.Parallel()
	good := ""
	for name, n := range fusedOf {
		good += "0000000000001900 <" + name + ">:\n" + strings.Repeat("\tv_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]\n", n)
	}
	for name, n := range addsOf {
		good += "0000000000002900 <" + name + ">:\n" + strings.Repeat("\tglobal_atomic_add_u64 v[2:3], v[4:5], off\n", n)
	}
	if err := checkCode("gfx1201", good); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{
		"", good + "\tv_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", good + "\tv_fmac_f64_e32 v[0:1], v[2:3], v[4:5]",
		good + "\tglobal_atomic_cmpswap_b64 v[0:1], v2, v[2:5], s[0:1]", good + "\tscratch_store_b32 off, v0, s32", strings.Replace(good, "_u64", "_u32", 1),
		strings.Replace(good, "v_fma_f64", "v_mul_f64", 1), strings.Replace(good, "pieces", "tile16", 1),
	} {
		if checkCode("gfx1201", bad) == nil {
			t.Errorf("accepted: %q", bad)
		}
	}
}

func TestReadNotes(t *testing.T) {
	t.Parallel()
	good := "amdhsa.kernels:\n  - .args:\n      - .offset:         0\n        .size:           120\n    .group_segment_fixed_size: 4\n    .name:           k\n    .sgpr_count:     14\n    .vgpr_count:     39\n    .vgpr_spill_count: 0\n"
	kernels, err := readNotes("gfx1201", good)
	if err != nil || len(kernels) != 1 || kernels[0] != (kernel{Name: "k", Arguments: 120, Shared: 4, VGPRs: 39, SGPRs: 14}) {
		t.Errorf("%+v, %v", kernels, err)
	}
	for _, bad := range []string{"", strings.Replace(good, "spill_count: 0", "spill_count: 3", 1), strings.Replace(good, "    .group", "        .size: 8\n    .group", 1)} {
		if _, err := readNotes("gfx1201", bad); err == nil {
			t.Errorf("accepted: %q", bad)
		}
	}
}
