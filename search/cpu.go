package search

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// cpuEngine is the reference engine.
type cpuEngine struct {
	threads int
	shape   Shape
	even    *rootSet
	plan    *plan
	list    []Task
}

// NewCPU starts the reference engine; threads 0 means all processors.
func NewCPU(s Shape, l Limits, threads int) (*Searcher, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := l.Validate(); err != nil {
		return nil, err
	}
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &Searcher{shape: s, limits: l, engine: &cpuEngine{threads: threads, shape: s, even: evenStates()}}, nil
}

func (e *cpuEngine) name() string { return fmt.Sprintf("cpu, %d threads", e.threads) }
func (e *cpuEngine) close() error { return nil }

func (e *cpuEngine) roots(ctx context.Context, generators []Class, shared bool, limit int) ([]root, error) {
	finders := make([]rootFinder, e.threads)
	lists := make([][]root, e.threads)
	var total atomic.Int64
	err := e.parallel(ctx, len(generators), 16, func(worker, from, to int) error {
		f := &finders[worker]
		f.shape, f.even = e.shape, e.even
		var values []uint32
		for g := from; g < to; g++ {
			f.ready = f.ready && shared
			values = f.append(values[:0], generators[g])
			for _, v := range values {
				lists[worker] = append(lists[worker], root{uint32(g), v})
			}
			if err := within("roots", int(total.Add(int64(len(values)))), limit); err != nil {
				return err
			}
		}
		return nil
	})
	return slices.Concat(lists...), err
}

func (e *cpuEngine) expand(ctx context.Context, p *plan) error {
	e.plan = p
	e.list = slices.Grow(e.list[:0], p.taskCount())[:p.taskCount()]
	return e.parallel(ctx, len(p.groups), 64, func(_, from, to int) error {
		for i, g := range p.groups[from:to] {
			list := e.list[p.offsets[from+i]:p.offsets[from+i+1]]
			for k := range list {
				list[k] = Task{g.First + uint32(k), g.Root}
			}
		}
		return nil
	})
}

func (e *cpuEngine) search(ctx context.Context, limit int) ([]cluster, error) {
	found := make([][]cluster, e.threads)
	sieves := make([]sieve, e.threads)
	var total atomic.Int64
	err := e.parallel(ctx, len(e.list), 32, func(worker, from, to int) error {
		before := len(found[worker])
		for _, task := range e.list[from:to] {
			found[worker] = sieves[worker].search(found[worker], e.plan, task)
		}
		return within("clusters", int(total.Add(int64(len(found[worker])-before))), limit)
	})
	return slices.Concat(found...), err
}

func (e *cpuEngine) tasks() ([]Task, error) { return slices.Clone(e.list), nil }

// search appends the clusters of one task.
func (s *sieve) search(out []cluster, p *plan, task Task) []cluster {
	t := &s.terms
	t.set(p.shape, p.positions[task.Pos], task.Root)
	try := func(m uint32) {
		if t.differs(m) {
			return
		}
		if first, count, ok := t.interval(m); ok {
			out = append(out, cluster{task, m, first, count})
		}
	}
	if !p.filter.grouped {
		for m := range uint32(1 << middleBits) {
			try(m)
		}
		return out
	}
	for _, g := range s.survivors(p.filter.start) {
		for n := range uint32(1) << (middleBits - groupBits) {
			try(g | n<<groupBits)
		}
	}
	return out
}

// parallel calls work for pieces of 0..n-1 on the engine's threads, until one fails or the context ends.
func (e *cpuEngine) parallel(ctx context.Context, n, piece int, work func(worker, from, to int) error) error {
	var next atomic.Int64
	var once sync.Once
	var first error
	var group sync.WaitGroup
	for worker := range e.threads {
		group.Go(func() {
			for {
				from := int(next.Add(int64(piece))) - piece
				if from >= n {
					return
				}
				err := ctx.Err()
				if err == nil {
					err = work(worker, from, min(from+piece, n))
				}
				if err != nil {
					once.Do(func() { first = err })
					next.Store(int64(n))
				}
			}
		})
	}
	group.Wait()
	return first
}
