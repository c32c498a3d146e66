// Package direct sums the few events that are too bright for the phase kernels: each is evaluated at its true position, out
// to the radius that its flux asks for. Their sum is kept apart from the stamps and added once at the end, by every backend
// alike, on the CPU.
package direct

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu/kern"
)

// Events are collected by the batch and then summed by all threads, each of which takes bands of bandRows rows, or tiles of
// the frame where the far field pays. A pixel's events are added in the same order whatever the number of threads.
const (
	farBatch  = 2048
	rowsBatch = 512 // without a far field: exact sums, steep profiles
	bandRows  = 16
)

// An Adder sums direct events. Its methods may be called from several goroutines.
type Adder struct {
	cfg   sink.Config
	set   kern.Set
	batch int

	mu            sync.Mutex
	pending       []event.Event
	radial        *radial    // made for the first events; nil where the profile is too steep
	far           *far       // made for the first large events
	frame         *hdr.Frame // allocated by the first event
	sums          *hdr.Sums
	events        int64
	contributions int64
	seconds       float64
}

// New returns an Adder without events. It holds no frame until the first one.
func New(cfg sink.Config) *Adder {
	set, _ := kern.Pick("")
	a := &Adder{cfg: cfg, set: set, batch: rowsBatch}
	if cfg.Precision != sink.Exact128 && cfg.PSF.Beta <= steepest {
		a.batch = farBatch
	}
	return a
}

// Add takes one event. The one that completes a batch sums it, and fails when ctx is cancelled meanwhile.
func (a *Adder) Add(ctx context.Context, e *event.Event) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.events++
	a.pending = append(a.pending, *e)
	if len(a.pending) == a.batch {
		return a.flush(ctx)
	}
	return nil
}

// Flush sums the events added so far, of which AddTo, MergeInto and Contributions tell. It fails when ctx is cancelled meanwhile,
// and then the sum is of no use.
func (a *Adder) Flush(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.flush(ctx)
}

func (a *Adder) flush(ctx context.Context) error {
	if len(a.pending) == 0 {
		return nil
	}
	start := time.Now()
	if a.cfg.Precision == sink.Exact128 {
		if a.sums == nil {
			a.sums = hdr.NewSums(a.cfg.W, a.cfg.H, a.cfg.QuantumBits)
		}
	} else if a.frame == nil {
		a.frame = hdr.NewFrame(a.cfg.W, a.cfg.H)
	}
	if a.radial == nil && a.cfg.PSF.Beta <= steepest {
		a.radial = newRadial(a.cfg.PSF)
	}
	if a.repays() {
		across := (a.cfg.W + tile - 1) / tile
		a.share(ctx, across*((a.cfg.H+tile-1)/tile), func(b *band) func(int) {
			f := newField(a.far, b)
			return func(i int) { f.sum(i%across*tile, i/across*tile) }
		})
	} else {
		a.share(ctx, (a.cfg.H+bandRows-1)/bandRows, func(b *band) func(int) {
			return func(i int) { b.sum(rect{0, i * bandRows, a.cfg.W - 1, (i+1)*bandRows - 1}) }
		})
	}
	a.pending = a.pending[:0]
	a.seconds += time.Since(start).Seconds()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("direct events: %w", err)
	}
	return nil
}

// repays says whether enough pending events are large to go by tiles.
func (a *Adder) repays() bool {
	if a.batch != farBatch || len(a.pending) < farLeast {
		return false
	}
	if a.far == nil {
		a.far = newFar(a.cfg.PSF, a.radial)
	}
	large := 0
	for i := range a.pending {
		if a.far.large(a.pending[i].Support) {
			large++
		}
	}
	return large >= farLeast
}

// share has all threads take parts 0..n-1 of the frame, each thread by a function of its own, until ctx is cancelled: a part takes
// less than a second.
func (a *Adder) share(ctx context.Context, n int, part func(b *band) func(i int)) {
	threads := a.cfg.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	var next, lit atomic.Int64
	var wg sync.WaitGroup
	for range min(threads, n) {
		wg.Go(func() {
			b := newBand(a)
			do := part(b)
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				do(i)
			}
			lit.Add(b.lit)
		})
	}
	wg.Wait()
	a.contributions += lit.Load()
}

// A rect is the pixels x0..x1, y0..y1 of the frame, inclusive; what is outside the frame does not count.
type rect struct{ x0, y0, x1, y1 int }

// A star is an event with its disc of lit pixels.
type star struct {
	*event.Event
	disc   psf.Disc
	colour [3]float64
}

func (a *Adder) star(i int) star {
	e := &a.pending[i]
	return star{e, psf.NewDisc(e.X, e.Y, e.Support, a.cfg.W, a.cfg.H), e.Colour()}
}

// reaches says whether the star may light a pixel of r: by the lit test at the place in r next to it.
func (s *star) reaches(r *rect) bool {
	dx := min(max(s.X, float64(r.x0)), float64(r.x1)) - s.X
	dy := min(max(s.Y, float64(r.y0)), float64(r.y1)) - s.Y
	return float64(dx*dx)+float64(dy*dy) <= float64(s.Support*s.Support)
}

// covers says whether the star lights all pixels of r, which has some inside the frame: a disc that covers the first and the
// last row covers those between.
func (s *star) covers(r *rect) bool {
	for _, y := range []int{r.y0, r.y1} {
		if x0, x1 := s.disc.Row(y); x0 > r.x0 || x1 < r.x1 {
			return false
		}
	}
	return true
}

// A band is one goroutine's way through the pending events.
type band struct {
	a       *Adder
	wing    *wing
	weights []float64
	lit     int64
}

func newBand(a *Adder) *band {
	return &band{a: a, wing: newWing(a.cfg.PSF, a.radial, a.set), weights: make([]float64, a.cfg.W+kern.PolyBlock)}
}

// sum adds every pending event's pixels in r.
func (b *band) sum(r rect) {
	for i := range b.a.pending {
		s := b.a.star(i)
		b.add(&s, &r)
	}
}

// add adds a star's pixels in r.
func (b *band) add(s *star, r *rect) {
	for y := max(s.disc.Y0, r.y0); y <= min(s.disc.Y1, r.y1); y++ {
		x0, x1 := s.disc.Row(y)
		x0, x1 = max(x0, r.x0), min(x1, r.x1)
		if x1 < x0 {
			continue
		}
		w := b.weights[:x1-x0+1]
		b.wing.row(w, float64(x0)-s.X, float64(y)-s.Y)
		b.lit += int64(len(w))
		if b.a.sums != nil {
			b.addExact(y*b.a.cfg.W+x0, w, &s.colour)
			continue
		}
		var dst [3][]float64
		for c, plane := range b.a.frame.Plane {
			dst[c] = plane[y*b.a.cfg.W+x0:][:len(w)]
		}
		b.a.set.AddRow(dst, w, &s.colour)
	}
}

// addExact adds the integers of a row that begins at pixel at. Below 2^62 quanta hdr.Quantise is a rounding.
func (b *band) addExact(at int, w []float64, f *[3]float64) {
	bits := b.a.cfg.QuantumBits
	scale := math.Ldexp(1, bits)
	for c := range f {
		for i, v := range w {
			contribution := float64(v * f[c])
			if q := contribution * scale; math.Abs(q) < 1<<62 {
				b.a.sums.AddInt64(c, at+i, int64(math.RoundToEven(q)))
				continue
			}
			hi, lo := hdr.Quantise(contribution, bits)
			b.a.sums.Add(c, at+i, hi, lo)
		}
	}
}

// AddTo adds the sum of the direct events to dst.
func (a *Adder) AddTo(dst *hdr.Frame) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.frame != nil {
		dst.Add(a.frame)
	}
}

// MergeInto adds the exact sum of the direct events to dst.
func (a *Adder) MergeInto(dst *hdr.Sums) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sums != nil {
		dst.Merge(a.sums)
	}
}

// Events returns how many events were added.
func (a *Adder) Events() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.events
}

// Contributions returns how many pixels they lit, of the events summed so far.
func (a *Adder) Contributions() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.contributions
}

// Seconds returns how long the summing took, on all threads together as the clock went.
func (a *Adder) Seconds() float64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.seconds
}
