// Package fail gives an error the exit status that the program ends with. Every package that can tell a user's mistake
// from a broken device wraps its errors here; only cmd reads the status.
package fail

import (
	"context"
	"errors"
	"fmt"
)

// Exit statuses, documented in the README.
const (
	StatusOK        = 0
	StatusInternal  = 1
	StatusUsage     = 2
	StatusInput     = 3
	StatusBackend   = 4
	StatusDevice    = 5
	StatusTolerance = 6
	StatusInterrupt = 130
)

type failure struct {
	status int
	err    error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func wrap(status int, format string, args []any) error {
	return &failure{status, fmt.Errorf(format, args...)}
}

// Usage reports flags or arguments that contradict each other or lie out of range (status 2).
func Usage(format string, args ...any) error { return wrap(StatusUsage, format, args) }

// Input reports a file that cannot be read, understood or written (status 3).
func Input(format string, args ...any) error { return wrap(StatusInput, format, args) }

// Backend reports a backend that is missing or lacks a feature (status 4).
func Backend(format string, args ...any) error { return wrap(StatusBackend, format, args) }

// Device reports a device that failed while running (status 5).
func Device(format string, args ...any) error { return wrap(StatusDevice, format, args) }

// Tolerance reports a comparison out of tolerance (status 6).
func Tolerance(format string, args ...any) error { return wrap(StatusTolerance, format, args) }

// A left is an error that something useful is left of.
type left struct {
	error
	text string
}

func (l *left) Error() string { return l.error.Error() + "; " + l.text }
func (l *left) Unwrap() error { return l.error }

// Resumable adds to an error what is left of the work and how to go on with it.
func Resumable(err error, text string) error { return &left{err, text} }

// Remains returns what Resumable added, or "".
func Remains(err error) string {
	var l *left
	if errors.As(err, &l) {
		return l.text
	}
	return ""
}

// Status returns the exit status of err: that of the outermost failure in its chain, 130 for a cancelled context, else 1.
func Status(err error) int {
	var f *failure
	switch {
	case err == nil:
		return StatusOK
	case errors.Is(err, context.Canceled):
		return StatusInterrupt
	case errors.As(err, &f):
		return f.status
	}
	return StatusInternal
}
