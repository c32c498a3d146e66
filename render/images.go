package render

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"grsplat/render/catalog"
	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/lens"
	"grsplat/render/sink"
	"grsplat/render/sink/count"
	"grsplat/render/star"
)

// production is the part of a render in which stars become events.
type production struct {
	locator *lens.Locator
	mode    lens.Mode
	shard   Shard
	params  star.Params
	sink    sink.Sink
	workers int
	chunk   int       // events in a full chunk
	record  *recorder // nil where nothing is captured
	stages  *stages

	stars, events atomic.Int64 // for the progress

	mu        sync.Mutex
	counts    star.Counts
	triangles []int // per chunk, only for the count backend
}

// run feeds every star of the sky to the producers and waits until the last front is closed.
func (p *production) run(ctx context.Context, read func(context.Context, func([]catalog.Star) error) error) error {
	group, ctx := errgroup.WithContext(ctx)
	batches := make(chan batch, p.workers)
	free := make(chan []catalog.Star, 2*p.workers+1)
	group.Go(func() error {
		defer close(batches)
		return p.feed(ctx, read, batches, free)
	})
	for range p.workers {
		group.Go(func() error { return p.produce(ctx, batches, free) })
	}
	return group.Wait()
}

// A batch is stars on their way to a worker. Where images are captured, batches take turns: done is closed once those of this batch are
// written, and is before of the next, so that a capture is in the catalogue's order whatever the workers. The worker of the
// oldest batch never waits.
type batch struct {
	stars        []catalog.Star
	before, done chan struct{}
}

// feed copies the shard's stars out of the reader's buffer into recycled ones.
func (p *production) feed(ctx context.Context, read func(context.Context, func([]catalog.Star) error) error, batches chan<- batch, free chan []catalog.Star) error {
	before := make(chan struct{})
	close(before)
	catalogue := &p.stages.catalogue
	catalogue.enter()
	defer catalogue.leave()
	return read(ctx, func(stars []catalog.Star) error {
		var copied []catalog.Star
		select {
		case copied = <-free:
		default:
		}
		n := int64(len(stars))
		next := batch{stars: p.shard.pick(copied[:0], stars, p.stars.Add(n)-n), before: before, done: make(chan struct{})}
		before = next.done
		catalogue.leave() // waiting for a producer is not reading
		defer catalogue.enter()
		select {
		case batches <- next:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("catalogue: %w", context.Cause(ctx))
		}
	})
}

// produce is one worker: it locates the images of its stars and deposits their events in chunks of its own.
func (p *production) produce(ctx context.Context, batches <-chan batch, free chan<- []catalog.Star) error {
	w, err := p.newWorker()
	if err != nil {
		return err
	}
	for b := range batches {
		err := w.batch(ctx, b.stars)
		if err == nil {
			err = w.capture(ctx, b)
		}
		if err != nil {
			return errors.Join(err, w.close())
		}
		select {
		case free <- b.stars:
		default:
		}
	}
	if err := w.flush(ctx); err != nil {
		return errors.Join(err, w.close())
	}
	return w.close()
}

// A worker holds what one producer owns.
type worker struct {
	*production
	front   sink.Sink
	match   *lens.Worker
	maker   *star.Maker
	pos     [][3]float64
	images  []lens.Image
	pending []event.Event
	taken   []event.Event      // those of the batch that the recorder takes
	seen    map[int32]struct{} // triangles of the pending chunk, only for the count backend
	perFull []int
}

func (p *production) newWorker() (*worker, error) {
	w := &worker{production: p, front: p.sink, match: p.locator.NewWorker(), maker: star.NewMaker(p.params), pending: make([]event.Event, 0, p.chunk)}
	if parallel, ok := p.sink.(sink.Parallel); ok {
		front, err := parallel.Front()
		if err != nil {
			return nil, err
		}
		w.front = front
	}
	if _, ok := p.sink.(*count.Sink); ok {
		w.seen = map[int32]struct{}{}
	}
	return w, nil
}

func (w *worker) batch(ctx context.Context, stars []catalog.Star) error {
	w.stages.images.enter()
	defer w.stages.images.leave()
	w.pos = w.pos[:0]
	for i := range stars {
		w.pos = append(w.pos, stars[i].Pos)
	}
	w.images = w.match.Match(w.mode, lens.Stars{Pos: w.pos}, w.images[:0])
	next := int32(0) // star whose images come next
	for i := range w.images {
		im := &w.images[i]
		for ; next < im.Star; next++ {
			w.maker.Missed(&stars[next])
		}
		next = im.Star + 1
		before := len(w.pending)
		w.pending = w.maker.Append(w.pending, &stars[im.Star], im)
		if len(w.pending) > before {
			if err := w.tooBright(); err != nil {
				return err
			}
			w.note(im.Tri)
		}
		if len(w.pending) == w.chunk {
			w.stages.images.leave()
			err := w.flush(ctx)
			w.stages.images.enter()
			if err != nil {
				return err
			}
		}
	}
	for ; int(next) < len(stars); next++ {
		w.maker.Missed(&stars[next])
	}
	return nil
}

// tooBright refuses an event of which the sums could not hold many: 2^31 of the brightest stay below 2^127 quanta in exact sums, and
// finite in float64.
func (w *worker) tooBright() error {
	limit := 1e100
	if k := w.params.QuantumBits; k > 0 {
		limit = math.Ldexp(1, 96-k)
	}
	e := &w.pending[len(w.pending)-1]
	f := e.Colour()
	if !(max(math.Abs(f[0]), math.Abs(f[1]), math.Abs(f[2])) <= limit) {
		return fail.Usage("a star image of flux %g is brighter than the sums can hold, %.3g: choose a smaller --exposure", e.Flux, limit)
	}
	return nil
}

// note takes down the triangle of the newest pending event for those who ask for it.
func (w *worker) note(tri int32) {
	if w.seen != nil {
		w.seen[tri] = struct{}{}
	}
	if w.record != nil && w.record.only.holds(tri) {
		w.taken = append(w.taken, w.pending[len(w.pending)-1])
	}
}

// capture writes the images that the recorder takes of a batch, when it is the batch's turn.
func (w *worker) capture(ctx context.Context, b batch) error {
	if w.record == nil {
		return nil
	}
	select {
	case <-b.before:
	case <-ctx.Done():
		return fmt.Errorf("capture: %w", context.Cause(ctx))
	}
	err := w.record.sink.Deposit(ctx, w.taken)
	w.taken = w.taken[:0]
	close(b.done)
	return err
}

// flush deposits the pending events.
func (w *worker) flush(ctx context.Context) error {
	if len(w.pending) == 0 {
		return nil
	}
	w.events.Add(int64(len(w.pending)))
	w.stages.accumulate.enter()
	err := w.front.Deposit(ctx, w.pending)
	w.stages.accumulate.leave()
	if err != nil {
		return err
	}
	w.pending = w.pending[:0]
	if w.seen != nil {
		w.perFull = append(w.perFull, len(w.seen))
		clear(w.seen)
	}
	return nil
}

// close hands the worker's counts over and closes its front. A sink without fronts is closed by Run.
func (w *worker) close() error {
	w.mu.Lock()
	w.counts.Add(&w.maker.Counts)
	w.triangles = append(w.triangles, w.perFull...)
	w.mu.Unlock()
	if w.front == w.sink {
		return nil
	}
	w.stages.accumulate.enter()
	defer w.stages.accumulate.leave()
	return w.front.Close()
}
