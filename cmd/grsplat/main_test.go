package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets scripts run the program as `grsplat`.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"grsplat": main})
}

// TestScripts runs what users type: testdata/script/*.txtar. $DATA is the repository's testdata folder. The command `status N` asks
// for the exit status of the last grsplat.
func TestScripts(t *testing.T) {
	data, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("DATA", data)
			env.Setenv("SOURCE_DATE_EPOCH", "1767225600")
			env.Setenv("HOME", env.WorkDir) // device caches go into the script's own folder
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"status": status},
	})
}

// status runs `grsplat ARGS...` and asserts its exit status: status N ARGS... It leaves the output for stdout and stderr.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: status N grsplat-arguments...")
	}
	got := "0"
	if err := ts.Exec("grsplat", args[1:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("grsplat %v: %v", args[1:], err)
		}
		got = strconv.Itoa(exit.ExitCode())
	}
	if got != args[0] {
		ts.Fatalf("grsplat %v: exit status %s, want %s", args[1:], got, args[0])
	}
}
