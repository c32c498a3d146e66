// Package require decides what a test does without the outside thing it needs: it skips on a developer's machine and fails
// where GRSPLAT_REQUIRE lists the thing, as CI does. It is the only place in the project that skips.
package require

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Tool skips t when err is not nil, or fails it when GRSPLAT_REQUIRE (comma separated) contains word.
func Tool(t testing.TB, word string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if slices.Contains(strings.Split(os.Getenv("GRSPLAT_REQUIRE"), ","), word) {
		t.Fatalf("%s is required by GRSPLAT_REQUIRE and missing: %v", word, err)
	}
	t.Skipf("needs %s: %v", word, err)
}

// Data returns the path of a file of the Tycho-2 data folder named by GRSPLAT_DATA.
func Data(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(os.Getenv("GRSPLAT_DATA"), name)
	_, err := os.Stat(path)
	Tool(t, "data", err)
	return path
}

// Long skips t unless GRSPLAT_LONG is set, as `./build.sh test-long` does.
func Long(t testing.TB) {
	t.Helper()
	if os.Getenv("GRSPLAT_LONG") == "" {
		t.Skip("a long check: ./build.sh test-long runs it")
	}
}
