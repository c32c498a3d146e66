// Command grsplat draws star catalogues, seen through a gravitational lens or flat space, as scientific HDR images.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"grsplat/render/fail"
)

// A verb is one subcommand. run receives its own verb for the help text, parses flags with a pflag.FlagSet of its own and
// prints through the console alone.
type verb struct {
	name    string
	args    string // after the name in the usage line
	summary string
	example string
	run     func(ctx context.Context, c *console, v *verb, args []string) error
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(dispatch(ctx, newConsole(os.Stdout, os.Stderr), os.Args[1:]))
}

// dispatch runs the verb that args name and returns the exit status.
func dispatch(ctx context.Context, c *console, args []string) int {
	err := runVerb(ctx, c, args)
	if ctx.Err() != nil && err != nil {
		c.errorf("interrupted; no output was written")
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
	if args[0] == "help" || args[0] == "--help" || args[0] == "-h" {
		c.usage(verbs)
		return nil
	}
	for _, v := range verbs {
		if v.name == args[0] {
			return v.run(ctx, c, &v, args[1:])
		}
	}
	return fail.Usage("unknown verb %q; grsplat help lists them", args[0])
}
