// Command hipbuild compiles the kernels of render/sink/hip into code objects for each target, with clang alone and no file of
// ROCm, asserts what their machine code must be, and writes the manifest. `./build.sh hip` runs it.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	root := flag.String("root", ".", "root of the repository")
	compiler := flag.String("compiler", "clang-19", "clang that knows the targets; its llvm-objdump and llvm-readobj lie beside it")
	flag.Parse()
	if err := build(*root, *compiler); err != nil {
		fmt.Fprintf(os.Stderr, "hipbuild: %v\n", err)
		os.Exit(1)
	}
}
