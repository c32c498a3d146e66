package cli

import (
	"context"
	"runtime"

	"github.com/spf13/pflag"
)

func (p *Program) version() Verb {
	return Verb{
		Name: "version", Args: "[--json]", Summary: "print the program's version and commit",
		Example: p.Name + " version --json", Run: p.printVersion,
	}
}

func (p *Program) printVersion(_ context.Context, c *Console, v *Verb, args []string) error {
	flags := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print JSON")
	if done, err := c.ParseFlags(v, flags, args); done || err != nil {
		return err
	}
	if *asJSON {
		return c.JSON(map[string]string{"version": p.Version, "commit": p.Commit, "go": runtime.Version(), "os": runtime.GOOS, "cpu": runtime.GOARCH})
	}
	c.Printf("%s %s (%s, %s %s/%s)", p.Name, p.Version, p.Commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
