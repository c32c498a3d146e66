package lens

import (
	"slices"

	"grsplat/render/healpix"
)

// An Image is one appearance of a star.
type Image struct {
	Star int32 // index into Stars.Pos
	Tri  int32 // triangle of the map
	X, Y float64
	Mu   float64 // magnification
	G    float64 // nu_observer/nu_infinity
}

// A Task is a star and a triangle such that the star lies in the bound of the triangle's leaf and in the triangle's own box.
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
	// enough for its stars to share cells; 1 for a small one, which the classing would only delay.
	ModeDefault Mode = iota - 1
	// ModeStar takes star by star and tests triangle by triangle, each against all its bounds and edges.
	ModeStar
	// ModeGroup takes star by star, rejects triangles by the groups of the hierarchy, then by boxes, and tests what is left.
	ModeGroup
	// ModeCell classes the stars by sky cell, finds the groups of each cell once for all its stars, and then expands and tests.
	ModeCell
	// ModeClass is ModeCell with the given cells: stars of cells without triangles are neither read nor expanded.
	ModeClass
)

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

// Worker matches batches of stars and keeps scratch memory between them. It is for one goroutine.
type Worker struct {
	*Locator
	batch Stars
	task  []Task
	hit   []Image
	count []int32
	// group is a stack of lists of bounds, one list for each cell on the way down to the present one.
	group []int32
	class []classed
	spare []classed
	// keep is set while tasks are wanted, not images.
	keep bool
}

// NewWorker returns a worker of the locator.
func (l *Locator) NewWorker() *Worker { return &Worker{Locator: l} }

// Match appends the images of a batch to out, sorted by star and then by triangle. After the first batches it allocates
// nothing but what out lacks.
func (w *Worker) Match(mode Mode, s Stars, out []Image) []Image {
	w.find(mode, s, false)
	out = w.restore(len(s.Pos), out)
	w.batch = Stars{}
	return out
}

// Tasks appends the tasks of a batch to out, sorted by star and then by triangle. It serves diagnosis and tests.
func (w *Worker) Tasks(mode Mode, s Stars, out []Task) []Task {
	w.find(mode, s, true)
	slices.SortFunc(w.task, func(a, b Task) int {
		if a.Star != b.Star {
			return int(a.Star - b.Star)
		}
		return int(a.Tri - b.Tri)
	})
	w.batch = Stars{}
	return append(out, w.task...)
}

// find leaves the images of a batch in w.hit, or its tasks in w.task.
func (w *Worker) find(mode Mode, s Stars, keep bool) {
	w.batch, w.keep = s, keep
	w.task, w.hit = w.task[:0], w.hit[:0]
	if mode == ModeDefault {
		mode = defaultMode(s)
	}
	switch mode {
	case ModeStar:
		for star := range s.Pos {
			w.eachTriangle(int32(star))
		}
	case ModeGroup:
		for star := range s.Pos {
			w.lookUp(int32(star))
		}
	default:
		w.classify(mode == ModeClass && s.Cell != nil)
		w.walk()
	}
	if !keep {
		w.testAll()
	}
}

// eachTriangle is mode 0 for one star.
func (w *Worker) eachTriangle(star int32) {
	v := &w.batch.Pos[star]
	leaf, _ := w.leafOf(w.treeOrder, healpix.Pixel(w.treeOrder, *v))
	for _, i := range w.bounds(leaf) {
		w.eachUnder(star, v, i)
	}
}

func (w *Worker) eachUnder(star int32, v *Vec, i int32) {
	p := &w.bound[i]
	for k := p.first; k < p.first+p.count; k++ {
		if i >= w.leaves {
			w.eachUnder(star, v, k)
		} else if x, y, ok := p.holds(v); ok && w.box[k].holds(x, y) {
			w.add(star, k)
		}
	}
}

// expand finds the tasks of a star under some bounds.
func (w *Worker) expand(star int32, bounds []int32) {
	v := &w.batch.Pos[star]
	for _, i := range bounds {
		w.open(star, v, i)
	}
}

func (w *Worker) open(star int32, v *Vec, i int32) {
	p := &w.bound[i]
	x, y, ok := p.holds(v)
	if !ok {
		return
	}
	if i >= w.leaves {
		for k := p.first; k < p.first+p.count; k++ {
			w.open(star, v, k)
		}
		return
	}
	boxes := w.box[p.first : p.first+p.count]
	for k := range boxes {
		if boxes[k].holds(x, y) {
			w.add(star, p.first+int32(k))
		}
	}
}

// groupTasks is how many tasks are tested together: what the first-level cache holds.
const groupTasks = 1024

func (w *Worker) add(star, t int32) {
	w.task = append(w.task, Task{star, t})
	if len(w.task) >= groupTasks && !w.keep {
		w.testAll()
	}
}

// testAll tests the pending tasks.
func (w *Worker) testAll() {
	for _, k := range w.task {
		w.hit = w.test(w.hit, k.Star, k.Tri, &w.batch.Pos[k.Star])
	}
	w.task = w.task[:0]
}

// restore appends w.hit to out in the order of the stars. All images of a star are neighbours in w.hit, by triangle.
func (w *Worker) restore(stars int, out []Image) []Image {
	if slices.IsSortedFunc(w.hit, func(a, b Image) int { return int(a.Star) - int(b.Star) }) {
		return append(out, w.hit...)
	}
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
