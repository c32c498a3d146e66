package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// Output rules. Results (tables, JSON, paths of files written) go to Stdout and nothing else does; progress, warnings and
// errors go to Stderr, one line each, an error as `program: stage: call: reason`. No other part of a command prints.

// A Console is a program's two output streams. Stderr may be written to by several goroutines.
type Console struct {
	Stdout, Stderr io.Writer
	program        string
	mu             sync.Mutex
	drawn          int // width of the progress line that stands on the terminal
}

// result is standard output. It keeps the first error, because a result that went to a full disk is none.
type result struct {
	w    io.Writer
	err  error
	done bool // the files that the verb was to write are in place
}

func (r *result) Write(p []byte) (int, error) {
	n, err := r.w.Write(p)
	if err != nil && r.err == nil && !r.done {
		r.err = err
	}
	return n, err
}

// FilesWritten tells that a verb's output files are in place: what it prints from then on is an account of them, whose loss is no failure.
func (c *Console) FilesWritten() {
	if r, ok := c.Stdout.(*result); ok {
		r.done = true
	}
}

// lost is why some of the result did not reach standard output, or nil.
func (c *Console) lost() error {
	if r, ok := c.Stdout.(*result); ok {
		return r.err
	}
	return nil
}

// NewConsole returns the console of the program of that name.
func NewConsole(program string, stdout, stderr io.Writer) *Console {
	return &Console{Stdout: &result{w: stdout}, Stderr: stderr, program: program}
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
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wipe()
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
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.Terminal() {
		fmt.Fprintln(c.Stderr, text)
		return
	}
	c.wipe()
	fmt.Fprint(c.Stderr, text)
	c.drawn = len(text)
}

// Wipe removes the progress line.
func (c *Console) Wipe() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wipe()
}

func (c *Console) wipe() {
	if c.drawn > 0 {
		fmt.Fprint(c.Stderr, "\r", strings.Repeat(" ", c.drawn), "\r")
		c.drawn = 0
	}
}
