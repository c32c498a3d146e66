package lens

import (
	"context"
	"math"
	"runtime"
	"sync"
)

// A tracer sees the sky through the optics and the spacetime.
type tracer struct {
	optics *Optics
	space  Spacetime
	// direct is set where the sky is the image plane itself, so that vectors keep every bit.
	direct bool
}

// sky traces a direction of the observer's frame. In tan the result keeps the direction's length.
func (t *tracer) sky(dir Vec) (sky Vec, g float64, ok bool) {
	if t.direct {
		return dir, 1, true
	}
	length := 1.0
	if t.optics.cam.Projection == Tan {
		length = norm(dir)
		dir = scale(1/length, dir)
	}
	static, doppler := t.optics.Arrival(dir)
	sky, g, ok = t.space.Trace(static)
	return scale(length, sky), g * doppler, ok
}

// skyAt traces a pixel.
func (t *tracer) skyAt(x, y float64) (sky Vec, ok bool) {
	dir, ok := t.optics.Ray(x, y)
	if !ok {
		return Vec{}, false
	}
	sky, _, ok = t.sky(dir)
	return sky, ok
}

// refiner cuts a mesh until each triangle satisfies judge.
type refiner struct {
	*mesh
	tracer
	chart     *chart
	limit     uint8   // deepest level
	smooth    uint8   // deepest level for the tolerance's sake
	sin2      float64 // of the angular tolerance, squared
	hopeless  []bool  // by triangle
	tolerance float64 // in pixels
	threads   int
	hole      bool
	holeP     float64 // parameters of the hole's direction
	holeQ     float64
}

// For the tolerance's sake a triangle is not cut finer than smoothLevels above the depth limit, a pixel by default: beside the
// shadow the light is demagnified so much that the error left on the sky moves no image. Where it does move one by more than the
// tolerance in pixels, imageLevels more are allowed. Deeper cuts are for triangles whose interpolation is grossly wrong.
const (
	smoothLevels = 8
	imageLevels  = 4
)

// gross is the squared sine of an error of 15 degrees.
const gross = 0.067

// widest is the cosine of the longest edge on the sky that is left uncut where the depth allows: samples alone could miss a
// fold inside a longer one.
const widest = 0.866

// run refines in rounds: all fresh triangles are judged side by side, those that fail are cut in order, the new vertices are
// traced side by side. The result does not depend on the number of threads.
func (r *refiner) run(ctx context.Context) error {
	if err := r.trace(ctx, 0); err != nil {
		return err
	}
	for {
		fresh := r.takeFresh()
		cut := make([]bool, len(fresh))
		r.hopeless = append(r.hopeless, make([]bool, len(r.tri)-len(r.hopeless))...)
		err := r.spread(ctx, len(fresh), func(i int) { cut[i] = r.judge(fresh[i]) })
		if err != nil {
			return err
		}
		first, any := len(r.vertex), false
		for i, t := range fresh {
			// A triangle that an earlier cut has changed waits for its next judgement.
			if cut[i] && !r.fresh[t] {
				r.refine(t)
				any = true
			}
		}
		if !any {
			return nil
		}
		if err := r.trace(ctx, first); err != nil {
			return err
		}
	}
}

// takeFresh lists the fresh triangles and marks them as judged.
func (r *refiner) takeFresh() []int32 {
	var list []int32
	for t, fresh := range r.fresh {
		if fresh {
			list = append(list, int32(t))
			r.fresh[t] = false
		}
	}
	return list
}

// trace fills in the vertices from first on.
func (r *refiner) trace(ctx context.Context, first int) error {
	err := r.spread(ctx, len(r.vertex)-first, func(i int) {
		v := &r.vertex[first+i]
		var dir Vec
		v.x, v.y, dir = r.chart.place(v.p, v.q)
		if v.twin < 0 {
			v.sky, v.g, v.seen = r.sky(dir)
			v.sky = flush(v.sky)
		}
	})
	if err != nil {
		return err
	}
	for i := first; i < len(r.vertex); i++ {
		if v := &r.vertex[i]; v.twin >= 0 {
			r.adopt(v, v.twin)
		}
	}
	return nil
}

// adopt copies what was traced at the other side of a seam, bit by bit.
func (r *refiner) adopt(v *node, other int32) {
	from := &r.vertex[other]
	v.sky, v.g, v.seen, v.twin = from.sky, from.g, from.seen, other
	if r.optics.cam.Projection == Zea {
		v.x, v.y = from.x, from.y // both sides of the seam are one line of the image
	}
}

// spread calls f for 0 to n-1 on the refiner's threads.
func (r *refiner) spread(ctx context.Context, n int, f func(i int)) error {
	return spread(ctx, r.threads, n, f)
}

// spread calls f(0) ... f(n-1) on some threads until done or cancelled.
func spread(ctx context.Context, threads, n int, f func(i int)) error {
	return spreadBlocks(ctx, threads, n, 4096, f)
}

// spreadBlocks is spread with a number of calls that one thread makes in a row.
func spreadBlocks(ctx context.Context, threads, n, block int, f func(i int)) error {
	blocks := (n + block - 1) / block
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	var wg sync.WaitGroup
	queue := make(chan int, blocks)
	for b := range blocks {
		queue <- b
	}
	close(queue)
	for range min(threads, blocks) {
		wg.Go(func() {
			for b := range queue {
				if ctx.Err() != nil {
					return
				}
				for i := b * block; i < min(n, (b+1)*block); i++ {
					f(i)
				}
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// judge says whether a triangle must be cut. It remembers whether the triangle is hopeless: so wrong that it says nothing.
func (r *refiner) judge(t int32) bool {
	level := r.level[t]
	a, b, c := &r.vertex[r.tri[t][0]], &r.vertex[r.tri[t][1]], &r.vertex[r.tri[t][2]]
	r.hopeless[t] = false
	switch seen(a) + seen(b) + seen(c) {
	case 0:
		// All corners in the shadow: look whether the middle is too.
		_, ok := r.skyAt((a.x+b.x+c.x)/3, (a.y+b.y+c.y)/3)
		return ok && level < r.smooth
	case 1:
		return level < r.smooth
	case 2:
		if level < r.smooth {
			return true
		}
		worst := math.Max(r.miss(a, b), math.Max(r.miss(b, c), r.miss(c, a)))
		r.hopeless[t] = worst > gross
		return worst > gross && level < r.limit
	}
	if level < r.smooth && (r.tooWide(a, b) || r.tooWide(b, c) || r.tooWide(c, a) || (r.hole && r.holdsHole(a, b, c))) {
		return true
	}
	worst := r.missAt((a.x+b.x+c.x)/3, (a.y+b.y+c.y)/3, add(add(a.sky, b.sky), c.sky))
	if worst <= r.sin2 || level >= r.smooth {
		worst = math.Max(worst, math.Max(r.miss(a, b), math.Max(r.miss(b, c), r.miss(c, a))))
	}
	switch {
	case level < r.smooth:
		return worst > r.sin2
	case level < r.smooth+imageLevels && r.displaces(worst, a, b, c):
		return level < r.limit
	}
	r.hopeless[t] = worst > gross
	return worst > gross && level < r.limit
}

// displaces reports whether an error on the sky, squared, moves images by more than half the tolerance in pixels: the lens that
// stretches a triangle on the sky shrinks the error in the image.
func (r *refiner) displaces(miss float64, a, b, c *node) bool {
	stretch := 0.0 // squared, radians of sky per pixel, along the most stretched side
	for _, e := range [...][2]*node{{a, b}, {b, c}, {c, a}} {
		n := cross(e[0].sky, e[1].sky)
		sky := dot(n, n) / (dot(e[0].sky, e[0].sky) * dot(e[1].sky, e[1].sky))
		x, y := e[0].x-e[1].x, e[0].y-e[1].y
		stretch = math.Max(stretch, sky/(x*x+y*y))
	}
	return miss > r.tolerance*r.tolerance/4*stretch
}

func seen(v *node) int {
	if v.seen {
		return 1
	}
	return 0
}

// miss is the error of interpolation in the middle of an edge, as missAt; 0 if an end is captured.
func (r *refiner) miss(a, b *node) float64 {
	if !a.seen || !b.seen {
		return 0
	}
	return r.missAt((a.x+b.x)/2, (a.y+b.y)/2, add(a.sky, b.sky))
}

// missAt is the squared sine of the angle between a guess and what is seen at a pixel, or 4 if they are more than 90 degrees
// apart or nothing is seen there.
func (r *refiner) missAt(x, y float64, guess Vec) float64 {
	sky, ok := r.skyAt(x, y)
	if !ok || !(dot(sky, guess) > 0) {
		return 4
	}
	n := cross(sky, guess)
	return dot(n, n) / (dot(sky, sky) * dot(guess, guess))
}

// tooWide reports an edge that is long on the sky.
func (r *refiner) tooWide(a, b *node) bool {
	d := dot(a.sky, b.sky)
	return !(d > 0 && d*d >= widest*widest*dot(a.sky, a.sky)*dot(b.sky, b.sky))
}

// holdsHole reports a triangle around the hole's direction, which is cut so that a shadow between samples is found.
func (r *refiner) holdsHole(a, b, c *node) bool {
	side := func(a, b *node) float64 { return (b.p-a.p)*(r.holeQ-a.q) - (b.q-a.q)*(r.holeP-a.p) }
	u, v, w := side(a, b), side(b, c), side(c, a)
	return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0)
}

// locateHole finds the parameters of the hole's direction, as the moving observer sees it.
func (r *refiner) locateHole(axis Vec) {
	dir, _ := r.optics.Departure(axis)
	x, y, ok := r.optics.Project(dir)
	if ok {
		r.holeP, r.holeQ = r.chart.parameters(x, y)
		r.hole = !math.IsNaN(r.holeP + r.holeQ)
	}
}
