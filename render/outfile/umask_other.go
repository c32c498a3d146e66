//go:build !unix

package outfile

import "io/fs"

// umask is a notion of Unix.
func umask() fs.FileMode { return 0 }
