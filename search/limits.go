package search

import (
	"fmt"

	"grsplat/render/fail"
)

// Limits bound one batch. Each is checked before anything is written past it; see LimitError.
type Limits struct {
	Positions int // input positions
	Roots     int // roots listed, of all classes (modes 2 and up) or all positions (modes 0 and 1)
	Tasks     int // (position, root) tasks
	Hits      int // seeds found
}

// DefaultLimits are the limits of the definition for positions and tasks, and as many roots. A million hits are enough for every
// shape of 12 chunks or more; a single position of 3x3 can have several million, up to MaxHits.
func DefaultLimits() Limits {
	return Limits{Positions: 65_536, Roots: 4_194_304, Tasks: 4_194_304, Hits: 1_048_576}
}

// MaxHits is the highest limit on hits that an engine takes.
const MaxHits = 1 << 26

// maxClusters bounds the clusters of a batch, each of one hit or more, so that they fit any device's binding.
const maxClusters = 1 << 22

// Validate refuses limits that the index types cannot hold.
func (l Limits) Validate() error {
	top := DefaultLimits()
	for _, c := range []struct {
		name       string
		value, max int
	}{{"positions", l.Positions, top.Positions}, {"roots", l.Roots, top.Roots}, {"tasks", l.Tasks, top.Tasks}, {"hits", l.Hits, MaxHits}} {
		if c.value < 1 || c.value > c.max {
			return fail.Usage("limits: %s: %d is not in 1..%d", c.name, c.value, c.max)
		}
	}
	return nil
}

// LimitError tells that a batch needs more than a limit allows. Nothing of the batch is returned with it.
type LimitError struct {
	Name  string // positions, roots, tasks, hits or clusters
	Need  int    // what the batch needs, or what it had reached when it was stopped
	Limit int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("search: batch: limit %q exceeded: %d needed, %d allowed", e.Name, e.Need, e.Limit)
}

func within(name string, need, limit int) error {
	if need > limit {
		return fail.Input("%w", &LimitError{name, need, limit})
	}
	return nil
}
