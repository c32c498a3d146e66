package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// folder of the backend below the root, and the sources whose change makes its objects stale.
const folder = "render/sink/hip"

var sources = []string{"kernels.hip", "mesh.hip", "mesh_lattice.hip", "args.h", "device.h"}

// targets are the devices: Polaris, Vega, RDNA 2, 3 and 4.
var targets = []string{"gfx803", "gfx900", "gfx1030", "gfx1100", "gfx1201"}

// flags but for the target. Without contraction no product is fused into a sum; code object version 5 is what ROCm 5.2 to 7
// load.
var flags = []string{
	"-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "-nogpuinc", "-nogpulib", "-mcode-object-version=5", "-fuse-cuid=none",
	"-O3", "-ffp-contract=off", "-std=c++17", "-Wall", "-Wextra", "-Werror",
}

// A manifest says what the committed objects were made of.
type manifest struct {
	Compiler string            `json:"compiler"`
	Flags    []string          `json:"flags"`
	Sources  map[string]string `json:"sources"` // SHA-256 by file
	Objects  map[string]string `json:"objects"`
	Kernels  []kernel          `json:"kernels"` // of the newest target
}

// A kernel is what its code object says of itself.
type kernel struct {
	Name      string `json:"name"`
	Arguments int    `json:"argument_bytes"`
	Shared    int    `json:"shared_bytes"`
	VGPRs     int    `json:"vgprs"`
	SGPRs     int    `json:"sgprs"`
}

func objectFile(target string) string { return "grsplat_" + target + ".hsaco" }

// build compiles every target into the tree, checks it, and writes the manifest last.
func build(root, compiler string) error {
	dir := filepath.Join(root, folder)
	m := manifest{Flags: flags, Objects: map[string]string{}}
	var err error
	if m.Compiler, err = version(compiler); err != nil {
		return err
	}
	if m.Sources, err = digests(dir, sources); err != nil {
		return err
	}
	for _, target := range targets {
		out := filepath.Join(dir, "co", objectFile(target))
		if err := compile(dir, compiler, target, out); err != nil {
			return err
		}
		kernels, err := inspect(compiler, target, out)
		if err != nil {
			return err
		}
		m.Kernels = kernels
		sum, err := digests(filepath.Join(dir, "co"), []string{objectFile(target)})
		if err != nil {
			return err
		}
		m.Objects[target] = sum[objectFile(target)]
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "co", "manifest.json"), append(text, '\n'), 0o644)
}

// compile makes one code object. device.h takes the place of the runtime's header.
func compile(dir, compiler, target, out string) error {
	include, err := os.MkdirTemp("", "hipbuild")
	if err != nil {
		return err
	}
	defer os.RemoveAll(include)
	header, err := os.ReadFile(filepath.Join(dir, "device.h"))
	if err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(include, "hip"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(include, "hip", "hip_runtime.h"), header, 0o644); err != nil {
		return err
	}
	out, err = filepath.Abs(out)
	if err != nil {
		return err
	}
	args := append(append([]string{}, flags...), "--offload-arch="+target, "-I"+include, "kernels.hip", "-o", out)
	cmd := exec.Command(compiler, args...)
	cmd.Dir = dir // so that no path of this machine enters the object
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compile %s: %w\n%s", target, err, text)
	}
	return os.Chmod(out, 0o644)
}

// version returns the first line of the compiler's version text.
func version(compiler string) (string, error) {
	text, err := exec.Command(compiler, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", compiler, err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return line, nil
}

// digests returns the hex SHA-256 of each file in dir.
func digests(dir string, files []string) (map[string]string, error) {
	sums := map[string]string{}
	for _, name := range files {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(data)
		sums[name] = hex.EncodeToString(sum[:])
	}
	return sums, nil
}
