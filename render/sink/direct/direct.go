// Package direct sums the few events that are too bright for the phase kernels: each is evaluated at its true position, out
// to the radius that its flux asks for. Their sum is kept apart from the stamps and added once at the end, by every backend
// alike, on the CPU.
package direct

import (
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

// Events are collected up to batchLen and then summed by all threads, each of which takes bands of bandRows rows. A pixel's
// events are added in the order in which they came, whatever the number of threads.
const (
	batchLen = 512 // seconds of work at worst
	bandRows = 16
)

// An Adder sums direct events. Its methods may be called from several goroutines.
type Adder struct {
	cfg sink.Config
	set kern.Set

	mu            sync.Mutex
	pending       []event.Event
	frame         *hdr.Frame // allocated by the first event
	sums          *hdr.Sums
	events        int64
	contributions int64
	seconds       float64
}

// New returns an Adder without events. It holds no frame until the first one.
func New(cfg sink.Config) *Adder {
	set, _ := kern.Pick("")
	return &Adder{cfg: cfg, set: set}
}

// Add takes one event.
func (a *Adder) Add(e *event.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.events++
	a.pending = append(a.pending, *e)
	if len(a.pending) == batchLen {
		a.flush()
	}
}

// flush sums the pending events.
func (a *Adder) flush() {
	if len(a.pending) == 0 {
		return
	}
	start := time.Now()
	if a.cfg.Precision == sink.Exact128 {
		if a.sums == nil {
			a.sums = hdr.NewSums(a.cfg.W, a.cfg.H, a.cfg.QuantumBits)
		}
	} else if a.frame == nil {
		a.frame = hdr.NewFrame(a.cfg.W, a.cfg.H)
	}
	threads := a.cfg.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	var next, lit atomic.Int64
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			b := newBand(a)
			for y := int(next.Add(bandRows)) - bandRows; y < a.cfg.H; y = int(next.Add(bandRows)) - bandRows {
				b.add(y, min(y+bandRows, a.cfg.H)-1)
			}
			lit.Add(b.lit)
		})
	}
	wg.Wait()
	a.contributions += lit.Load()
	a.pending = a.pending[:0]
	a.seconds += time.Since(start).Seconds()
}

// A band is one goroutine's way through the pending events.
type band struct {
	a       *Adder
	wing    *wing
	weights []float64
	lit     int64
}

func newBand(a *Adder) *band {
	return &band{a: a, wing: newWing(a.cfg.PSF, a.set), weights: make([]float64, a.cfg.W+kern.PolyBlock)}
}

// add sums rows y0..y1 of every pending event.
func (b *band) add(y0, y1 int) {
	for i := range b.a.pending {
		e := &b.a.pending[i]
		d := psf.NewDisc(e.X, e.Y, e.Support, b.a.cfg.W, b.a.cfg.H)
		f := e.Colour()
		for y := max(d.Y0, y0); y <= min(d.Y1, y1); y++ {
			x0, x1 := d.Row(y)
			if x1 < x0 {
				continue
			}
			w := b.weights[:x1-x0+1]
			b.wing.row(w, float64(x0)-e.X, float64(y)-e.Y)
			b.lit += int64(len(w))
			if b.a.sums != nil {
				b.addExact(y*b.a.cfg.W+x0, w, &f)
				continue
			}
			var row [3][]float64
			for c, plane := range b.a.frame.Plane {
				row[c] = plane[y*b.a.cfg.W+x0:][:len(w)]
			}
			b.a.set.AddRow(row, w, &f)
		}
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
	if a.flush(); a.frame != nil {
		dst.Add(a.frame)
	}
}

// MergeInto adds the exact sum of the direct events to dst.
func (a *Adder) MergeInto(dst *hdr.Sums) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.flush(); a.sums != nil {
		dst.Merge(a.sums)
	}
}

// Events returns how many events were added.
func (a *Adder) Events() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.events
}

// Contributions returns how many pixels they lit.
func (a *Adder) Contributions() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.flush()
	return a.contributions
}

// Seconds returns how long the summing took, on all threads together as the clock went.
func (a *Adder) Seconds() float64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.seconds
}
