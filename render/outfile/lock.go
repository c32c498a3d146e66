package outfile

import (
	"errors"
	"os"
)

// ErrLocked says that another process holds the lock of a file.
var ErrLocked = errors.New("in use by another process")

// OpenLocked opens a file for reading and writing, made if it is not there, and takes an advisory lock on it that ends with
// the file's Close or with the process, so that one that is killed leaves nothing behind. It does not wait: a file that another
// process has locked is ErrLocked. On a file system that has no locks the file is opened without.
func OpenLocked(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := lock(f); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		// The owner before may have removed the name between the opening and the lock, which then is one on nothing.
		mine, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if now, err := os.Stat(path); err == nil && os.SameFile(mine, now) {
			return f, nil
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
}

// ReleaseAfter removes what remove names and gives up the lock of f, in this order where the system removes open files, so that
// nobody takes the lock in between.
func ReleaseAfter(f *os.File, remove func() error) error {
	err := remove()
	closed := f.Close()
	if err != nil {
		err = remove()
	}
	return errors.Join(err, closed)
}
