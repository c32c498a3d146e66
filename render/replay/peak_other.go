//go:build !unix

package replay

import "runtime"

// PeakHostBytes is what the Go runtime has taken from the system.
func PeakHostBytes() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}
