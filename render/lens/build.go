package lens

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"grsplat/render/fail"
)

// Params say which map to build.
type Params struct {
	Camera    Camera `json:"camera"`
	Spacetime Spec   `json:"spacetime"`
	// Tolerance of interpolation inside a triangle: sky-side angle over the central pixel's. 0 stands for 0.05.
	Tolerance float64 `json:"tolerance"`
	// Margin around the frame in pixels, the cache radius of the PSF, so that stars off the frame light its edge.
	Margin float64 `json:"margin"`
	// Depth is how often a root triangle, about 32 pixels wide, may be halved; for the tolerance's sake alone 8 less. 0 stands for
	// 18: sides of 1/16 pixel and 1 pixel.
	Depth int `json:"depth"`
	// Threads to build with, 0 for all; the map does not depend on it.
	Threads int `json:"-"`
}

const (
	defaultTolerance = 0.05
	defaultDepth     = 18
	maxDepth         = 26
	maxRoots         = 1 << 22 // root cells: a frame of 65,536 pixels squared
)

// WithDefaults fills in what is 0.
func (p Params) WithDefaults() Params {
	p.Camera = p.Camera.WithDefaults()
	if p.Tolerance == 0 {
		p.Tolerance = defaultTolerance
	}
	if p.Depth == 0 {
		p.Depth = defaultDepth
	}
	return p
}

func (p Params) validate() error {
	switch {
	case !(p.Tolerance >= 1e-6 && p.Tolerance <= 10):
		return fail.Usage("map: tolerance %v: must be 1e-6 to 10 central pixels", p.Tolerance)
	case !(p.Margin >= 0 && p.Margin <= maxSide):
		return fail.Usage("map: margin %v: must be 0 to %d pixels", p.Margin, maxSide)
	case p.Depth < 1 || p.Depth > maxDepth:
		return fail.Usage("map: depth %d: must be 1 to %d", p.Depth, maxDepth)
	}
	return nil
}

// Check refuses, as a usage error, parameters that Build would refuse, without building.
func (p Params) Check() error {
	p = p.WithDefaults()
	if err := p.validate(); err != nil {
		return err
	}
	if err := p.Camera.Validate(); err != nil {
		return err
	}
	_, err := p.Spacetime.New()
	return err
}

// Build traces and refines the map. The result is the same for any number of threads.
func Build(ctx context.Context, p Params) (*Map, error) {
	p = p.WithDefaults()
	if err := p.validate(); err != nil {
		return nil, err
	}
	optics, err := p.Camera.Optics()
	if err != nil {
		return nil, err
	}
	space, err := p.Spacetime.New()
	if err != nil {
		return nil, err
	}
	r := &refiner{
		mesh:    &mesh{},
		tracer:  tracer{optics, space, p.Spacetime.Flat() && optics.boost.beta == 0},
		chart:   newChart(optics, p.Margin),
		limit:   uint8(p.Depth),
		smooth:  uint8(max(0, p.Depth-smoothLevels)),
		threads: p.Threads,
	}
	r.tolerance = p.Tolerance
	r.sin2 = math.Pow(math.Sin(math.Min(p.Tolerance*optics.PixelAngle(), 0.5)), 2)
	if !p.Spacetime.Flat() {
		axis, err := p.Spacetime.holeAxis()
		if err != nil {
			return nil, err
		}
		r.locateHole(axis)
	}
	if n := r.chart.columns * r.chart.rows; n > maxRoots {
		return nil, fail.Usage("map: %dx%d pixels with a margin of %g: %d root cells, at most %d", p.Camera.W, p.Camera.H, p.Margin, n, maxRoots)
	}
	r.chart.roots(r.mesh)
	if err := r.run(ctx); err != nil {
		return nil, fmt.Errorf("map: build: %w", err)
	}
	r.collar()
	m := &Map{Params: p}
	if err := m.prepare(); err != nil {
		return nil, err
	}
	m.take(r)
	if len(m.Triangle) == 0 {
		return nil, fail.Usage("map: build: no pixel sees the sky")
	}
	return m, m.magnify(ctx, r)
}

// take keeps the triangles that see the sky, in Morton order, and their vertices in the order of first use.
func (m *Map) take(r *refiner) {
	type place struct {
		key uint64
		tri int32
	}
	var keep []place
	code := newMorton(r)
	r.hopeless = append(r.hopeless, make([]bool, len(r.tri)-len(r.hopeless))...)
	for t := range r.tri {
		a, b, c := &r.vertex[r.tri[t][0]], &r.vertex[r.tri[t][1]], &r.vertex[r.tri[t][2]]
		switch {
		case !a.seen && !b.seen && !c.seen:
			m.Stats.Captured++
		case !a.seen || !b.seen || !c.seen, r.hopeless[t], !(dot(a.sky, b.sky) > 0 && dot(b.sky, c.sky) > 0 && dot(c.sky, a.sky) > 0):
			m.Stats.Dropped++
		case volumeSign(a.sky, b.sky, c.sky) == 0:
			// A triangle of zero area on the sky, such as those along a pole, has no image.
		default:
			keep = append(keep, place{code.of((a.x+b.x+c.x)/3, (a.y+b.y+c.y)/3), int32(t)})
		}
	}
	slices.SortFunc(keep, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.tri, b.tri))
	})
	number := make([]int32, len(r.vertex))
	m.Triangle = make([][3]int32, len(keep))
	for i, k := range keep {
		for j, v := range r.tri[k.tri] {
			if number[v] == 0 {
				from := &r.vertex[v]
				m.Vertex = append(m.Vertex, Vertex{from.x, from.y, from.sky, from.g})
				number[v] = int32(len(m.Vertex))
			}
			m.Triangle[i][j] = number[v] - 1
		}
	}
	m.Stats.Vertices, m.Stats.Triangles = len(m.Vertex), len(m.Triangle)
}

// magnify fills in Mu.
func (m *Map) magnify(ctx context.Context, r *refiner) error {
	m.Mu = make([]float64, len(m.Triangle))
	err := r.spread(ctx, len(m.Triangle), func(i int) {
		v := &m.Triangle[i]
		a, b, c := &m.Vertex[v[0]], &m.Vertex[v[1]], &m.Vertex[v[2]]
		var dir [3]Vec
		for j, w := range []*Vertex{a, b, c} {
			dir[j], _ = m.optics.Ray(w.X, w.Y)
		}
		// A triangle whose area on the sky is lost in rounding magnifies nothing rather than infinitely.
		if sky := solidAngle(a.Sky, b.Sky, c.Sky); sky > 0 {
			m.Mu[i] = solidAngle(dir[0], dir[1], dir[2]) / sky
		}
	})
	if err != nil {
		return fmt.Errorf("map: build: %w", err)
	}
	return nil
}

// morton numbers image positions along the Z-order curve of the map's bounding box.
type morton struct{ x0, y0, scale float64 }

func newMorton(r *refiner) morton {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for i := range r.vertex {
		v := &r.vertex[i]
		x0, y0 = math.Min(x0, v.x), math.Min(y0, v.y)
		x1, y1 = math.Max(x1, v.x), math.Max(y1, v.y)
	}
	return morton{x0, y0, (1<<26 - 1) / math.Max(x1-x0, y1-y0)}
}

func (m morton) of(x, y float64) uint64 {
	return interleave(uint64((x-m.x0)*m.scale)) | interleave(uint64((y-m.y0)*m.scale))<<1
}

// interleave moves bit i of a 32-bit number to bit 2i.
func interleave(v uint64) uint64 {
	for _, s := range [...]struct {
		shift uint
		mask  uint64
	}{{16, 0x0000ffff0000ffff}, {8, 0x00ff00ff00ff00ff}, {4, 0x0f0f0f0f0f0f0f0f}, {2, 0x3333333333333333}, {1, 0x5555555555555555}} {
		v = (v | v<<s.shift) & s.mask
	}
	return v
}
