package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"grsplat/render/fail"
)

func echo(_ context.Context, c *Console, v *Verb, args []string) error {
	flags := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	word := flags.String("word", "", "what to print")
	flags.IntSlice("counts", nil, "numbers")
	if done, err := c.ParseFlags(v, flags, args); done || err != nil {
		return err
	}
	c.Printf("%s", *word)
	return nil
}

func twice(context.Context, *Console, *Verb, []string) error {
	return errors.Join(errors.New("first"), errors.New("second"))
}

func stop(ctx context.Context, _ *Console, _ *Verb, _ []string) error { return ctx.Err() }

// What a user can type before a verb's own flags matter: status, stream, text.
func TestDispatch(t *testing.T) {
	t.Parallel()
	p := Program{
		Name: "prog", About: "does things.", Try: "prog echo", Version: "v1", Commit: "abc",
		Verbs: []Verb{{Name: "echo", Args: "[--word W]", Summary: "print a word", Example: "prog echo --word hi", Run: echo}, {Name: "_stop", Run: stop}, {Name: "_twice", Run: twice}},
	}
	for _, c := range []struct {
		args           string
		status         int
		stdout, stderr string
	}{
		{"", fail.StatusUsage, "prog does things.", "prog: no verb given\n"},
		{"sing", fail.StatusUsage, "", "prog: unknown verb \"sing\"; prog help lists them\n"},
		{"help sing", fail.StatusUsage, "", "prog: unknown verb"},
		{"help", 0, "echo     print a word", ""},
		{"help echo", 0, "usage: prog echo [--word W]", ""},
		{"echo -h", 0, "Example:\n  prog echo --word hi", ""},
		{"echo --word hi", 0, "hi\n", ""},
		{"echo --ward hi", fail.StatusUsage, "", "prog: echo: unknown flag: --ward; see prog echo --help\n"},
		{"echo --counts 1,x", fail.StatusUsage, "", "prog: echo: invalid argument \"1,x\" for \"--counts\" flag: \"x\" is no number that fits; see prog echo --help\n"},
		{"echo hi", fail.StatusUsage, "", "prog: echo: unexpected argument \"hi\"\n"},
		{"echo --word=", fail.StatusUsage, "", "prog: echo: --word is empty: give a value or leave the flag out\n"},
		{"--version", 0, "prog v1 (abc, go", ""},
		{"version --json", 0, "\"commit\": \"abc\"", ""},
		{"_stop", 0, "", ""},
		{"_twice", fail.StatusInternal, "", "prog: first; second\n"},
	} {
		var out, err bytes.Buffer
		status := p.Dispatch(t.Context(), NewConsole(p.Name, &out, &err), strings.Fields(c.args))
		if status != c.status || !strings.Contains(out.String(), c.stdout) || !strings.HasPrefix(err.String(), c.stderr) || (c.stderr == "") != (err.Len() == 0) {
			t.Errorf("%q: status %d, stdout %q, stderr %q", c.args, status, out.String(), err.String())
		}
		if strings.Contains(out.String(), "_stop") {
			t.Errorf("%q lists a verb without a summary", c.args)
		}
	}
}

func keep(ctx context.Context, _ *Console, _ *Verb, _ []string) error {
	return fail.Resumable(ctx.Err(), "the same command goes on")
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := Program{Name: "prog", Verbs: []Verb{{Name: "stop", Run: stop}, {Name: "keep", Run: keep}}}
	for verb, want := range map[string]string{
		"stop": "prog: interrupted; no file was written\n", "keep": "prog: interrupted; the same command goes on\n",
	} {
		var out, err bytes.Buffer
		status := p.Dispatch(ctx, NewConsole(p.Name, &out, &err), []string{verb})
		if status != fail.StatusInterrupt || err.String() != want {
			t.Errorf("%s: status %d, %q", verb, status, err.String())
		}
	}
}

// A verb that never hears the interrupt is left after a while, and its unfinished files are removed.
func TestDeafVerb(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	release, abandoned := make(chan struct{}), false
	defer close(release)
	deaf := func(context.Context, *Console, *Verb, []string) error {
		cancel()
		<-release
		return nil
	}
	p := Program{Name: "prog", Abandon: func() { abandoned = true }, Verbs: []Verb{{Name: "deaf", Run: deaf}, {Name: "stop", Run: stop}}}
	var out, err bytes.Buffer
	if status := p.guard(ctx, NewConsole(p.Name, &out, &err), []string{"deaf"}, 1); status != fail.StatusInterrupt || !abandoned || strings.Count(err.String(), "\n") != 1 {
		t.Errorf("status %d, abandoned %v, %q", status, abandoned, err.String())
	}
	abandoned = false
	if status := p.guard(ctx, NewConsole(p.Name, &out, &err), []string{"stop"}, patience); status != fail.StatusInterrupt || abandoned {
		t.Errorf("a verb that listens: status %d, abandoned %v", status, abandoned)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// A result that did not reach standard output is an error.
func TestLostResult(t *testing.T) {
	t.Parallel()
	p := Program{Name: "prog", Version: "v1", Verbs: []Verb{{Name: "echo", Run: echo}}}
	for _, args := range [][]string{{"echo", "--word", "hi"}, {"version"}, {"help"}, {"echo", "--help"}} {
		var err bytes.Buffer
		if status := p.Dispatch(t.Context(), NewConsole(p.Name, full{}, &err), args); status != fail.StatusInput || err.String() != "prog: output: no space left\n" {
			t.Errorf("%v: status %d, %q", args, status, err.String())
		}
	}
}
