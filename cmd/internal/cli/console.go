package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Output rules. Results (tables, JSON, paths of files written) go to Stdout and nothing else does; progress, warnings and
// errors go to Stderr, one line each, an error as `program: stage: call: reason`. No other part of a command prints.

// A Console is a program's two output streams.
type Console struct {
	Stdout, Stderr io.Writer
	program        string
	drawn          int // width of the progress line that stands on the terminal
}

// NewConsole returns the console of the program of that name.
func NewConsole(program string, stdout, stderr io.Writer) *Console {
	return &Console{Stdout: stdout, Stderr: stderr, program: program}
}

// Terminal tells whether Stderr is one.
func (c *Console) Terminal() bool {
	f, ok := c.Stderr.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Printf writes a line of the result.
func (c *Console) Printf(format string, args ...any) { fmt.Fprintf(c.Stdout, format+"\n", args...) }

// Errorf writes an error or a warning, as one line even where several errors were joined.
func (c *Console) Errorf(format string, args ...any) {
	c.Wipe()
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "; ")
	fmt.Fprintf(c.Stderr, "%s: %s\n", c.program, text)
}

// JSON writes v as the whole result, indented.
func (c *Console) JSON(v any) error {
	enc := json.NewEncoder(c.Stdout)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("output: encode: %w", err)
	}
	return nil
}

// Progress writes a line that the next one replaces on a terminal.
func (c *Console) Progress(text string) {
	if !c.Terminal() {
		fmt.Fprintln(c.Stderr, text)
		return
	}
	c.Wipe()
	fmt.Fprint(c.Stderr, text)
	c.drawn = len(text)
}

// Wipe removes the progress line.
func (c *Console) Wipe() {
	if c.drawn > 0 {
		fmt.Fprint(c.Stderr, "\r", strings.Repeat(" ", c.drawn), "\r")
		c.drawn = 0
	}
}
