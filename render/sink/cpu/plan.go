package cpu

import (
	"context"
	"sync"
	"sync/atomic"
)

// place is the pixel and the phase of an item.
type place struct {
	ix, iy int32
	px, py int16
}

// An item is what a tile stamps: one star, or a cell of several.
type item struct {
	mix      place
	first, n int32 // its stars, scratch.stars[first:first+n]
	cell     int32 // index into scratch.cells, or -1
	tiles    tileRange
}

// work is the item's cost in one tile, in stamps of one event.
func (it *item) work() int64 {
	if it.cell < 0 {
		return 1
	}
	return 2 + int64(it.n)/16
}

// A segment is a run of one tile's list, summed by one worker. The first of a tile adds to the tile itself, the others to
// buffers of their own that are merged in order.
type segment struct {
	tile   int
	items  []int32
	buffer []float64 // nil for the first segment of a tile
}

// A tile of 2*segmentWork stamps or more is cut into an even number of equal segments of about that work, more when a batch
// would make over maxSegments of them: nothing of this depends on the number of threads, so neither does the sum.
const (
	segmentWork = 512
	maxSegments = 64
)

// plan lists the items by tile, in sorted order, and cuts the lists into segments.
func (s *Stamp) plan() {
	b := &s.scratch
	b.starts = resized(b.starts, len(s.tiles)+1)
	clear(b.starts)
	var work int64
	s.eachTile(func(t int, i int32) {
		b.starts[t+1]++
		work += b.items[i].work()
	})
	for t := range s.tiles {
		b.starts[t+1] += b.starts[t]
	}
	b.lists = resized(b.lists, int(b.starts[len(s.tiles)]))
	s.eachTile(func(t int, i int32) {
		b.lists[b.starts[t]] = i
		b.starts[t]++
	})
	b.segments = b.segments[:0]
	limit := max(segmentWork, work/maxSegments)
	from := int32(0)
	for t := range s.tiles {
		if to := b.starts[t]; to > from {
			s.cut(t, b.lists[from:to], limit)
			from = to
		}
	}
}

func (s *Stamp) eachTile(visit func(t int, item int32)) {
	for i := range s.scratch.items {
		r := &s.scratch.items[i].tiles
		for y := r.y0; y <= r.y1; y++ {
			for x := r.x0; x <= r.x1; x++ {
				visit(int(y)*s.grid.nx+int(x), int32(i))
			}
		}
	}
}

// cut makes segments of one tile's list.
func (s *Stamp) cut(t int, list []int32, limit int64) {
	b := &s.scratch
	var total, done int64
	for _, it := range list {
		total += b.items[it].work()
	}
	n := max(1, total/(2*limit)*2)
	if s.isExact() && !s.fitsOneSum(list) {
		n = 1
	}
	from, made := 0, int64(0)
	for i, it := range list {
		if done += b.items[it].work(); done*n >= (made+1)*total || i == len(list)-1 {
			b.segments = append(b.segments, segment{tile: t, items: list[from : i+1]})
			from, made = i+1, done*n/total
		}
	}
}

// run sums every segment, then merges the tiles that had several.
func (s *Stamp) run(ctx context.Context) error {
	segments := s.scratch.segments
	s.allocate(segments)
	s.parallel(len(segments), func(w *worker, i int) {
		if ctx.Err() == nil {
			w.sum(&segments[i])
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	s.merge(segments)
	for _, w := range s.workers {
		s.stats.contributions += w.contributions
		w.contributions = 0
	}
	for i := range s.scratch.items {
		if n := int64(s.scratch.items[i].n); s.scratch.items[i].cell < 0 {
			s.stats.stamped += n
		} else {
			s.stats.coalesced += n
		}
	}
	return nil
}

// parallel calls f for 0..n-1, each index once, on all threads.
func (s *Stamp) parallel(n int, f func(w *worker, i int)) {
	if n == 1 || len(s.workers) == 1 {
		for i := range n {
			f(s.workers[0], i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for _, w := range s.workers[:min(n, len(s.workers))] {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(w, i)
			}
		})
	}
	wg.Wait()
}

// ranges calls f for parts of 0..n on all threads.
func (s *Stamp) ranges(n int, f func(lo, hi int)) {
	part := max(1, n/64)
	s.parallel((n+part-1)/part, func(_ *worker, i int) { f(i*part, min((i+1)*part, n)) })
}
