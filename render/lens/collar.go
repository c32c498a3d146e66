package lens

import "math"

// collar fills the triangles that straddle the shadow's edge with smaller ones, until the edge is a small part of a pixel away.
// There the swept angle grows with the logarithm of the distance from the edge and hardly along it, so cutting across is enough:
// every side with one end in the shadow gets a ladder of vertices whose distance from the shadow is halved from each to the
// next, and a triangle's two ladders are zipped together. Both triangles at a side use its one ladder, so the mesh stays
// conforming. What is left, between the last rungs and the shadow, is the triangle that is counted as dropped.
func (r *refiner) collar() {
	known := ladders{}
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
		if !r.vertex[v[0]].seen {
			r.zip(r.ladder(known, v[2], v[0]), r.ladder(known, v[1], v[0]))
			continue
		}
		p, q := r.ladder(known, v[0], v[1]), r.ladder(known, v[0], v[2])
		r.join(v[0], p[1], q[1])
		r.zip(p[1:], q[1:])
	}
}

// zip joins two ladders. Of the two next rungs it takes the one that is nearer, on the sky, to the present one opposite.
func (r *refiner) zip(p, q []int32) {
	for len(p) > 1 || len(q) > 1 {
		if len(q) == 1 || (len(p) > 1 && r.nearness(p[1], q[0]) >= r.nearness(p[0], q[1])) {
			r.join(p[0], p[1], q[0])
			p = p[1:]
		} else {
			r.join(p[0], q[1], q[0])
			q = q[1:]
		}
	}
}

// nearness is the cosine of the angle between two vertices' sky vectors.
func (r *refiner) nearness(a, b int32) float64 {
	p, q := r.vertex[a].sky, r.vertex[b].sky
	return dot(p, q) / math.Sqrt(dot(p, p)*dot(q, q))
}

// join adds a triangle.
func (r *refiner) join(a, b, c int32) { r.addTriangle([3]int32{a, b, c}, [3]int32{-1, -1, -1}) }

// ladders by the origins of a side's ends, so that both sides of a seam have one key.
type ladders map[[2]int32][]ladder

// ladder begins with its foot, a seen vertex, and leads towards its top, a captured one.
type ladder struct {
	foot, top int32
	rung      []int32
}

const (
	lastRung = 1.0 / 24 // pixels from the shadow, along the side
	maxRungs = 8
)

// ladder returns the rungs from a seen vertex to a captured one: the foot and at least one more.
func (r *refiner) ladder(known ladders, foot, top int32) []int32 {
	key := [2]int32{r.origin(foot), r.origin(top)}
	for _, l := range known[key] {
		if l.foot == foot && l.top == top {
			return l.rung
		}
	}
	a, b := r.vertex[foot], r.vertex[top]
	at := func(f float64) node {
		v := node{p: a.p + f*(b.p-a.p), q: a.q + f*(b.q-a.q), twin: -1}
		var dir Vec
		v.x, v.y, dir = r.chart.place(v.p, v.q)
		v.sky, v.g, v.seen = r.sky(dir)
		v.sky = flush(v.sky)
		return v
	}
	low, high := 0.0, 1.0 // fractions of the side, seen and captured
	for range 14 {
		if mid := (low + high) / 2; at(mid).seen {
			low = mid
		} else {
			high = mid
		}
	}
	l := ladder{foot, top, []int32{foot}}
	distance := low * math.Hypot(b.x-a.x, b.y-a.y)
	for left := 0.5; len(l.rung) == 1 || (distance*left*2 > lastRung && len(l.rung) <= maxRungs); left /= 2 {
		v := at(low * (1 - left))
		if k := len(l.rung); len(known[key]) > 0 && k < len(known[key][0].rung) {
			r.adopt(&v, known[key][0].rung[k])
		}
		r.vertex = append(r.vertex, v)
		l.rung = append(l.rung, int32(len(r.vertex)-1))
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
