package lens

// rungs of a ladder: the last is 1/16 as far from the shadow as the ladder's foot.
const rungs = 4

// collar fills the triangles that straddle the shadow's edge with smaller ones, up to 1/16 of their size from the edge. There the
// swept angle grows with the logarithm of the distance from the edge and hardly along it, so cutting across is enough: every edge
// with one end in the shadow gets a ladder of vertices whose distance from the shadow is halved from each to the next, and a
// triangle's two ladders are joined rung by rung. Both triangles at an edge use its one ladder, so the mesh stays conforming.
// What is left, between the last rungs and the shadow, is the triangle that is counted as dropped.
func (r *refiner) collar() {
	ladders := ladders{}
	for t := range r.tri {
		v := r.tri[t]
		a, b, c := r.vertex[v[0]].seen, r.vertex[v[1]].seen, r.vertex[v[2]].seen
		if (a == b && b == c) || r.hopeless[t] {
			continue
		}
		// Turn the odd one out to the front.
		switch {
		case a == c:
			v = [3]int32{v[1], v[2], v[0]}
		case a == b:
			v = [3]int32{v[2], v[0], v[1]}
		}
		if r.vertex[v[0]].seen {
			p, q := r.ladder(ladders, v[0], v[1]), r.ladder(ladders, v[0], v[2])
			r.join(v[0], p[0], q[0])
			r.rails(p[0], q[0], p[1:], q[1:])
			continue
		}
		p, q := r.ladder(ladders, v[1], v[0]), r.ladder(ladders, v[2], v[0])
		r.rails(q[0], p[0], q[1:], p[1:])
		r.join(v[1], v[2], q[0])
		r.join(v[1], q[0], p[0])
	}
}

// rails joins two ladders from their feet a and b on.
func (r *refiner) rails(a, b int32, up, down []int32) {
	for k := range up {
		r.join(a, up[k], down[k])
		r.join(a, down[k], b)
		a, b = up[k], down[k]
	}
}

// join adds a triangle.
func (r *refiner) join(a, b, c int32) { r.addTriangle([3]int32{a, b, c}, [3]int32{-1, -1, -1}) }

// ladders by the sky vectors of an edge's ends, that is by their origins, so that both sides of a seam have one key.
type ladders map[[2]int32][]*ladder

type ladder struct {
	foot, top int32
	rung      [rungs]int32
}

// ladder returns the rungs from a seen vertex to a captured one, the foot left out.
func (r *refiner) ladder(known ladders, foot, top int32) [rungs]int32 {
	key := [2]int32{r.origin(foot), r.origin(top)}
	for _, l := range known[key] {
		if l.foot == foot && l.top == top {
			return l.rung
		}
	}
	l := &ladder{foot: foot, top: top}
	a, b := r.vertex[foot], r.vertex[top]
	at := func(f float64) node {
		v := node{p: a.p + f*(b.p-a.p), q: a.q + f*(b.q-a.q), twin: -1}
		var dir Vec
		v.x, v.y, dir = r.chart.place(v.p, v.q)
		v.sky, v.g, v.seen = r.sky(dir)
		v.sky = flush(v.sky)
		return v
	}
	low, high := 0.0, 1.0 // fractions of the edge, seen and captured
	for range 12 {
		if mid := (low + high) / 2; at(mid).seen {
			low = mid
		} else {
			high = mid
		}
	}
	left := 1.0
	for k := range l.rung {
		left /= 2
		v := at(low * (1 - left))
		if len(known[key]) > 0 {
			r.adopt(&v, known[key][0].rung[k])
		}
		r.vertex = append(r.vertex, v)
		l.rung[k] = int32(len(r.vertex) - 1)
	}
	known[key] = append(known[key], l)
	return l.rung
}

// origin returns the vertex whose sky vector a vertex has copied, or itself.
func (r *refiner) origin(v int32) int32 {
	if t := r.vertex[v].twin; t >= 0 {
		return t
	}
	return v
}
