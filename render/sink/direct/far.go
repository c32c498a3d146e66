package direct

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"

	"grsplat/render/psf"
)

// Far from its star a profile is smooth, so a square block of pixels needs it at the nodes of a Chebyshev grid only. A tile of
// the frame is a quadtree of blocks. An event adds its profile to the nodes of the largest blocks that lie wholly inside its
// circle and far from the star; leaves at its rim and around the star are summed pixel by pixel. When a batch is in, every block
// hands its nodes down to its quarters, and the leaves interpolate theirs at the pixels.
const (
	nodes    = 20 // along each axis of a block
	leaf     = 32 // px, side of the smallest block
	levels   = 4
	tile     = leaf << (levels - 1)
	farLeast = 8     // large events in a tile that repay the interpolation
	farError = 1e-13 // of the profile, at every pixel
)

// A far holds what all blocks share; it does not change.
type far struct {
	*radial
	reach float64             // least distance of a block's middle from the star, in half sides
	node  [nodes]float64      // Chebyshev points on [-1, 1]
	half  [2][nodes][]float64 // [h][k]: node k's cardinal function at the nodes of the left (upper) or right half
	pixel [nodes][]float64    // the same at the pixels of a leaf, or averaged over each of them
}

func newFar(f *psf.PSF, tables *radial) *far {
	r := &far{radial: tables, reach: farReach(f.Beta)}
	for k := range r.node {
		r.node[k] = math.Cos(math.Pi * (float64(k) + 0.5) / nodes)
	}
	// Half the nodes integrate a polynomial of degree nodes-1 exactly.
	at, share := []float64{0}, []float64{1}
	if f.Params.Sampling == psf.Pixel {
		at, share = make([]float64, nodes/2), make([]float64, nodes/2)
		quad.Legendre{}.FixedLocations(at, share, -0.5, 0.5)
	}
	for k := range r.node {
		for h := range r.half {
			for _, s := range r.node {
				r.half[h][k] = append(r.half[h][k], cardinal(r.node[k], (s-1)/2+float64(h)))
			}
		}
		r.pixel[k] = make([]float64, leaf)
		for p := range r.pixel[k] {
			for i, v := range at {
				r.pixel[k][p] += share[i] * cardinal(r.node[k], (float64(p)+0.5+v)/(leaf/2)-1)
			}
		}
	}
	return r
}

// cardinal returns at s the polynomial of degree nodes-1 that is 1 at the given node and 0 at the others: (1 + 2 sum of
// T_m(node) T_m(s))/n, from the discrete orthogonality of T_m at the Chebyshev points.
func cardinal(node, s float64) float64 {
	u, v, sum := math.Acos(node), math.Acos(s), 1.0
	for m := 1.0; m < nodes; m++ {
		sum += 2 * math.Cos(m*u) * math.Cos(m*v)
	}
	return sum / nodes
}

// large says whether the far field is worth a look for an event of this support.
func (f *far) large(support float64) bool { return support > f.reach*leaf }

// A grid holds values at a block's nodes, three colours after one another, each [x][y].
type grid [3][nodes * nodes]float64

// A field is one goroutine's quadtree of the tile that it works on.
type field struct {
	*far
	b      *band
	x0, y0 int // the tile's first pixel
	used   [levels][]bool
	grid   [levels][]grid // [level][row*2^level+column], the whole tile first
	weight [nodes * nodes]float64
	rows   [3][nodes * leaf]float64
	factor [3]float64
	lower  grid // a quarter's share, [y][x]
}

func newField(f *far, b *band) *field {
	t := &field{far: f, b: b}
	for l := range t.grid {
		t.grid[l], t.used[l] = make([]grid, 1<<(2*l)), make([]bool, 1<<(2*l))
	}
	return t
}

// sum adds the pending events to the tile that begins at pixel (x0,y0).
func (t *field) sum(x0, y0 int) {
	t.x0, t.y0 = x0, y0
	whole := t.rect(0, 0, 0)
	large := 0
	for i := range t.b.a.pending {
		if s := t.b.a.star(i); t.large(s.Support) && s.reaches(&whole) {
			large++
		}
	}
	if large < farLeast {
		t.b.sum(whole)
		return
	}
	for i := range t.b.a.pending {
		if s := t.b.a.star(i); t.large(s.Support) {
			t.descend(&s, 0, 0, 0)
		} else {
			t.b.add(&s, &whole)
		}
	}
	t.resolve(0, 0, 0)
}

// rect returns the pixels of block (i,j), column i and row j of a level, that are in the frame; none if x1 < x0 or y1 < y0.
func (t *field) rect(level, i, j int) rect {
	side := tile >> level
	x, y := t.x0+i*side, t.y0+j*side
	return rect{x, y, min(x+side, t.b.a.cfg.W) - 1, min(y+side, t.b.a.cfg.H) - 1}
}

// descend adds a star to block (i,j) or to blocks below it.
func (t *field) descend(s *star, level, i, j int) {
	r := t.rect(level, i, j)
	if r.x1 < r.x0 || r.y1 < r.y0 || !s.reaches(&r) {
		return
	}
	h := float64(int(tile)>>level) / 2
	cx, cy := float64(r.x0)+h-0.5-s.X, float64(r.y0)+h-0.5-s.Y
	switch {
	case math.Hypot(cx, cy) >= t.reach*h && s.covers(&r):
		at := j<<level + i
		t.deposit(&t.grid[level][at], cx, cy, h, &s.colour)
		t.used[level][at] = true
		t.b.lit += int64(r.x1-r.x0+1) * int64(r.y1-r.y0+1)
	case level == levels-1:
		t.b.add(s, &r)
	default:
		for q := range 4 {
			t.descend(s, level+1, 2*i+q&1, 2*j+q>>1)
		}
	}
}

// deposit adds the profile at the nodes of a block of half side h whose middle lies (cx,cy) px from the star.
func (t *field) deposit(g *grid, cx, cy, h float64, colour *[3]float64) {
	var dy2 [nodes]float64
	for k, v := range t.node {
		y := cy + float64(h*v)
		dy2[k] = float64(y * y)
	}
	for k, v := range t.node {
		x := cx + float64(h*v)
		for n, y2 := range dy2 {
			t.weight[k*nodes+n] = float64(x*x) + y2
		}
	}
	t.profile(t.weight[:])
	t.b.a.set.AddRow([3][]float64{g[0][:], g[1][:], g[2][:]}, t.weight[:], colour)
}

// resolve adds the nodes of block (i,j) and of all below it to the frame, and clears them.
func (t *field) resolve(level, i, j int) {
	r := t.rect(level, i, j)
	if r.x1 < r.x0 || r.y1 < r.y0 {
		return
	}
	at := j<<level + i
	g, used := &t.grid[level][at], t.used[level][at]
	if used && level == levels-1 {
		frame := t.b.a.frame
		t.spread(g, &t.pixel, &t.pixel, r.x1-r.x0+1, r.y1-r.y0+1, func(c, row int) []float64 {
			return frame.Plane[c][(r.y0+row)*frame.W+r.x0:]
		})
	}
	for q := 0; q < 4 && level < levels-1; q++ {
		u, v := q&1, q>>1
		if next := t.rect(level+1, 2*i+u, 2*j+v); used && next.x0 <= next.x1 && next.y0 <= next.y1 {
			t.hand(g, level+1, 2*i+u, 2*j+v)
		}
		t.resolve(level+1, 2*i+u, 2*j+v)
	}
	if used {
		*g, t.used[level][at] = grid{}, false
	}
}

// hand adds a block's nodes to those of its quarter (i,j).
func (t *field) hand(g *grid, level, i, j int) {
	t.lower = grid{}
	t.spread(g, &t.half[i&1], &t.half[j&1], nodes, nodes, func(c, row int) []float64 { return t.lower[c][row*nodes:] })
	at := j<<level + i
	for c := range t.lower {
		for n, w := range t.lower[c] {
			t.grid[level][at][c][n%nodes*nodes+n/nodes] += w
		}
	}
	t.used[level][at] = true
}

// spread adds the polynomial of g, at w x h points that the cardinal functions ex and ey stand for, to rows out(colour, row).
func (t *field) spread(g *grid, ex, ey *[nodes][]float64, w, h int, out func(c, row int) []float64) {
	add := t.b.a.set.AddRow
	for k := range nodes { // a column of nodes becomes a column of h values
		var column [3][]float64
		for c := range column {
			column[c] = t.rows[c][k*leaf:][:h]
			clear(column[c])
		}
		for n := range nodes {
			at := k*nodes + n
			t.factor = [3]float64{g[0][at], g[1][at], g[2][at]}
			add(column, ey[n][:h], &t.factor)
		}
	}
	for row := range h {
		dst := [3][]float64{out(0, row)[:w], out(1, row)[:w], out(2, row)[:w]}
		for k := range nodes {
			at := k*leaf + row
			t.factor = [3]float64{t.rows[0][at], t.rows[1][at], t.rows[2][at]}
			add(dst, ex[k][:w], &t.factor)
		}
	}
}
