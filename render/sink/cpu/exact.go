package cpu

import (
	"context"
	"math"
	"sync"
	"unsafe"

	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/sink/cpu/kern"
)

// Exact sums: tiles hold int64 quanta, and a bound on their magnitude says when they must move to the 128-bit sums. An event
// adds at most quanta(e) + 1/2 to a pixel. Below narrow the AVX2 kernel's trick holds, below wide the int64 kernels do; a
// brighter event goes to the reference's 128-bit sums.
const (
	narrow   = 0x1p50
	wide     = 0x1p57 // groupLen of them stay below sumLimit
	sumLimit = 0x1p62
)

type exactSums struct {
	once   sync.Once
	sums   *hdr.Sums  // nil until something is folded
	bound  []float64  // by tile: no int64 of the tile exceeds it
	bright *Reference // sums the events beyond wide; nil until there is one
}

func (s *Stamp) quanta(star *kern.Star) float64 {
	f := max(math.Abs(star.F[0]), math.Abs(star.F[1]), math.Abs(star.F[2]))
	return f * s.peak * (1 + 1e-9)
}

// total128 returns the 128-bit sums, made on first use.
func (s *Stamp) total128() *hdr.Sums {
	s.exact.once.Do(func() { s.exact.sums = hdr.NewSums(s.cfg.W, s.cfg.H, s.cfg.QuantumBits) })
	return s.exact.sums
}

// addBright gives the events beyond int64 to the reference, and returns the others, in place.
func (s *Stamp) addBright(ctx context.Context, events []event.Event) ([]event.Event, error) {
	rest := events[:0]
	for i := range events {
		e := events[i]
		if star := (kern.Star{F: s.colour(&e)}); s.quanta(&star) < wide {
			rest = append(rest, e)
			continue
		}
		if s.exact.bright == nil {
			s.exact.bright = NewReference(s.cfg)
		}
		if err := s.exact.bright.Deposit(ctx, []event.Event{e}); err != nil {
			return nil, err
		}
		s.stats.stamped++
	}
	return rest, nil
}

// fitsOneSum says whether a tile's list can be summed in int64 from zero.
func (s *Stamp) fitsOneSum(list []int32) bool { return s.sumOf(list) < sumLimit }

func (s *Stamp) sumOf(list []int32) float64 {
	sum := 0.0
	for _, i := range list {
		sum += s.quanta(&s.scratch.stars[s.scratch.items[i].first]) + 1
	}
	return sum
}

// makeRoom folds the segment's tile into the 128-bit sums if a group would lift it past int64. A list with buffers fits one sum.
func (s *Stamp) makeRoom(g *segment, group []int32) {
	if g.buffer == nil {
		s.reserve(g.tile, s.sumOf(group))
	}
}

func (s *Stamp) reserve(t int, quanta float64) {
	if s.exact.bound[t]+quanta >= sumLimit {
		s.fold(t)
	}
	s.exact.bound[t] += quanta
}

// fold moves a tile into the 128-bit sums.
func (s *Stamp) fold(t int) {
	tile, sums := ints(s.tiles[t]), s.total128()
	r := s.grid.rect(t)
	for y := r.y0; y <= r.y1; y++ {
		for c := range 3 {
			row := tile[(y-r.y0)*kern.RowLen+c*kern.PlaneLen:][:r.x1-r.x0+1]
			for x, q := range row {
				sums.AddInt64(c, y*s.cfg.W+r.x0+x, q)
			}
		}
	}
	clear(tile)
	s.exact.bound[t] = 0
}

// totalSums folds every tile and returns the sums with the direct events.
func (s *Stamp) totalSums() *hdr.Sums {
	sums := s.total128()
	s.parallel(len(s.tiles), func(_ *worker, t int) {
		if s.exact.bound[t] > 0 {
			s.fold(t)
		}
	})
	if s.direct.Events() == 0 && s.exact.bright == nil {
		return sums
	}
	total := hdr.NewSums(s.cfg.W, s.cfg.H, s.cfg.QuantumBits)
	total.Merge(sums)
	if s.exact.bright != nil {
		total.Merge(s.exact.bright.sums)
	}
	s.direct.MergeInto(total)
	return total
}

// ints views a tile as its int64 quanta.
func ints(tile []float64) []int64 {
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(tile))), len(tile))
}
