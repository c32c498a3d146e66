//go:build unix

package outfile

import (
	"io/fs"
	"sync"
	"syscall"
)

// umask reads the process's file mode mask, which can only be read by setting it; it is read once, early enough that no
// other goroutine of this program creates files with another mask in between.
var umask = sync.OnceValue(func() fs.FileMode {
	mask := syscall.Umask(0o077)
	syscall.Umask(mask)
	return fs.FileMode(mask)
})
