package render

import (
	"sync"
	"time"
)

// A stage measures the time in which at least one goroutine worked at it.
type stage struct {
	name string

	mu     sync.Mutex
	active int
	since  time.Time
	busy   time.Duration
}

// enter and leave bracket one goroutine's work.
func (s *stage) enter() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active == 0 {
		s.since = time.Now()
	}
	s.active++
}

func (s *stage) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active--; s.active == 0 {
		s.busy += time.Since(s.since)
	}
}

func (s *stage) seconds() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy.Seconds()
}

// stages of a render, in the order of the report.
type stages struct {
	mapping, catalogue, images, accumulate, resolve, encode stage
}

func newStages() *stages {
	s := &stages{}
	for i, name := range []string{"map", "catalogue", "images", "accumulate", "resolve", "encode"} {
		s.all()[i].name = name
	}
	return s
}

func (s *stages) all() []*stage {
	return []*stage{&s.mapping, &s.catalogue, &s.images, &s.accumulate, &s.resolve, &s.encode}
}
