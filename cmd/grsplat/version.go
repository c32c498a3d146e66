package main

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/spf13/pflag"

	"grsplat/render/fail"
)

// version of the program; build.sh sets it with -ldflags -X from git describe.
var version = "dev"

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
	commit := buildCommit()
	if *asJSON {
		return c.json(map[string]string{"version": version, "commit": commit, "go": runtime.Version(), "os": runtime.GOOS, "cpu": runtime.GOARCH})
	}
	c.printf("grsplat %s (%s, %s %s/%s)", version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

// buildCommit is the commit that the Go tool recorded in the binary, with +dirty where the tree had changes.
func buildCommit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	commit, dirty := "unknown", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	return commit + dirty
}
