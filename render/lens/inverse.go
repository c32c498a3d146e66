package lens

// test appends the image of star v through triangle t, if there is one: v = l (a u + b v + c w) with l > 0 and u, v, w >= 0, where
// a tie on an edge falls to exactly one of its triangles (exact.go). The edge functions det(v, b, c) etc. are the barycentric
// coordinates but for a factor; only their signs near zero need more than floating point.
func (w *Worker) test(out []Image, star, t int32, v *Vec) []Image {
	tri := &w.m.Triangle[t]
	a, b, c := &w.m.Vertex[tri[0]], &w.m.Vertex[tri[1]], &w.m.Vertex[tri[2]]
	sense := float64(w.sense[t])
	ea := sense * triple(v, &b.Sky, &c.Sky)
	if ea < -w.slack {
		return out
	}
	eb := sense * triple(v, &c.Sky, &a.Sky)
	if eb < -w.slack {
		return out
	}
	ec := sense * triple(v, &a.Sky, &b.Sky)
	if ec < -w.slack {
		return out
	}
	if ea <= w.slack || eb <= w.slack || ec <= w.slack {
		if !w.holdsExactly(t, v) {
			return out
		}
		// The exact signs are positive: what rounding made negative is nothing.
		ea, eb, ec = max(ea, 0), max(eb, 0), max(ec, 0)
		if ea+eb+ec == 0 {
			ea, eb, ec = 1, 1, 1
		}
	}
	scale := 1 / (ea + eb + ec)
	ea, eb, ec = ea*scale, eb*scale, ec*scale
	if w.m.flat {
		return append(out, w.m.straight(star, t, v))
	}
	return append(out, Image{
		Star: star,
		Tri:  t,
		X:    ea*a.X + eb*b.X + ec*c.X,
		Y:    ea*a.Y + eb*b.Y + ec*c.Y,
		Mu:   w.m.Mu[t],
		G:    ea*a.G + eb*b.G + ec*c.G,
	})
}

// triple is det(s, p, q).
func triple(s, p, q *Vec) float64 {
	return s[0]*(p[1]*q[2]-p[2]*q[1]) + s[1]*(p[2]*q[0]-p[0]*q[2]) + s[2]*(p[0]*q[1]-p[1]*q[0])
}

// holdsExactly decides by exact signs, each edge's in the global order of its vertices. A sky vector that two vertices share has
// no order, and needs none: sideOf is antisymmetric.
func (w *Worker) holdsExactly(t int32, v *Vec) bool {
	sense := int(w.sense[t])
	if sense == 0 {
		return false
	}
	tri := &w.m.Triangle[t]
	for k := range 3 {
		p, q := tri[k], tri[(k+1)%3]
		side := 0
		if p < q {
			side = sideOf(*v, w.m.Vertex[p].Sky, w.m.Vertex[q].Sky)
		} else {
			side = -sideOf(*v, w.m.Vertex[q].Sky, w.m.Vertex[p].Sky)
		}
		if side != sense {
			return false
		}
	}
	return true
}

// straight is the image in flat space, in closed form: the mesh only says which triangle it lies in.
func (m *Map) straight(star, t int32, v *Vec) Image {
	dir, doppler := m.optics.Departure(*v)
	x, y, _ := m.optics.Project(dir)
	// Aberration turns a solid angle into doppler^-2 of it.
	return Image{Star: star, Tri: t, X: x, Y: y, Mu: 1 / (doppler * doppler), G: doppler}
}
