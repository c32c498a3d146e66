// Package cli is what the commands share: verbs, their help and flags, exit statuses, and the two output streams.
package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"grsplat/render/fail"
)

// A Program is a command made of verbs. It adds the verbs help and version.
type Program struct {
	Name            string
	About           string // one sentence
	Try             string // a first command line
	Abandon         func() // removes unfinished files when the process must end in the middle of a call
	Version, Commit string
	Verbs           []Verb // in the order of the help text
}

// A Verb is one subcommand. Run receives its own verb for the help text, parses flags with a pflag.FlagSet of its own and
// prints through the console alone.
type Verb struct {
	Name    string
	Args    string // after the name in the usage line
	Summary string // none: no help lists the verb
	Example string
	Run     func(ctx context.Context, c *Console, v *Verb, args []string) error
}

// Main runs the verb that the command line names and exits with its status.
func (p *Program) Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(p.guard(ctx, NewConsole(p.Name, os.Stdout, os.Stderr), os.Args[1:], patience))
}

// patience is how long an interrupted verb has to end by itself.
const patience = 2 * time.Second

// guard is Dispatch for a process that ends afterwards: an interrupt also ends a verb in a call that does not listen, such as a
// driver's or the opening of a pipe without a writer.
func (p *Program) guard(ctx context.Context, c *Console, args []string, patience time.Duration) int {
	status := make(chan int, 1)
	go func() { status <- p.Dispatch(ctx, c, args) }()
	select {
	case s := <-status:
		return s
	case <-ctx.Done():
	}
	select {
	case s := <-status:
		return s
	case <-time.After(patience):
	}
	p.Abandon()
	c.Errorf("interrupted in a call that does not listen; no file was written")
	return fail.StatusInterrupt
}

// Dispatch runs the verb that args name and returns the exit status.
func (p *Program) Dispatch(ctx context.Context, c *Console, args []string) int {
	err := p.run(ctx, c, args)
	if ctx.Err() != nil && err != nil {
		c.Errorf("interrupted; %s", cmp.Or(fail.Remains(err), "no file was written"))
		return fail.StatusInterrupt
	}
	if lost := c.lost(); lost != nil {
		err = fail.Input("output: %w", lost)
	}
	if err != nil {
		c.Errorf("%v", err)
	}
	return fail.Status(err)
}

func (p *Program) run(ctx context.Context, c *Console, args []string) error {
	verbs := append(p.Verbs[:len(p.Verbs):len(p.Verbs)], p.version())
	if len(args) == 0 {
		p.help(c, verbs)
		return fail.Usage("no verb given")
	}
	name, rest := args[0], args[1:]
	switch name {
	case "help", "--help", "-h":
		if len(rest) == 0 {
			p.help(c, verbs)
			return nil
		}
		name, rest = rest[0], append(rest[1:len(rest):len(rest)], "--help")
	case "--version":
		name = "version"
	}
	for _, v := range verbs {
		if v.Name == name {
			return v.Run(ctx, c, &v, rest)
		}
	}
	return fail.Usage("unknown verb %q; %s help lists them", name, p.Name)
}

func (p *Program) help(c *Console, verbs []Verb) {
	c.Printf("%s %s\n", p.Name, p.About)
	for _, v := range verbs {
		if v.Summary != "" {
			c.Printf("  %-8s %s", v.Name, v.Summary)
		}
	}
	c.Printf("\nTry: %s\nEach verb explains itself: %s VERB --help", p.Try, p.Name)
}

// Parse reads a verb's flags and leaves its other arguments in flags. It returns done when --help was asked for and printed.
func (c *Console) Parse(v *Verb, flags *pflag.FlagSet, args []string) (done bool, err error) {
	flags.SortFlags = false
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	err = flags.Parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		c.Printf("usage: %s %s %s\n\n%s.\n\nExample:\n  %s\n\nFlags:\n%s", c.program, v.Name, v.Args, v.Summary, v.Example, flags.FlagUsages())
		return true, nil
	}
	if err != nil {
		return false, fail.Usage("%s: %s; see %s %s --help", v.Name, goWords.ReplaceAllString(err.Error(), "$1 is no number that fits"), c.program, v.Name)
	}
	return false, noEmpty(v, flags)
}

// goWords is how package strconv says that an item of a list is no number.
var goWords = regexp.MustCompile(`strconv\.\w+: parsing ("[^"]*"): .*$`)

// noEmpty refuses empty texts: a shell's unset variable would otherwise stand for a default that nobody asked for.
func noEmpty(v *Verb, flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		if slices.Contains(values, "") || len(values) == 0 {
			err = fail.Usage("%s: --%s is empty: give a value or leave the flag out", v.Name, f.Name)
		}
	})
	if slices.Contains(flags.Args(), "") {
		err = fail.Usage("%s: an empty argument", v.Name)
	}
	return err
}

// ParseFlags is Parse for a verb that takes flags alone.
func (c *Console) ParseFlags(v *Verb, flags *pflag.FlagSet, args []string) (done bool, err error) {
	if done, err = c.Parse(v, flags, args); done || err != nil {
		return done, err
	}
	return false, NoArgs(flags)
}

// NoArgs refuses arguments that are no flags.
func NoArgs(flags *pflag.FlagSet) error {
	if flags.NArg() > 0 {
		return fail.Usage("%s: unexpected argument %q", flags.Name(), flags.Arg(0))
	}
	return nil
}
