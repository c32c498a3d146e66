// Package hipcpu builds stand-ins for the HIP runtime, so that the kernels of render/sink/hip run where there is no AMD GPU:
// a libamdhip64.so that runs them on the CPU, and a program that replays a trace of such a run under a sanitizer. tools/hipcuda is
// the same for NVIDIA GPUs. Test only.
package hipcpu

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
)

// Flavour is how a replay is compiled.
type Flavour string

const (
	Plain   Flavour = "plain"
	Address Flavour = "address" // AddressSanitizer and UndefinedBehaviorSanitizer
	Thread  Flavour = "thread"  // ThreadSanitizer; the threads of a block are real ones
)

// flags of every build: as the objects, without contraction.
var flags = []string{"-std=c++17", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-pthread"}

var sanitizers = map[Flavour][]string{
	Plain:   nil,
	Address: {"-fsanitize=address,undefined", "-fno-sanitize-recover=all"},
	Thread:  {"-fsanitize=thread", "-DHIPCPU_THREADS"},
}

// Compiler returns the C++ compiler to use.
func Compiler() (string, error) {
	for _, name := range []string{"g++", "clang++-19", "clang++"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no C++ compiler")
}

// here is the folder of the sources.
func here() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "src")
}

// Kernels is the folder of the kernels.
func Kernels() string { return filepath.Join(here(), "../../../render/sink/hip") }

// Library builds the stand-in for libamdhip64.so in dir and returns its path.
func Library(dir string) (string, error) {
	out := filepath.Join(dir, "libamdhip64.so")
	return out, compile(out, Kernels(), []string{"-fPIC", "-shared"}, "runtime.cc", "block.cc", "object.cc", "kernels.cc")
}

// Replay builds the program that replays traces with the kernels of the given folder.
func Replay(dir, kernels string, f Flavour) (string, error) {
	out := filepath.Join(dir, "replay-"+string(f))
	return out, compile(out, kernels, sanitizers[f], "replay.cc", "runtime.cc", "block.cc", "object.cc", "kernels.cc")
}

func compile(out, kernels string, extra []string, sources ...string) error {
	compiler, err := Compiler()
	if err != nil {
		return err
	}
	args := append(slices.Concat(flags, extra), "-I"+here(), "-I"+kernels, "-I"+Kernels(), "-o", out)
	for _, s := range sources {
		args = append(args, filepath.Join(here(), s))
	}
	if text, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("hipcpu: compile %s: %w\n%s", filepath.Base(out), err, text)
	}
	return os.Chmod(out, 0o755)
}
