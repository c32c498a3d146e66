package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"grsplat/render/fail"
)

// Output rules. Results (tables, JSON, paths of files written) go to stdout and nothing else does; progress, warnings and
// errors go to stderr, one line each, an error as `grsplat: stage: call: reason`. No other function of the program prints.

// A console is the program's two output streams.
type console struct {
	stdout, stderr io.Writer
}

func newConsole(stdout, stderr io.Writer) *console { return &console{stdout, stderr} }

// printf writes a line of the result.
func (c *console) printf(format string, args ...any) { fmt.Fprintf(c.stdout, format+"\n", args...) }

// errorf writes an error or a warning.
func (c *console) errorf(format string, args ...any) {
	fmt.Fprintf(c.stderr, "grsplat: "+format+"\n", args...)
}

// json writes v as the whole result, indented.
func (c *console) json(v any) error {
	enc := json.NewEncoder(c.stdout)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("output: encode: %w", err)
	}
	return nil
}

func (c *console) usage(verbs []verb) {
	c.printf("grsplat draws star catalogues, through a gravitational lens or flat space, as HDR images.\n")
	for _, v := range verbs {
		if v.summary != "" {
			if v.summary != "" { // the others are for grsplat itself
				c.printf("  %-8s %s", v.name, v.summary)
			}
		}
	}
	c.printf("\nTry: grsplat render -o sky.png\nEach verb explains itself: grsplat VERB --help")
}

// parse reads a verb's flags. It returns done when --help was asked for and printed.
func (c *console) parse(v *verb, flags *pflag.FlagSet, args []string) (done bool, err error) {
	flags.SortFlags = false
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	err = flags.Parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		c.printf("usage: grsplat %s %s\n\n%s.\n\nExample:\n  %s\n\nFlags:\n%s", v.name, v.args, v.summary, v.example, flags.FlagUsages())
		return true, nil
	}
	if err != nil {
		return false, fail.Usage("%s: %w; see grsplat %s --help", v.name, err, v.name)
	}
	return false, nil
}
