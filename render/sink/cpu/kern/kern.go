// Package kern holds the inner loops of the CPU sink: the pixels of a circle, and adding an event or a cell of events to a
// tile. Each exists as plain Go (generic.go, for every processor) and as generated assembly for AVX2 and AVX-512 (gen/ writes
// kern_amd64.s). A Set is one level's functions; the sink chooses one when it opens.
//
// Exact functions give equal bits at every level. Float64 ones differ in the last bits, within spec section 7.
package kern

// A tile is TileW x TileH pixels of three planes, its rows kept together: the value of colour c at column x of row y is
// element y*RowLen + c*PlaneLen + x. Four rows are 25 KiB, which stay in the first-level cache while several events add to
// them. The 64 bytes between planes keep the colours of a pixel from being 4 KiB apart, where a processor takes a load for the store
// before it.
const (
	TileW    = 256
	TileH    = 128
	PlaneLen = TileW + 8
	RowLen   = 3 * PlaneLen
	TileLen  = TileH * RowLen
)

// Pad is the number of elements that the kernels may read, and never use, before the first and after the last weight under the columns
// that the spans of a call have: a Table has them on both sides.
const Pad = 16

// A Span is the lit pixels of a tile row: N of them from column X0.
type Span struct{ X0, N int32 }

// SpanPad is how far past n Spans writes at most.
const SpanPad = 4

// A Disc asks for the lit pixels of rows J0..J1 around (X,Y), clipped to the columns X0..X1 of the frame, in
// pixels. Spans come relative to X0.
type Disc struct{ X, Y, Support, J0, J1, X0, X1 float64 }

// A Ring asks, for circles around points of the box X0..X1, Y0..Y1 with supports from Least to Most, for the pixels of rows
// J0..J1 and columns C0..C1 that all of them light and for those that any may light, in pixels. Slack, far above the rounding
// of the footprint's test, is taken from the former and given to the latter. Spans come relative to C0.
type Ring struct{ X0, Y0, X1, Y1, Least, Most, J0, J1, C0, C1, Slack float64 }

// Args is what an event or a cell adds, and where.
type Args struct {
	Tile   *float64    // the tile's first element, 64-byte aligned; int64 for the exact functions
	Dst    int         // element of column 0, colour 0, of the first span's row
	Src    int         // element of the kernel grids that falls on that column; may be negative where no pixel is lit
	Stride int         // elements from one row of a grid to the next, a multiple of 8
	K      [4]*float64 // phase grids k00, k10, k01, k11, 64-byte aligned
	W      [12]float64 // b00, b10, b01, b11, flux*colour; or a cell's coefficients, [4*colour + grid]
}

// A Star is an event made ready: position, squared support, bilinear weights b00, b10, b01, b11, flux*colour.
type Star struct {
	X, Y, S2 float64
	B        [4]float64
	F        [3]float64
}

// RimLen is the most pixels a Rim holds.
const RimLen = 512

// A Rim is a list of pixels, by column and row, with their weights in the four grids and the sums found for them.
type Rim struct {
	I, J [RimLen]float64
	K    [4][RimLen]float64
	Out  [3][RimLen]float64
}

// A Set is the functions of one level.
type Set struct {
	Name string
	// Spans fills out with the spans of rows J0..J1, and up to SpanPad more, and returns their pixels. The same at every level.
	Spans func(out []Span, d *Disc) int
	// Ring fills common and reach likewise and returns the common pixels.
	Ring func(common, reach []Span, r *Ring) int
	// Stamp adds W[4+c]*(the mix of the grids by W[0..3]) to colour c on every span.
	Stamp func(spans []Span, a *Args)
	// Exact adds the same, in the order and rounding of spec section 7, as integers rounded to nearest even; W[4..6] carry the
	// factor 2^k. Each integer is below 2^50 in magnitude.
	Exact func(spans []Span, a *Args)
	// ExactWide is Exact for integers below 2^62.
	ExactWide func(spans []Span, a *Args)
	// Cell adds the sum over grids of W[4c+grid]*grid to colour c on every span.
	Cell func(spans []Span, a *Args)
	// Rim sums the stars that light each of the first n pixels into r.Out and returns how many event-pixel pairs were lit. The
	// list is padded to a multiple of Pad with pixels that no star lights.
	Rim func(r *Rim, n int, stars []Star) int
	// Fetch asks for n > 0 elements of each grid from element at on, for the second-level cache; they need not exist.
	Fetch func(k *[4]*float64, at, n int)
	// Poly sets w[i] = sum over n of coef[n] s^n at s = s0 + i*step by Horner's rule, every step one fused multiply-add: equal bits
	// at every level. The capacity of w is its length rounded up to PolyBlock, and all of it may be written.
	Poly func(w, coef []float64, s0, step float64)
	// AddRow adds f[c]*w to row c, each of w's length.
	AddRow func(row [3][]float64, w []float64, f *[3]float64)
}

// PolyBlock is the number of values that Poly computes at once.
const PolyBlock = 16

// Names lists the levels, fastest last; those the processor lacks are not in Available.
func Names() []string { return []string{"generic", "avx2", "avx512"} }

// Pick returns the level of that name, or the fastest for the empty name; ok is false when the processor lacks it.
func Pick(name string) (s Set, ok bool) {
	sets := Available()
	if name == "" {
		return sets[len(sets)-1], true
	}
	for _, s := range sets {
		if s.Name == name {
			return s, true
		}
	}
	return Set{}, false
}
