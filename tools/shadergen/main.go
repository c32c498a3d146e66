// Shadergen compiles every variant of the table in package shaders with glslc and writes the SPIR-V and the manifest. It is a
// development tool: users and CI need neither it nor the compiler.
//
//	go run ./tools/shadergen        from the repository's root
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"grsplat/shaders"
	"grsplat/tools/shadergen/compile"
)

func main() {
	if err := run("shaders"); err != nil {
		fmt.Fprintln(os.Stderr, "shadergen:", err)
		os.Exit(1)
	}
}

// run compiles everything before it writes anything, so that a failure leaves the old files.
func run(dir string) error {
	compiler, err := compile.Version()
	if err != nil {
		return err
	}
	m := shaders.Manifest{Compiler: compiler, Flags: compile.Flags}
	files := map[string][]byte{}
	for _, v := range shaders.Variants() {
		entry, code, err := build(dir, v, compiler)
		if err != nil {
			return err
		}
		m.Entries = append(m.Entries, entry)
		files[v.Name+".spv"] = code
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return write(dir, files, append(text, '\n'))
}

func build(dir string, v shaders.Variant, compiler string) (shaders.Entry, []byte, error) {
	code, err := compile.Variant(dir, v)
	if err != nil {
		return shaders.Entry{}, nil, err
	}
	digest, err := v.Digest(os.DirFS(dir), compile.Flags, compiler)
	if err != nil {
		return shaders.Entry{}, nil, err
	}
	bindings, err := compile.Bindings(code)
	if err != nil {
		return shaders.Entry{}, nil, fmt.Errorf("%s: %w", v.Name, err)
	}
	sum := sha256.Sum256(code)
	return shaders.Entry{Name: v.Name, Source: v.Source, Digest: digest, SPIRV: hex.EncodeToString(sum[:]), Bindings: bindings}, code, nil
}

// write replaces the folder of SPIR-V, so that no file of a variant that is gone stays.
func write(dir string, files map[string][]byte, manifest []byte) error {
	spv := filepath.Join(dir, "spv")
	if err := os.RemoveAll(spv); err != nil {
		return err
	}
	if err := os.MkdirAll(spv, 0o755); err != nil {
		return err
	}
	for name, code := range files {
		if err := os.WriteFile(filepath.Join(spv, name), code, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "manifest.json"), manifest, 0o644)
}
