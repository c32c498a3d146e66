// Command grsplat draws star catalogues, seen through a gravitational lens or flat space, as scientific HDR images.
package main

import (
	"grsplat/cmd/internal/cli"
	"grsplat/render/outfile"
)

// version and commit of the program; build.sh sets them with -ldflags -X from git.
var (
	version = "dev"
	commit  = "unknown"
)

func main() { program().Main() }

func program() *cli.Program {
	return &cli.Program{
		Name:    "grsplat",
		About:   "draws star catalogues, through a gravitational lens or flat space, as HDR images.",
		Try:     "grsplat render -o sky.png",
		Abandon: outfile.Abandon,
		Version: version,
		Commit:  commit,
		// in the order in which a new user meets them
		Verbs: []cli.Verb{renderVerb, lensVerb, catalogVerb, replayVerb, probeVerb, benchVerb, compareVerb, mergeVerb, probeChildVerb},
	}
}
