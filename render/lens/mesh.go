package lens

// mesh is a conforming triangulation of a chart under refinement by newest-vertex bisection (Mitchell 1989, ACM TOMS 15, 326):
// a triangle is only ever cut from its newest vertex to the middle of its base, together with the neighbour that shares the
// base, so there are no hanging nodes, and no new shapes after the second cut.
type mesh struct {
	vertex []node
	// tri holds base start, base end, newest vertex, in one sense of rotation for all.
	tri [][3]int32
	// next holds the neighbour across the edge opposite each vertex, so next[t][2] is across the base; -1 at the rim.
	next  [][3]int32
	level []uint8 // cuts since the root
	fresh []bool  // not yet judged in its present shape
}

// node is a vertex: its parameters and what was traced there.
type node struct {
	p, q, x, y float64
	sky        Vec
	g          float64
	seen       bool
	// twin is the vertex on the other side of a seam, made earlier, from which the traced values are copied bit by bit; else -1.
	twin int32
}

func (m *mesh) addVertex(p, q float64, twin int32) int32 {
	m.vertex = append(m.vertex, node{p: p, q: q, twin: twin})
	return int32(len(m.vertex) - 1)
}

func (m *mesh) addTriangle(v, next [3]int32) int32 {
	m.tri = append(m.tri, v)
	m.next = append(m.next, next)
	m.level = append(m.level, 0)
	m.fresh = append(m.fresh, true)
	return int32(len(m.tri) - 1)
}

// refine cuts triangle t, after cutting its neighbour across the base until the two share it.
func (m *mesh) refine(t int32) {
	for {
		n := m.next[t][2]
		if n < 0 || m.next[n][2] == t {
			break
		}
		m.refine(n)
	}
	n := m.next[t][2]
	middle := m.middle(t, -1)
	b := m.cut(t, middle)
	if n < 0 {
		return
	}
	across := middle
	if m.tri[n][0] != m.tri[b][0] {
		across = m.middle(n, middle) // other side of a seam
	}
	d := m.cut(n, across)
	// t keeps the base's start, b has its end; the neighbour runs the other way.
	m.next[t][0], m.next[d][1] = d, t
	m.next[b][1], m.next[n][0] = n, b
}

// middle makes the vertex in the middle of t's base.
func (m *mesh) middle(t, twin int32) int32 {
	a, b := &m.vertex[m.tri[t][0]], &m.vertex[m.tri[t][1]]
	return m.addVertex((a.p+b.p)/2, (a.q+b.q)/2, twin)
}

// cut replaces t by its half at the base's start and returns the new half at the base's end. The neighbours across the cut
// base are left to refine.
func (m *mesh) cut(t, middle int32) int32 {
	v, next := m.tri[t], m.next[t]
	m.level[t]++
	m.fresh[t] = true
	// Half at the start: base (v2, v0), newest middle. Half at the end: base (v1, v2).
	b := m.addTriangle([3]int32{v[1], v[2], middle}, [3]int32{t, -1, next[0]})
	m.level[b] = m.level[t]
	m.tri[t] = [3]int32{v[2], v[0], middle}
	m.next[t] = [3]int32{-1, b, next[1]}
	if n := next[0]; n >= 0 {
		for k := range m.next[n] {
			if m.next[n][k] == t {
				m.next[n][k] = b
			}
		}
	}
	return b
}
