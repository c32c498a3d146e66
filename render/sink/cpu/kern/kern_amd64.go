package kern

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// Available returns the levels that the processor has, slowest first.
func Available() []Set {
	sets := []Set{generic()}
	if !(cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT) {
		return sets
	}
	sets = append(sets, Set{
		Name:  "avx2",
		Spans: vectorSpans, Ring: vectorRing, Stamp: rows(stampAVX2), Exact: rows(exactAVX2), ExactWide: rows(exactWideAVX2), Cell: rows(cellAVX2),
		Rim: vectorRim(rimAVX2), Poly: vectorPoly, AddRow: vectorAddRow, Fetch: fetchGrids,
	})
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ {
		sets = append(sets, Set{
			Name:  "avx512",
			Spans: vectorSpans, Ring: vectorRing, Stamp: rows(stampAVX512), Exact: rows(exactAVX512), ExactWide: rows(exactAVX512), Cell: rows(cellAVX512),
			Rim: vectorRim(rimAVX512), Poly: vectorPoly, AddRow: vectorAddRow, Fetch: fetchGrids,
		})
	}
	return sets
}

func vectorSpans(out []Span, d *Disc) int {
	n := int(d.J1-d.J0) + 1
	if n <= 0 {
		return 0
	}
	_ = out[(n+SpanPad-1)/SpanPad*SpanPad-1]
	return spansAVX2(unsafe.SliceData(out), n, d)
}

func vectorRing(common, reach []Span, r *Ring) int {
	n := int(r.J1-r.J0) + 1
	if n <= 0 {
		return 0
	}
	last := (n+SpanPad-1)/SpanPad*SpanPad - 1
	_, _ = common[last], reach[last]
	return ringAVX2(unsafe.SliceData(common), unsafe.SliceData(reach), n, r)
}

func rows(f func(spans *Span, n int, a *Args)) func([]Span, *Args) {
	return func(spans []Span, a *Args) {
		if len(spans) > 0 {
			f(unsafe.SliceData(spans), len(spans), a)
		}
	}
}

func vectorRim(f func(r *Rim, n int, stars *Star, m int) int) func(*Rim, int, []Star) int {
	return func(r *Rim, n int, stars []Star) int {
		if n == 0 || len(stars) == 0 {
			clear(r.Out[0][:n])
			clear(r.Out[1][:n])
			clear(r.Out[2][:n])
			return 0
		}
		return f(r, n, unsafe.SliceData(stars), len(stars))
	}
}

func fetchGrids(k *[4]*float64, at, n int) { fetch(k, at, (n+7)/8) }

func vectorPoly(w, coef []float64, s0, step float64) {
	if len(w) == 0 {
		return
	}
	blocks := (len(w) + PolyBlock - 1) / PolyBlock
	w = w[:blocks*PolyBlock]
	polyAVX2(unsafe.SliceData(w), blocks, unsafe.SliceData(coef), len(coef), s0, step)
}

func vectorAddRow(row [3][]float64, w []float64, f *[3]float64) {
	n := len(w) &^ 3
	var rest [3][]float64
	for c := range row {
		rest[c] = row[c][n:len(w)]
	}
	if n > 0 {
		addRowAVX2(unsafe.SliceData(row[0]), unsafe.SliceData(row[1]), unsafe.SliceData(row[2]), unsafe.SliceData(w), n, f)
	}
	addRowGeneric(rest, w[n:], f)
}

//go:noescape
func polyAVX2(w *float64, blocks int, coef *float64, terms int, s0, step float64)

//go:noescape
func addRowAVX2(red, green, blue, w *float64, n int, f *[3]float64)

//go:noescape
func spansAVX2(out *Span, n int, d *Disc) int

//go:noescape
func ringAVX2(common, reach *Span, n int, r *Ring) int

//go:noescape
func stampAVX2(spans *Span, n int, a *Args)

//go:noescape
func exactAVX2(spans *Span, n int, a *Args)

//go:noescape
func exactWideAVX2(spans *Span, n int, a *Args)

//go:noescape
func cellAVX2(spans *Span, n int, a *Args)

//go:noescape
func rimAVX2(r *Rim, n int, stars *Star, m int) int

//go:noescape
func stampAVX512(spans *Span, n int, a *Args)

//go:noescape
func exactAVX512(spans *Span, n int, a *Args)

//go:noescape
func cellAVX512(spans *Span, n int, a *Args)

//go:noescape
func rimAVX512(r *Rim, n int, stars *Star, m int) int

//go:noescape
func fetch(k *[4]*float64, at, lines int)
