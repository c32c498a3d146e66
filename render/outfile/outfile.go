// Package outfile writes files that appear whole or not at all: content goes to a temporary file in the destination's
// folder, is flushed to the disk, and takes its name by a rename. It is a leaf that every writer of the project uses.
package outfile

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"grsplat/render/fail"
)

// File is an output that does not exist yet under its own name. Write to it, then call Commit once; Abort, which may be
// deferred from the start, removes what was not committed. A File is not safe for concurrent use.
type File struct {
	path  string // final name
	force bool
	temp  *os.File
	buf   *bufio.Writer
	done  bool
}

// Create opens path for writing. It refuses, as bad input (exit status 3), an existing file unless force is set, anything
// that is not a regular file, and a folder that is missing or cannot be written, all before the caller has done any work.
// A symbolic link is followed: its target is replaced.
func Create(path string, force bool) (*File, error) {
	target, err := check(path, force)
	if err != nil {
		return nil, fail.Input("output: %w", err)
	}
	// The name starts with a dot so that no pattern of the user's picks up a half-written file.
	temp, err := createTemp(filepath.Dir(target), "."+filepath.Base(target)+".*.part")
	if err != nil {
		if _, none := os.Stat(filepath.Dir(target)); errors.Is(none, fs.ErrNotExist) {
			err = fmt.Errorf("there is no folder %s", filepath.Dir(target))
		}
		return nil, fail.Input("output: create %s: %w", path, cause(err))
	}
	return &File{path: target, force: force, temp: temp, buf: bufio.NewWriterSize(temp, 1<<18)}, nil
}

// Check fails as Create would, and leaves nothing behind: for an output whose making is far off.
func Check(path string, force bool) error {
	f, err := Create(path, force)
	if err != nil {
		return err
	}
	f.Abort()
	return nil
}

// check returns the file that path stands for after symbolic links.
func check(path string, force bool) (string, error) {
	if path == "" {
		return "", errors.New("create: empty file name")
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil
	case err != nil:
		return "", fmt.Errorf("create %s: %w", path, cause(err))
	case info.IsDir():
		return "", fmt.Errorf("create %s: is a directory", path)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("create %s: not a regular file", path)
	case !force:
		return "", fmt.Errorf("create %s: file exists; --force replaces it", path)
	}
	return filepath.EvalSymlinks(path)
}

// cause strips the path that the os package repeats, leaving the system's reason.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Name returns the final path.
func (f *File) Name() string { return f.path }

// Write appends p. A full disk surfaces here or in Commit, as bad input that names the file.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.buf.Write(p)
	if err != nil {
		return n, fail.Input("output: write %s: %w", f.path, cause(err))
	}
	return n, nil
}

// Commit flushes the content to the disk and gives it its name. After an error nothing is left behind.
func (f *File) Commit() error {
	return CommitAll([]*File{f})
}

// CommitAll commits files that belong together: all content is on the disk before the first of them gets its name, so that a
// full disk leaves none of them behind.
func CommitAll(files []*File) error {
	for _, step := range []func([]*File) (*File, error){flushAll, publishAll} {
		if f, err := step(files); err != nil {
			for _, other := range files {
				other.Abort()
			}
			return fail.Input("output: write %s: %w", f.path, cause(err))
		}
	}
	return nil
}

// flushAll returns the file that an error belongs to.
func flushAll(files []*File) (*File, error) {
	for _, f := range files {
		if err := f.flush(); err != nil {
			return f, err
		}
	}
	return nil, nil
}

// publishAll gives all files their names, or none if the program is ending.
func publishAll(files []*File) (*File, error) {
	unfinished.Lock()
	defer unfinished.Unlock()
	for _, f := range files {
		if unfinished.abandoned {
			return f, errAbandoned
		}
		if _, err := os.Lstat(f.path); err == nil && !f.force {
			return f, errors.New("file appeared meanwhile; --force replaces it")
		}
	}
	for _, f := range files {
		if err := f.publish(); err != nil {
			return f, err
		}
		delete(unfinished.temps, f.temp.Name())
	}
	return nil, nil
}

// flush brings the content to the disk.
func (f *File) flush() error {
	if f.done {
		return errors.New("already committed or aborted")
	}
	if err := f.buf.Flush(); err != nil {
		return err
	}
	// CreateTemp makes private files; an image is as public as the user's other files.
	if err := f.temp.Chmod(0o666 &^ umask()); err != nil {
		return err
	}
	if err := f.temp.Sync(); err != nil {
		return err
	}
	return f.temp.Close()
}

// publish gives the flushed file its name.
func (f *File) publish() error {
	if err := os.Rename(f.temp.Name(), f.path); err != nil {
		return err
	}
	f.done = true
	syncFolder(filepath.Dir(f.path))
	return nil
}

// syncFolder makes the rename survive a power cut where the file system lets a folder be opened and flushed; where it does
// not, the content is whole all the same.
func syncFolder(path string) {
	if d, err := os.Open(path); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// Abort removes the temporary file. It does nothing after Commit or a second time.
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	_ = f.temp.Close() // closed already if a commit failed late; the removal is what counts
	_ = os.Remove(f.temp.Name())
	forget(f.temp.Name())
}
