// Command gen writes the vector kernels of package kern:
//
//	go run ./render/sink/cpu/kern/gen -o render/sink/cpu/kern/kern_amd64.s
//
// Its test fails when the committed file is stale.
package main

import (
	"flag"
	"log"
	"os"
)

func main() {
	out := flag.String("o", "kern_amd64.s", "assembly file to write")
	flag.Parse()
	text, err := generate()
	if err == nil {
		err = os.WriteFile(*out, text, 0o644)
	}
	if err != nil {
		log.Fatalf("gen: %v", err)
	}
}

// generate returns the assembly of every kernel at every level.
func generate() ([]byte, error) {
	a := newAsm()
	a.spans()
	a.ring()
	a.exactWide()
	a.poly()
	a.addRow()
	a.fetch()
	a.stamp()
	a.exact()
	a.cell()
	a.rim()
	a.lanes = 8
	a.stampBlocks()
	a.exactBlocks()
	a.cellBlocks()
	a.rim()
	return a.text()
}
