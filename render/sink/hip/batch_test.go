package hip

import (
	"math/rand/v2"
	"slices"
	"testing"

	"grsplat/render/event"
	"grsplat/render/psf"
)

func newTestBatch(w, h, radius int) *batch {
	b := newBatch(w, h, &psf.Kernel{P: 8, R: radius}, usual.piece, make([]event.Event, usual.events), make([]uint32, entriesOfEvent*usual.events),
		make([]item, maxItems(w, h)), make([]merge, maxMerges))
	return &b
}

// Every pixel that an event lights lies in a cell whose list holds the event once, in the order of deposits; the pieces of
// a list follow one another and their slots do not overlap.
func TestLists(t *testing.T) {
	t.Parallel()
	for seed, spread := range []float64{1, 40, 1000} {
		const w, h = 700, 300
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		b := newTestBatch(w, h, 47)
		for range 9000 {
			e := event.Event{X: w/2 + spread*(r.Float64()-0.5), Y: h/2 + spread*(r.Float64()-0.5), Support: 47 * r.Float64()}
			if s, ok := b.reach(&e); ok && !b.full(s.cells()) {
				b.add(&e, s)
			}
		}
		b.list()
		checkItems(t, b)
		listed := map[[2]uint32]bool{}
		for _, it := range b.items[:b.nItems] {
			for _, id := range b.lists[it.First : it.First+it.Count] {
				listed[[2]uint32{it.Cell, id}] = true
			}
		}
		for i := range b.events[:b.n] {
			e := &b.events[i]
			d := psf.NewDisc(e.X, e.Y, e.Support, w, h)
			for y := d.Y0; y <= d.Y1; y++ {
				x0, x1 := d.Row(y)
				for x := x0; x <= x1; x += max(1, x1-x0) {
					if !listed[[2]uint32{uint32(y/cellEdge*b.across + x/cellEdge), uint32(i)}] {
						t.Fatalf("event %d lights (%d,%d) and is not listed there", i, x, y)
					}
				}
			}
		}
		if crowd := b.crowd(); crowd != int(slices.Max(b.counts)) || crowd == 0 {
			t.Errorf("the longest list has %d entries", crowd)
		}
		checkOnly(t, b)
		b.reset()
		b.list()
		if b.n != 0 || b.nItems != 0 || b.nWhole != 0 || b.nMerges != 0 || b.partials != 0 {
			t.Error("an emptied batch has work")
		}
	}
}

// checkOnly makes the lists anew for every third event.
func checkOnly(t *testing.T, b *batch) {
	t.Helper()
	all := b.entries
	b.only(func(i int) bool { return i%3 == 1 })
	b.list()
	checkItems(t, b)
	if b.listed != (b.n+1)/3 || b.entries > all/2 {
		t.Errorf("%d events of %d in the lists, %d entries of %d", b.listed, b.n, b.entries, all)
	}
	for _, id := range b.lists[:b.entries] {
		if id%3 != 1 {
			t.Fatalf("event %d is listed", id)
		}
	}
	b.only(func(int) bool { return true })
	if b.listed != b.n || b.entries != all {
		t.Errorf("%d events of %d, %d entries of %d", b.listed, b.n, b.entries, all)
	}
}

func checkItems(t *testing.T, b *batch) {
	t.Helper()
	slot := uint32(0)
	entered, pieces := map[uint32]uint32{}, map[uint32]uint32{} // entries and pieces of each cell
	for k, it := range b.items[:b.nItems] {
		if first := b.next[it.Cell] - b.counts[it.Cell] + entered[it.Cell]; it.First != first {
			t.Fatalf("item %+v does not follow entry %d", it, first)
		}
		entered[it.Cell] += it.Count
		if (it.Slot == whole) != (k < b.nWhole) {
			t.Fatalf("item %d of %d whole ones is %+v", k, b.nWhole, it)
		}
		if it.Slot != whole {
			if it.Slot != slot {
				t.Fatalf("item %+v, next slot %d", it, slot)
			}
			slot += tilesOfCell
			pieces[it.Cell]++
		}
	}
	entries := 0
	for cell, n := range b.counts {
		if entered[uint32(cell)] != n {
			t.Fatalf("cell %d has %d entries, its items %d", cell, n, entered[uint32(cell)])
		}
		checkOrder(t, b, b.lists[b.next[cell]-n:b.next[cell]])
		entries += int(n)
	}
	if entries != b.entries || int(slot) != b.partials || len(pieces) != b.nMerges {
		t.Fatalf("%d entries of %d, %d slots of %d, %d cells cut of %d", entries, b.entries, slot, b.partials, len(pieces), b.nMerges)
	}
	for _, m := range b.merges[:b.nMerges] {
		if pieces[m.Cell] != m.Count || m.Count < 2 {
			t.Errorf("merge %+v of %d pieces", m, pieces[m.Cell])
		}
	}
}

// checkOrder wants deposits in their order, or by phase where a list of the batch is cut.
func checkOrder(t *testing.T, b *batch, list []uint32) {
	t.Helper()
	key := func(id uint32) uint32 {
		if b.nMerges == 0 {
			return id
		}
		m := b.kernel.Mix(b.events[id].X, b.events[id].Y)
		return uint32(m.PY*b.kernel.P+m.PX)*uint32(usual.events) + id
	}
	for i := range max(0, len(list)-1) {
		if key(list[i+1]) <= key(list[i]) {
			t.Fatalf("event %d is listed after %d", list[i+1], list[i])
		}
	}
}

// A full batch fits its own arrays, whatever the frame and the crowding.
func TestBatchFits(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {128, 128}, {129, 257}, {9000, 6}, {4000, 2000}} {
		for _, spread := range []float64{1, 300, 1e5} {
			w, h := size[0], size[1]
			r := rand.New(rand.NewPCG(3, 4))
			b := newTestBatch(w, h, 200)
			for {
				e := event.Event{X: float64(w)/2 + min(spread, float64(w))*(r.Float64()-0.5), Y: float64(h)/2 + min(spread, float64(h))*(r.Float64()-0.5), Support: 200}
				s, ok := b.reach(&e)
				if !ok || b.full(s.cells()) {
					break
				}
				b.add(&e, s)
			}
			b.list()
			checkItems(t, b)
			if limit := 4 * piecesMost * tilesOfCell; b.partials > limit {
				t.Errorf("%v: %d slots, more than %d", size, b.partials, limit)
			}
		}
	}
}

func BenchmarkBatch(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	bt := newTestBatch(1280, 720, 47)
	events := make([]event.Event, usual.events)
	for i := range events {
		events[i] = event.Event{X: 1280 * r.Float64(), Y: 720 * r.Float64(), Support: 45.8}
	}
	for b.Loop() {
		bt.reset()
		for i := range events {
			s, _ := bt.reach(&events[i])
			bt.add(&events[i], s)
		}
		bt.list()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(usual.events), "ns/event")
}
