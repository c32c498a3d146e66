// Command slimescan finds Minecraft world seeds in which a rectangle of chunks is all slime chunks, for many positions.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"grsplat/render/fail"
)

// version and commit of the program; build.sh sets them with -ldflags -X from git.
var (
	version = "dev"
	commit  = "unknown"
)

// A verb is one subcommand. run parses its flags with a pflag.FlagSet of its own and prints through the console alone.
type verb struct {
	name    string
	args    string // after the name in the usage line
	summary string
	example string
	run     func(ctx context.Context, c *console, v *verb, args []string) error
}

var verbs = []verb{scanVerb, verifyVerb, benchVerb, estimateVerb}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(dispatch(ctx, newConsole(os.Stdout, os.Stderr), os.Args[1:]))
}

// dispatch runs the verb that args name and returns the exit status.
func dispatch(ctx context.Context, c *console, args []string) int {
	err := runVerb(ctx, c, args)
	if ctx.Err() != nil && err != nil {
		c.errorf("interrupted; the same command goes on where a scan stopped")
		return fail.StatusInterrupt
	}
	if err != nil {
		c.errorf("%v", err)
	}
	return fail.Status(err)
}

func runVerb(ctx context.Context, c *console, args []string) error {
	if len(args) == 0 {
		c.usage(verbs)
		return fail.Usage("no verb given")
	}
	switch args[0] {
	case "help", "--help", "-h":
		c.usage(verbs)
		return nil
	case "version", "--version":
		c.printf("slimescan %s (%s)", version, commit)
		return nil
	}
	for _, v := range verbs {
		if v.name == args[0] {
			return v.run(ctx, c, &v, args[1:])
		}
	}
	return fail.Usage("unknown verb %q; slimescan help lists them", args[0])
}
