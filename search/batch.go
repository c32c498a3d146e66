package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"grsplat/render/fail"
)

// engine does the two heavy steps of a batch. One goroutine drives it.
type engine interface {
	// roots lists the roots of the generators in any order, at most limit of them. With shared, neighbours with the same x
	// share the first half of the work; without, each is done for itself.
	roots(ctx context.Context, generators []Class, shared bool, limit int) ([]root, error)
	// expand lays the plan's tasks out for search.
	expand(ctx context.Context, p *plan) error
	// search runs the tasks of the last expand; at most limit clusters.
	search(ctx context.Context, limit int) ([]cluster, error)
	// tasks returns the tasks that search ran. It is for comparisons, outside the timed batch.
	tasks() ([]Task, error)
	name() string
	close() error
}

// Searcher runs batches of one shape on one engine. It is not safe for concurrent use.
type Searcher struct {
	shape  Shape
	limits Limits
	engine engine
	sorter classSorter
}

// Hit is a seed found for the position at an input index.
type Hit struct {
	Index uint32
	Seed  uint64
}

// Stages are the wall times of a batch. They add up to Total.
type Stages struct {
	Classing  time.Duration `json:"classing"`
	Roots     time.Duration `json:"roots"`
	Arranging time.Duration `json:"arranging_expansion"`
	Search    time.Duration `json:"search_download"`
	Restoring time.Duration `json:"restoring"`
	Total     time.Duration `json:"total"`
}

func (s *Stages) add(o Stages) {
	s.Classing += o.Classing
	s.Roots += o.Roots
	s.Arranging += o.Arranging
	s.Search += o.Search
	s.Restoring += o.Restoring
	s.Total += o.Total
}

// Counts tell what a batch did. Classes and Rooted count positions in modes 0 and 1, where each stands for itself.
type Counts struct {
	Positions int `json:"positions"`
	Classes   int `json:"classes"`
	Rooted    int `json:"rooted_classes"`
	Built     int `json:"built_positions"`
	Roots     int `json:"roots"`
	Tasks     int `json:"tasks"`
	Hits      int `json:"hits"`
}

func (c *Counts) add(o Counts) {
	c.Positions += o.Positions
	c.Classes += o.Classes
	c.Rooted += o.Rooted
	c.Built += o.Built
	c.Roots += o.Roots
	c.Tasks += o.Tasks
	c.Hits += o.Hits
}

// Result is a finished batch: hits by input index, then seed.
type Result struct {
	Mode   Mode
	Hits   []Hit
	Counts Counts
	Stages Stages
	plan   *plan
}

// Engine names the engine, with its device.
func (s *Searcher) Engine() string { return s.engine.name() }

// Close frees the engine.
func (s *Searcher) Close() error { return s.engine.close() }

// Batch searches the positions, which may repeat and come in any order. A limit that the batch exceeds is a LimitError, and no
// hit is returned. Every hit has passed the full Java generator.
func (s *Searcher) Batch(ctx context.Context, in []Pos, mode Mode) (*Result, error) {
	clock := stopwatch{last: time.Now()}
	began := clock.last
	if err := within("positions", len(in), s.limits.Positions); err != nil {
		return nil, err
	}
	res := &Result{Counts: Counts{Positions: len(in)}}
	c := s.classing(in, mode, res)
	clock.lap(&res.Stages.Classing)

	roots, err := s.engine.roots(ctx, c.generators, res.Mode.shares(), s.limits.Roots)
	if err != nil {
		return nil, err
	}
	clock.lap(&res.Stages.Roots)

	res.plan, res.Counts.Rooted, err = arrange(s.shape, in, c, roots, res.Mode >= RootedOnly, s.limits.Tasks)
	if err != nil {
		return nil, err
	}
	if res.plan.filter = res.Mode.filter(); mode == Auto {
		res.plan.filter = RootedSieve.filter()
	}
	if err := s.engine.expand(ctx, res.plan); err != nil {
		return nil, err
	}
	clock.lap(&res.Stages.Arranging)

	clusters, err := s.engine.search(ctx, min(s.limits.Hits, maxClusters))
	if err != nil {
		return nil, err
	}
	clock.lap(&res.Stages.Search)

	if res.Hits, err = restore(ctx, res.plan, in, clusters, s.limits.Hits); err != nil {
		return nil, err
	}
	clock.lap(&res.Stages.Restoring)
	res.Counts.Classes, res.Counts.Roots = len(c.classes), len(roots)
	res.Counts.Built, res.Counts.Tasks, res.Counts.Hits = len(res.plan.positions), res.plan.taskCount(), len(res.Hits)
	res.Stages.Total = clock.last.Sub(began)
	return res, nil
}

// classing arranges the positions for the mode, which it settles first if it is Auto.
func (s *Searcher) classing(in []Pos, mode Mode, res *Result) *classed {
	if res.Mode = mode; mode == Auto {
		res.Mode = s.shape.autoMode(in)
	}
	if res.Mode.shares() {
		return s.sorter.byClass(s.shape, in)
	}
	return s.shape.perPosition(in)
}

// restore turns clusters into hits with input indexes, in order, after each seed has passed the full generator.
func restore(ctx context.Context, p *plan, in []Pos, clusters []cluster, limit int) ([]Hit, error) {
	total := 0
	for _, c := range clusters {
		total += int(c.count)
	}
	if err := within("hits", total, limit); err != nil {
		return nil, err
	}
	hits := make([]Hit, 0, total)
	var seeds []uint64
	for i, c := range clusters {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, fmt.Errorf("search: verify: %w", ctx.Err())
		}
		if int(c.task.Pos) >= len(p.index) {
			return nil, fail.Device("search: verify: position %d of %d does not exist", c.task.Pos, len(p.index))
		}
		index := p.index[c.task.Pos]
		seeds = c.appendSeeds(seeds[:0], in[index])
		for _, seed := range seeds {
			if all, redrawn := Check(seed, in[index], p.shape); !all || redrawn {
				return nil, fail.Device("search: verify: seed %d at %d,%d fails the full generator", seed, in[index].X, in[index].Z)
			}
			hits = append(hits, Hit{index, seed})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Seed, b.Seed))
	})
	return hits, nil
}

// Tasks lists the tasks of the last batch by input index, then root. It is meant for comparisons.
func (s *Searcher) Tasks(r *Result) ([]Task, error) {
	tasks, err := s.engine.tasks()
	if err != nil {
		return nil, err
	}
	for i, t := range tasks {
		if int(t.Pos) >= len(r.plan.index) {
			return nil, fail.Device("search: tasks: position %d of %d does not exist", t.Pos, len(r.plan.index))
		}
		tasks[i].Pos = r.plan.index[t.Pos]
	}
	slices.SortFunc(tasks, func(a, b Task) int { return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Root, b.Root)) })
	return tasks, nil
}

// shares tells whether roots are listed once per class.
func (m Mode) shares() bool { return m >= ClassRoots }

type stopwatch struct{ last time.Time }

func (w *stopwatch) lap(into *time.Duration) {
	now := time.Now()
	*into = now.Sub(w.last)
	w.last = now
}
