// Package shaders holds the GLSL sources, the SPIR-V that tools/shadergen compiles from them, and the table of variants that
// the generator and the selector both read. A user needs no compiler: the .spv files are committed and embedded. After a
// change, run `go run ./tools/shadergen`; a test without a compiler fails on any stale file.
package shaders

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

//go:embed spv/*.spv manifest.json
var compiled embed.FS

// Manifest is what tools/shadergen writes beside the SPIR-V.
type Manifest struct {
	Compiler string   `json:"compiler"` // first line of its version text, and of its parts
	Flags    []string `json:"flags"`
	Entries  []Entry  `json:"variants"`
}

// An Entry describes one compiled variant.
type Entry struct {
	Name     string `json:"name"`
	Source   string `json:"source"`
	Digest   string `json:"digest"` // of source, includes, defines, flags and compiler
	SPIRV    string `json:"spirv"`  // SHA-256 of the compiled file
	Bindings []int  `json:"bindings"`
}

// Committed returns the embedded manifest.
func Committed() (Manifest, error) {
	var m Manifest
	raw, err := compiled.ReadFile("manifest.json")
	if err == nil {
		err = json.Unmarshal(raw, &m)
	}
	if err != nil {
		return m, fmt.Errorf("shaders: manifest: %w", err)
	}
	return m, nil
}

// Code returns the variant's SPIR-V.
func (v Variant) Code() ([]byte, error) {
	code, err := compiled.ReadFile("spv/" + v.Name + ".spv")
	if err != nil {
		return nil, fmt.Errorf("shaders: %w", err)
	}
	return code, nil
}

// Bindings returns how many storage buffers a dispatch of the variant binds: the highest binding it uses, and all below.
func (m Manifest) Bindings(name string) (int, error) {
	for _, e := range m.Entries {
		if e.Name == name {
			return slices.Max(e.Bindings) + 1, nil
		}
	}
	return 0, fmt.Errorf("shaders: no variant %s in the manifest", name)
}

// Digest is the hex SHA-256 of all that decides the variant's SPIR-V: the sources in dir, the defines, flags and compiler.
func (v Variant) Digest(dir fs.FS, flags []string, compiler string) (string, error) {
	h := sha256.New()
	files, err := includes(dir, v.Source, nil)
	if err != nil {
		return "", err
	}
	for _, name := range files {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return "", fmt.Errorf("shaders: %w", err)
		}
		fmt.Fprintf(h, "%s %d\n%s", name, len(text), text)
	}
	fmt.Fprintf(h, "%q %q %q", v.Defines, flags, compiler)
	return hex.EncodeToString(h.Sum(nil)), nil
}

var includeLine = regexp.MustCompile(`(?m)^#include "([^"]+)"`)

// includes returns name and what it includes, each once, in the order of first mention.
func includes(dir fs.FS, name string, seen []string) ([]string, error) {
	if slices.Contains(seen, name) {
		return seen, nil
	}
	text, err := fs.ReadFile(dir, name)
	if err != nil {
		return nil, fmt.Errorf("shaders: %w", err)
	}
	seen = append(seen, name)
	for _, m := range includeLine.FindAllStringSubmatch(string(text), -1) {
		if seen, err = includes(dir, m[1], seen); err != nil {
			return nil, err
		}
	}
	return seen, nil
}

// Key is a digest of all compiled shaders, for caches that depend on them.
func (m Manifest) Key() string {
	var all strings.Builder
	for _, e := range m.Entries {
		all.WriteString(e.SPIRV)
	}
	sum := sha256.Sum256([]byte(all.String()))
	return hex.EncodeToString(sum[:])
}
