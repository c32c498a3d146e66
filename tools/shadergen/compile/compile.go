// Package compile runs glslc on the variants of package shaders, for the generator and for the test that compares bytes.
package compile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"grsplat/shaders"
	"grsplat/shaders/spirv"
)

// Flags are glslc's, the same for every variant. There is no optimisation: drivers do their own, and what is committed
// stays close to the source.
var Flags = []string{"--target-env=vulkan1.2", "-Werror"}

// Version returns glslc's version and those of its parts on one line.
func Version() (string, error) {
	out, err := exec.Command("glslc", "--version").Output()
	if err != nil {
		return "", fmt.Errorf("glslc: %w", err)
	}
	return strings.Join(strings.Fields(string(out)), " "), nil
}

// Variant compiles one row; dir is the folder of the sources.
func Variant(dir string, v shaders.Variant) ([]byte, error) {
	tmp, err := os.CreateTemp("", "shadergen-*.spv")
	if err != nil {
		return nil, err
	}
	tmp.Close()
	defer os.Remove(tmp.Name())
	args := append([]string{}, Flags...)
	for _, d := range v.Defines {
		args = append(args, "-D"+d)
	}
	cmd := exec.Command("glslc", append(args, v.Source, "-o", tmp.Name())...)
	cmd.Dir = dir
	var text bytes.Buffer
	cmd.Stderr = &text
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("glslc: %s: %w\n%s", v.Name, err, text.Bytes())
	}
	return os.ReadFile(filepath.Clean(tmp.Name()))
}

// Bindings returns the storage buffers that a module declares.
func Bindings(code []byte) ([]int, error) {
	m, err := spirv.Parse(code)
	if err != nil {
		return nil, err
	}
	if len(m.Bindings) == 0 {
		return nil, errors.New("no bindings")
	}
	return m.Bindings, nil
}
