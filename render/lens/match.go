package lens

import "slices"

// An Image is one appearance of a star.
type Image struct {
	Star int32 // index into Stars.Pos
	Tri  int32 // triangle of the map
	X, Y float64
	Mu   float64 // magnification
	G    float64 // nu_observer/nu_infinity
}

// A Task is a star and a triangle such that the star lies in the bounds of the triangle's patch and in its own box.
type Task struct{ Star, Tri int32 }

// Stars is a batch of directions.
type Stars struct {
	Pos []Vec // unit vectors
	// Cell optionally holds the HEALPix cell (nested, of Order) of each star, as a tiled store has it: mode 3 then finds the
	// stars of empty cells without reading their positions.
	Cell  []uint64
	Order int
}

// Mode is a way to match stars and triangles. All modes have the same tasks and the same images.
type Mode int

const (
	// ModeDefault is what measured fastest (BenchmarkMatch): 3 where cells are given; 2 for a batch without cells that is large
	// enough for its stars to share leaves, where it saves cache misses; 1 for a small one, which the classing would only delay.
	ModeDefault Mode = iota - 1
	// ModeStar looks up each star's leaf and tests triangle by triangle, each against all its bounds and edges.
	ModeStar
	// ModeGroup looks up each star's leaf, rejects its triangles by patches, then by boxes, and tests what is left.
	ModeGroup
	// ModeCell classes the stars by leaf, looks up the triangles of each class once, and then expands and tests the tasks.
	ModeCell
	// ModeClass classes the stars by their given cells, and neither reads nor expands those in cells without triangles.
	ModeClass
)

// Worker matches batches of stars and keeps scratch memory between them. It is for one goroutine.
type Worker struct {
	*Locator
	task  []Task
	hit   []Image
	class []classed
	spare []classed
	count []int32
}

// classed is a star and its leaf.
type classed struct{ leaf, star int32 }

// NewWorker returns a worker of the locator.
func (l *Locator) NewWorker() *Worker { return &Worker{Locator: l} }

// Match appends the images of a batch to out, sorted by star and then by triangle. After the first batches it allocates
// nothing but what out lacks.
func (w *Worker) Match(mode Mode, s Stars, out []Image) []Image {
	if mode == ModeDefault {
		mode = defaultMode(s)
	}
	switch mode {
	case ModeStar:
		return w.perStar(s, out)
	case ModeGroup:
		return w.grouped(s, out)
	default:
		w.classify(s, mode == ModeClass && s.Cell != nil)
		w.expand(s)
		return w.restore(len(s.Pos), out)
	}
}

// largeBatch is where classing begins to pay.
const largeBatch = 2048

func defaultMode(s Stars) Mode {
	switch {
	case s.Cell != nil:
		return ModeClass
	case len(s.Pos) >= largeBatch:
		return ModeCell
	}
	return ModeGroup
}

// Tasks appends the tasks of a batch to out, sorted by star and then by triangle. It serves diagnosis and tests.
func (w *Worker) Tasks(mode Mode, s Stars, out []Task) []Task {
	if mode == ModeDefault {
		mode = defaultMode(s)
	}
	if mode == ModeStar || mode == ModeGroup {
		for star := range s.Pos {
			out = w.reject(out, int32(star), &s.Pos[star], w.candidates(w.leafOf(&s.Pos[star])))
		}
		return out
	}
	w.classify(s, mode == ModeClass && s.Cell != nil)
	w.task = w.task[:0]
	w.eachClass(func(leaf int32, stars []classed) {
		for _, c := range stars {
			w.task = w.reject(w.task, c.star, &s.Pos[c.star], w.candidates(leaf))
		}
	})
	slices.SortFunc(w.task, func(a, b Task) int {
		if a.Star != b.Star {
			return int(a.Star - b.Star)
		}
		return int(a.Tri - b.Tri)
	})
	return append(out, w.task...)
}

// candidates lists the patches of a leaf.
func (w *Worker) candidates(leaf int32) []int32 {
	n := w.node[leaf]
	return w.list[n.first : n.first+n.count]
}

// perStar is mode 0.
func (w *Worker) perStar(s Stars, out []Image) []Image {
	for star := range s.Pos {
		v := &s.Pos[star]
		for _, i := range w.candidates(w.leafOf(v)) {
			p := &w.patch[i]
			for t := p.first; t < p.first+p.count; t++ {
				if x, y, ok := p.holds(v); ok && w.box[t].holds(x, y) {
					out = w.test(out, int32(star), t, v)
				}
			}
		}
	}
	return out
}

// groupTasks is how many tasks are tested together: what the first-level cache holds.
const groupTasks = 1024

// grouped is mode 1.
func (w *Worker) grouped(s Stars, out []Image) []Image {
	w.task = w.task[:0]
	for star := range s.Pos {
		w.task = w.reject(w.task, int32(star), &s.Pos[star], w.candidates(w.leafOf(&s.Pos[star])))
		if len(w.task) >= groupTasks {
			out = w.testAll(s, out)
		}
	}
	return w.testAll(s, out)
}

// reject appends the tasks of a star among candidates.
func (w *Worker) reject(tasks []Task, star int32, v *Vec, candidates []int32) []Task {
	for _, i := range candidates {
		p := &w.patch[i]
		x, y, ok := p.holds(v)
		if !ok {
			continue
		}
		boxes := w.box[p.first : p.first+p.count]
		for k := range boxes {
			if boxes[k].holds(x, y) {
				tasks = append(tasks, Task{star, p.first + int32(k)})
			}
		}
	}
	return tasks
}

// testAll tests the pending tasks.
func (w *Worker) testAll(s Stars, out []Image) []Image {
	for _, k := range w.task {
		out = w.test(out, k.Star, k.Tri, &s.Pos[k.Star])
	}
	w.task = w.task[:0]
	return out
}

// classify lists the stars with their leaves, by leaf and within a leaf by star; stars of empty leaves are left out. With given
// cells it reads no position where the cell is no coarser than its leaf, or has no triangle at all.
func (w *Worker) classify(s Stars, given bool) {
	w.class = w.class[:0]
	shift, order := uint(0), s.Order
	if order > leafOrder {
		shift, order = 2*uint(order-leafOrder), leafOrder
	}
	last, lastLeaf := ^uint64(0), int32(-1)
	for star := range s.Pos {
		leaf := int32(-1)
		if given {
			if cell := s.Cell[star] >> shift; cell != last {
				last, lastLeaf = cell, w.leafOfCell(order, cell)
			}
			leaf = lastLeaf
		}
		if leaf < 0 {
			leaf = w.leafOf(&s.Pos[star])
		}
		if w.node[leaf].count > 0 {
			w.class = append(w.class, classed{leaf, int32(star)})
		}
	}
	w.sortClasses()
}

// leafOfCell returns the leaf that holds a whole cell, or -1 if the cell is larger than its leaves. Node 0 is an empty leaf.
func (w *Worker) leafOfCell(order int, cell uint64) int32 {
	if order < topOrder {
		if w.Occupied(order, cell) {
			return -1
		}
		return 0
	}
	if leaf := w.descend(order, cell); w.node[leaf].count >= 0 {
		return leaf
	}
	return -1 // quartered or striped further
}

// sortClasses is a stable radix sort by leaf; the usual input, ordered by cell, is left as it is.
func (w *Worker) sortClasses() {
	if slices.IsSortedFunc(w.class, func(a, b classed) int { return int(a.leaf) - int(b.leaf) }) {
		return
	}
	const bits = 11
	w.spare = slices.Grow(w.spare[:0], len(w.class))[:len(w.class)]
	for shift := uint(0); len(w.node)>>shift > 0; shift += bits {
		var start [1<<bits + 1]int32
		for _, c := range w.class {
			start[c.leaf>>shift&(1<<bits-1)+1]++
		}
		for i := range 1 << bits {
			start[i+1] += start[i]
		}
		for _, c := range w.class {
			at := &start[c.leaf>>shift&(1<<bits-1)]
			w.spare[*at] = c
			*at++
		}
		w.class, w.spare = w.spare, w.class
	}
}

// eachClass calls f with each leaf and its stars.
func (w *Worker) eachClass(f func(leaf int32, stars []classed)) {
	for first := 0; first < len(w.class); {
		leaf, past := w.class[first].leaf, first+1
		for past < len(w.class) && w.class[past].leaf == leaf {
			past++
		}
		f(leaf, w.class[first:past])
		first = past
	}
}

// expand tests the tasks of all classes; the images land in w.hit, by class.
func (w *Worker) expand(s Stars) {
	w.hit, w.task = w.hit[:0], w.task[:0]
	w.eachClass(func(leaf int32, stars []classed) {
		candidates := w.candidates(leaf)
		for _, c := range stars {
			w.task = w.reject(w.task, c.star, &s.Pos[c.star], candidates)
			if len(w.task) >= groupTasks {
				w.hit = w.testAll(s, w.hit)
			}
		}
	})
	w.hit = w.testAll(s, w.hit)
}

// restore appends w.hit to out in the order of the stars. All images of a star are neighbours in w.hit, by triangle.
func (w *Worker) restore(stars int, out []Image) []Image {
	w.count = slices.Grow(w.count[:0], stars+1)[:stars+1]
	clear(w.count)
	for i := range w.hit {
		w.count[w.hit[i].Star+1]++
	}
	for i := range stars {
		w.count[i+1] += w.count[i]
	}
	base := len(out)
	out = slices.Grow(out, len(w.hit))[:base+len(w.hit)]
	for i := range w.hit {
		at := &w.count[w.hit[i].Star]
		out[base+int(*at)] = w.hit[i]
		*at++
	}
	return out
}
