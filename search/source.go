package search

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"grsplat/render/fail"
)

// Item is a position of a job with its input index.
type Item struct {
	Index int64
	Pos   Pos
}

// Source is the positions of a job, cut into steps. A step is small enough for a journal to record as one.
type Source interface {
	// Steps is the number of steps.
	Steps() int64
	// Step lists the positions of a step. When rooted is not nil, positions of classes that it refuses may be left out; seen
	// counts all of the step's positions and classes the classes it asked about.
	Step(ctx context.Context, step int64, rooted rootedFunc) (items []Item, seen, classes int64, err error)
	// Total is the number of positions.
	Total() int64
	// Identity tells jobs apart: equal identities have equal positions and indexes.
	Identity() string
}

// rootedFunc tells which classes have a root.
type rootedFunc func(ctx context.Context, classes []Class) ([]bool, error)

// Shard is part Part of Of parts of a job, cut along classes.
type Shard struct{ Part, Of int }

// ParseShard reads "0/4": the first of four parts.
func ParseShard(text string) (Shard, error) {
	var s Shard
	var rest string
	if n, _ := fmt.Sscanf(text, "%d/%d%s", &s.Part, &s.Of, &rest); n != 2 || s.Of < 1 || s.Part < 0 || s.Part >= s.Of {
		return s, fail.Usage("shard: %q: want I/N with I from 0 to N-1", text)
	}
	return s, nil
}

const listStep = 65_536

// listSource is positions held in memory.
type listSource struct {
	items    []Item
	identity string
}

// NewList makes a source of positions in input order, of which a shard keeps whole classes.
func NewList(s Shape, in []Pos, shard Shard) Source {
	hash := sha256.New()
	var word [8]byte
	list := &listSource{}
	for i, p := range in {
		binary.LittleEndian.PutUint32(word[:4], uint32(p.X))
		binary.LittleEndian.PutUint32(word[4:], uint32(p.Z))
		hash.Write(word[:])
		if c := s.ClassOf(p); (uint64(c.X)*31+uint64(c.Z))%uint64(shard.Of) == uint64(shard.Part) {
			list.items = append(list.items, Item{int64(i), p})
		}
	}
	list.identity = fmt.Sprintf("list %x shard %d/%d", hash.Sum(nil), shard.Part, shard.Of)
	return list
}

func (l *listSource) Steps() int64     { return (int64(len(l.items)) + listStep - 1) / listStep }
func (l *listSource) Total() int64     { return int64(len(l.items)) }
func (l *listSource) Identity() string { return l.identity }

func (l *listSource) Step(_ context.Context, step int64, _ rootedFunc) ([]Item, int64, int64, error) {
	items := l.items[step*listStep : min((step+1)*listStep, int64(len(l.items)))]
	return items, int64(len(items)), 0, nil
}

// regionStep is the classes of one step of a region: about as many positions of rooted classes as one batch takes.
const regionStep = 1024

// Region is a rectangle of corners, inclusive. A position's index counts them by rows of z: (x-X0)*height + z-Z0.
type Region struct {
	X0, Z0, X1, Z1 int32
}

type regionSource struct {
	Region
	shape  Shape
	shard  Shard
	nx, nz int64 // classes of the region along x and z: those of its first nx columns and nz rows
	step   int64 // classes of a step
}

// NewRegion makes a source of a region, which it never holds in memory. Classes are numbered by x, then z, as their first
// members lie in the region; a shard has every Of-th.
func NewRegion(s Shape, r Region, shard Shard) (Source, error) {
	if r.X1 < r.X0 || r.Z1 < r.Z0 {
		return nil, fail.Usage("region: %d,%d,%d,%d: the second corner lies before the first", r.X0, r.Z0, r.X1, r.Z1)
	}
	mx, mz := s.Moduli()
	return &regionSource{r, s, shard, min(r.width(), int64(mx)), min(r.height(), int64(mz)), regionStep}, nil
}

func (r Region) width() int64  { return int64(r.X1) - int64(r.X0) + 1 }
func (r Region) height() int64 { return int64(r.Z1) - int64(r.Z0) + 1 }

// classes is the number of classes of the shard.
func (r *regionSource) classes() int64 {
	return (r.nx*r.nz - int64(r.shard.Part) + int64(r.shard.Of) - 1) / int64(r.shard.Of)
}

func (r *regionSource) Steps() int64 { return (r.classes() + r.step - 1) / r.step }
func (r *regionSource) Total() int64 { return r.width() * r.height() / int64(r.shard.Of) }
func (r *regionSource) Identity() string {
	return fmt.Sprintf("region %d,%d,%d,%d shard %d/%d", r.X0, r.Z0, r.X1, r.Z1, r.shard.Part, r.shard.Of)
}

func (r *regionSource) Step(ctx context.Context, step int64, rooted rootedFunc) ([]Item, int64, int64, error) {
	first, last := step*r.step, min((step+1)*r.step, r.classes())
	corners := make([]Pos, 0, last-first)
	classes := make([]Class, 0, last-first)
	for i := first; i < last; i++ {
		ordinal := i*int64(r.shard.Of) + int64(r.shard.Part)
		p := Pos{r.X0 + int32(ordinal/r.nz), r.Z0 + int32(ordinal%r.nz)}
		corners = append(corners, p)
		classes = append(classes, r.shape.ClassOf(p))
	}
	var keep []bool
	if rooted != nil {
		var err error
		if keep, err = rooted(ctx, classes); err != nil {
			return nil, 0, 0, err
		}
	}
	var items []Item
	seen := int64(0)
	mx, mz := r.shape.Moduli()
	for i, p := range corners {
		columns := (int64(r.X1)-int64(p.X))/int64(mx) + 1
		rows := (int64(r.Z1)-int64(p.Z))/int64(mz) + 1
		seen += columns * rows
		if keep != nil && !keep[i] {
			continue
		}
		for c := range columns {
			for w := range rows {
				at := Pos{p.X + int32(c*int64(mx)), p.Z + int32(w*int64(mz))}
				items = append(items, Item{(int64(at.X)-int64(r.X0))*r.height() + int64(at.Z) - int64(r.Z0), at})
			}
		}
	}
	return items, seen, int64(len(classes)), nil
}
