// Command slimescan finds Minecraft world seeds in which a rectangle of chunks is all slime chunks, for many positions.
package main

import (
	"encoding/json"
	"fmt"

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
		Name:    "slimescan",
		About:   "finds world seeds in which a rectangle of chunks is all slime chunks.",
		Try:     "slimescan scan --class-of 51069,419124 -o hits.csv",
		Abandon: outfile.Abandon,
		Version: version,
		Commit:  commit,
		Verbs:   []cli.Verb{scanVerb, verifyVerb, benchVerb, estimateVerb},
	}
}

// writeJSON writes v to a new file, whole.
func writeJSON(path string, force bool, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("report: encode: %w", err)
	}
	f, err := outfile.Create(path, force)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(append(text, '\n')); err != nil {
		return err
	}
	return f.Commit()
}
