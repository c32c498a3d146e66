package outfile

import (
	"os"
	"path/filepath"
)

// Same tells whether two paths name one file, whether it is there or not yet.
func Same(a, b string) bool {
	if fileA, err := os.Stat(a); err == nil {
		fileB, err := os.Stat(b)
		return err == nil && os.SameFile(fileA, fileB)
	}
	dirA, errA := os.Stat(filepath.Dir(a))
	dirB, errB := os.Stat(filepath.Dir(b))
	return errA == nil && errB == nil && os.SameFile(dirA, dirB) && filepath.Base(a) == filepath.Base(b)
}

// Within tells whether a path is a directory that is there, or lies in it.
func Within(path, dir string) bool {
	root, err := os.Stat(dir)
	if err != nil || !root.IsDir() {
		return false
	}
	at, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	for {
		if st, err := os.Stat(at); err == nil && os.SameFile(st, root) {
			return true
		}
		up := filepath.Dir(at)
		if up == at {
			return false
		}
		at = up
	}
}
