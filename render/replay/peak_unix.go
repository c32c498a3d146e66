//go:build unix

package replay

import (
	"runtime"
	"syscall"
)

// PeakHostBytes is the largest resident set of the process so far.
func PeakHostBytes() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(u.Maxrss) // bytes there, KiB elsewhere
	}
	return int64(u.Maxrss) * 1024
}
