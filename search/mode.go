package search

import (
	"strconv"

	"grsplat/render/fail"
)

// Mode is a strategy of a batch. All modes give the same sorted lists of tasks and hits.
type Mode int

const (
	// PerPosition lists the roots of every position for itself and tries every m with the difference filter.
	PerPosition Mode = iota
	// PerPositionGroups is the same with the group filter of 16.
	PerPositionGroups
	// ClassRoots lists roots once per class and builds every position.
	ClassRoots
	// RootedOnly lists roots of class representatives and builds only the positions of classes that have one.
	RootedOnly
	// RootedSieve is RootedOnly with larger groups first, down to 16.
	RootedSieve
	modeCount

	// Auto chooses per batch between roots per class and roots per position by a measured rule, and takes the filter of
	// RootedSieve for both.
	Auto Mode = -1
)

// Modes lists the modes in order.
func Modes() []Mode {
	all := make([]Mode, modeCount)
	for i := range all {
		all[i] = Mode(i)
	}
	return all
}

func (m Mode) String() string {
	if m == Auto {
		return "auto"
	}
	return strconv.Itoa(int(m))
}

// ParseMode reads "auto" or a mode's number.
func ParseMode(text string) (Mode, error) {
	if text == "auto" {
		return Auto, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n >= int(modeCount) {
		return 0, fail.Usage("mode: %q: want auto or 0 to %d", text, int(modeCount)-1)
	}
	return Mode(n), nil
}

// filter is how a task's 2^17 values m are tried: one by one, or in groups from level start on (see sieve.go).
type filter struct {
	grouped bool
	start   int
}

func (m Mode) filter() filter {
	switch m {
	case PerPosition:
		return filter{}
	case RootedSieve:
		return filter{grouped: true, start: sieveStart}
	}
	return filter{grouped: true, start: groupBits}
}
