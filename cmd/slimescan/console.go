package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"grsplat/render/fail"
	"grsplat/render/outfile"
)

// Output rules. Results go to stdout and nothing else does; progress, warnings and errors go to stderr, one line each, an
// error as `slimescan: stage: call: reason`. No other function of the program prints.

// A console is the program's two output streams.
type console struct {
	stdout, stderr io.Writer
	terminal       bool // stderr is one
	drawn          int  // width of the progress line that stands on the terminal
}

func newConsole(stdout, stderr *os.File) *console {
	info, err := stderr.Stat()
	return &console{stdout: stdout, stderr: stderr, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// printf writes a line of the result.
func (c *console) printf(format string, args ...any) { fmt.Fprintf(c.stdout, format+"\n", args...) }

// errorf writes an error or a note.
func (c *console) errorf(format string, args ...any) {
	c.wipe()
	fmt.Fprintf(c.stderr, "slimescan: "+format+"\n", args...)
}

// progress writes a line that the next one replaces on a terminal.
func (c *console) progress(text string) {
	if !c.terminal {
		fmt.Fprintln(c.stderr, text)
		return
	}
	c.wipe()
	fmt.Fprint(c.stderr, text)
	c.drawn = len(text)
}

// wipe removes the progress line.
func (c *console) wipe() {
	if c.drawn > 0 {
		fmt.Fprint(c.stderr, "\r", strings.Repeat(" ", c.drawn), "\r")
		c.drawn = 0
	}
}

func (c *console) usage(verbs []verb) {
	c.printf("slimescan finds world seeds in which a rectangle of chunks is all slime chunks.\n")
	for _, v := range verbs {
		c.printf("  %-8s %s", v.name, v.summary)
	}
	c.printf("\nTry: slimescan scan --class-of 51069,419124 -o hits.csv\nEach verb explains itself: slimescan VERB --help")
}

// parse reads a verb's flags. It returns done when --help was asked for and printed.
func (c *console) parse(v *verb, flags *pflag.FlagSet, args []string) (done bool, err error) {
	flags.SortFlags = false
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	err = flags.Parse(args)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		c.printf("usage: slimescan %s %s\n\n%s.\n\nExample:\n  %s\n\nFlags:\n%s", v.name, v.args, v.summary, v.example, flags.FlagUsages())
		return true, nil
	case err != nil:
		return false, fail.Usage("%s: %w; see slimescan %s --help", v.name, err, v.name)
	case flags.NArg() > 0:
		return false, fail.Usage("%s: unexpected argument %q", v.name, flags.Arg(0))
	}
	return false, nil
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
