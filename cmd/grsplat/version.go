package main

import (
	"context"
	"runtime"

	"github.com/spf13/pflag"

	"grsplat/render/fail"
)

// version and commit of the program; build.sh sets them with -ldflags -X from git.
var (
	version = "dev"
	commit  = "unknown"
)

var versionVerb = verb{
	name: "version", args: "[--json]", summary: "print the program's version and commit",
	example: "grsplat version --json", run: runVersion,
}

func runVersion(_ context.Context, c *console, v *verb, args []string) error {
	flags := pflag.NewFlagSet(v.name, pflag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print JSON")
	if done, err := c.parse(v, flags, args); done || err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fail.Usage("version: unexpected argument %q", flags.Arg(0))
	}
	if *asJSON {
		return c.json(map[string]string{"version": version, "commit": commit, "go": runtime.Version(), "os": runtime.GOOS, "cpu": runtime.GOARCH})
	}
	c.printf("grsplat %s (%s, %s %s/%s)", version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
