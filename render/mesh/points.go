package mesh

import (
	"context"
	"fmt"
	"math"
	"sync"

	"grsplat/render/hdr"
	"grsplat/render/mesh/fft"
	"grsplat/render/psf"
)

// A crowd of events in a few pixels is deposited on its tile's lattice and every lattice point that has light is stamped, its circle
// around the point. The points of a pixel read their grids at the same places, so a row of the result is loaded once for all of them.
//
// Stamps end as those of the mesh do, so the sum errs at most by the light of all events times the profile where the rim begins. That bounds the
// tile, over its peak, as bound.go does a block.
type points struct {
	once  sync.Once
	grids []float64 // of the P x P phases, rows of row float64, zero outside the circle
	row   int
	size  int
	most  float64 // I where the rim begins
	k     fft.Kernels

	lattice *Lattice     // empty between tiles
	out     [3][]float64 // the pixels that a tile lights, rows of width float64
	width   int
}

// pointRows is how many rows of a result are summed at a time: of 64 grids they take 400 KB, which stay in the second-level cache
// for three colours.
const pointRows = 8

// gridGap keeps rows of grids, which would lie 18 x 4 KiB apart at radius 47, in cache sets of their own.
const gridGap = 8 * 17

// fit says whether stamps of points are worth the memory of their grids.
func (p *points) fit(f *psf.PSF) bool { return f.Kernel.Size*f.Phases*f.Phases <= maxSpectra/64 }

// make prepares the grids.
func (p *points) make(a *Accumulator) {
	k := a.cfg.PSF.Kernel
	p.k = fft.For(a.cfg.Level)
	p.row = up8(k.Stride)
	p.size = k.Stride*p.row + gridGap
	p.grids = make([]float64, k.P*k.P*p.size)
	m := sharpRim(a.support)
	if fadeLeak*a.cfg.PSF.Profile(a.support*a.support) <= maxResidual*k.Peak() { // as NewEngine
		m = fadingRim(a.cfg.PSF, a.support)
	}
	for g, grid := range ended(k, m) {
		for j := range k.Stride {
			copy(p.grids[g*p.size+j*p.row:], grid[j*k.Stride:(j+1)*k.Stride])
		}
	}
	low, _ := m.reach(k.P)
	low = max(low, 0)
	p.most = a.cfg.PSF.Profile(low * low)
	tile := 1 << a.grid.shift
	p.lattice = newLattice(k.P, tile, 0, p.k)
	p.width = up8(tile + 1 + p.row)
	for c := range p.out {
		p.out[c] = make([]float64, p.width*(tile+1+k.Stride))
	}
}

// crowds stamps the points of blocks and returns the blocks whose bound is above MeshError.
func (a *Accumulator) crowds(ctx context.Context, blocks []work) (refused []work, err error) {
	if len(blocks) == 0 {
		return nil, nil
	}
	a.points.once.Do(func() { a.points.make(a) })
	if a.frame == nil {
		a.frame = hdr.NewFrame(a.cfg.W, a.cfg.H)
	}
	for _, w := range blocks {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("mesh: %w", err)
		}
		left := 0
		a.grid.eachTile(w.block, func(at, _, _ int) { left += a.crowd(at) })
		if w.events -= left; w.events > 0 {
			a.stats.Points += int64(w.events)
		}
		if left > 0 {
			refused = append(refused, w)
		}
	}
	return refused, nil
}

// crowd stamps the points of one tile, or leaves its events, which it counts, where the bound is too high.
func (a *Accumulator) crowd(at int) (left int) {
	p, light, events := &a.points, 0.0, 0
	x0, y0 := a.grid.pixel(at)
	p.lattice.moveTo(x0, y0)
	box := newBox()
	for _, f := range a.fronts {
		for page := range f.tiles[at].paged {
			p.lattice.deposit(page)
			for i := range page {
				light += brightness(&page[i])
				box.add(page[i].X, page[i].Y)
			}
			events += len(page)
		}
	}
	if events == 0 {
		return 0
	}
	p.sum(p.take(box.pixels(x0, y0)), a.cfg.PSF.Kernel.R, a.cfg.Threads)
	bound := Bound(max(largest(p.out[0]), largest(p.out[1]), largest(p.out[2])), light*p.most)
	if !(bound <= a.cfg.MeshError) {
		return events
	}
	a.stats.Bound = max(a.stats.Bound, bound)
	a.add(&p.out, p.width, x0-a.grid.r, y0-a.grid.r, p.width, len(p.out[0])/p.width)
	for _, f := range a.fronts {
		f.drop(&f.tiles[at])
	}
	return 0
}

// A pixelPoints is the points of a pixel that have light: where their grids begin, and their colours.
type pixelPoints struct {
	x, y  int
	grids []int64
	light [3][]float64
}

// A box bounds positions.
type box struct{ x0, y0, x1, y1 float64 }

func newBox() box { return box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)} }

func (b *box) add(x, y float64) {
	if x < b.x0 {
		b.x0 = x
	}
	if x > b.x1 {
		b.x1 = x
	}
	if y < b.y0 {
		b.y0 = y
	}
	if y > b.y1 {
		b.y1 = y
	}
}

// pixels returns the pixels of the box's lattice points, counted from pixel (x,y), inclusive.
func (b *box) pixels(x, y int) (x0, y0, x1, y1 int) {
	return int(math.Floor(b.x0)) - x, int(math.Floor(b.y0)) - y, int(math.Floor(b.x1)) - x + 1, int(math.Floor(b.y1)) - y + 1
}

// take empties the lattice's pixels x0..x1, y0..y1, which have all of its light.
func (p *points) take(x0, y0, x1, y1 int) (all []pixelPoints) {
	l := p.lattice
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			q := pixelPoints{x: x, y: y}
			for v := y * l.P; v < min((y+1)*l.P, l.T*l.P+1); v++ {
				for u := x * l.P; u < min((x+1)*l.P, l.T*l.P+1); u++ {
					rgb := (*[3]float64)(l.data[l.first+v*l.Stride+3*u:])
					if *rgb == [3]float64{} {
						continue
					}
					q.grids = append(q.grids, int64((v%l.P*l.P+u%l.P)*p.size))
					for c, f := range rgb {
						q.light[c] = append(q.light[c], f)
					}
					*rgb = [3]float64{}
				}
			}
			if len(q.grids) > 0 {
				all = append(all, q)
			}
		}
	}
	return all
}

// sum stamps points into out, rows shared out to threads.
func (p *points) sum(all []pixelPoints, r, threads int) {
	for c := range p.out {
		clear(p.out[c])
	}
	stride, rows := 2*r+2, len(p.out[0])/p.width
	part := (rows + threads - 1) / threads
	var wait sync.WaitGroup
	for top := 0; top < rows; top += part {
		wait.Go(func() {
			for i := range all {
				p.stamp(&all[i], max(top-all[i].y, 0), min(top+part-all[i].y, stride))
			}
		})
	}
	wait.Wait()
}

// stamp adds rows from..to-1 of a pixel's grids.
func (p *points) stamp(q *pixelPoints, from, to int) {
	for j := from; j < to; j += pointRows {
		n := min(pointRows, to-j)
		for c := range p.out {
			p.k.CombineAdd(&p.out[c][(q.y+j)*p.width+q.x], &p.grids[j*p.row], &q.grids[0], &q.light[c][0], len(q.grids), p.row, n, p.width, p.row)
		}
	}
}
