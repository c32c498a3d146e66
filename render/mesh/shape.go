package mesh

import "grsplat/render/psf"

// A shape is the sizes of a block and its arrays, in pixels unless said. A block owns Pitch x Pitch pixels of events; its
// convolution covers N x N pixels, from R left of and above the block's first pixel.
type shape struct {
	P      int // phases of the PSF along an axis: the lattice has P points a pixel
	Q      int // planes along an axis: the convolved grid has Q points a pixel
	D      int // P/Q
	Half   int // taps of the filter from P to Q on either side of its centre; 0 when Q = P
	R      int
	Tile   int // events are deposited tile by tile
	Pitch  int // a multiple of Tile
	N      int // transform length
	Margin int // pixels that the filter spreads beyond a tile

	Rows, Cols int // of a plane: Pitch+1 and two margins; Cols is a multiple of eight
	V0, V      int // filtered rows of a tile: from V0 (not positive), V of them
	Out        int // columns that a tile's filtered row covers, a multiple of eight
	Line       int // float64 of one de-interleaved line: Out and two margins, a multiple of eight
	Mid        int // row length of the half-transformed block
}

// minTile is the least tile edge: lines are de-interleaved eight pixels at a time.
const minTile = 8

// latticeEdge is about how many lattice points a tile has along an axis: its lattice of 257^2 RGB points takes 1.6 MiB,
// which stays in a second-level cache.
const latticeEdge = 256

// newShape returns the sizes for q planes and a filter of half taps a side, ok false when no transform up to maxLength holds
// a tile. The length is the one of least cost a pixel, n^2 log n / pitch^2, counting a tile's edge as idle.
func newShape(k *psf.Kernel, q, half int) (s shape, ok bool) {
	s = shape{P: k.P, Q: q, D: k.P / q, Half: half, R: k.R}
	s.Tile = minTile
	for s.Tile < 32 && 2*s.Tile*s.P <= latticeEdge {
		s.Tile *= 2
	}
	s.Margin = (half + s.P - 1) / s.P
	best := 0.0
	for n, log := 32, 5.0; n <= maxLength; n, log = 2*n, log+1 {
		pitch := (n - k.Stride) / s.Tile * s.Tile
		if pitch <= 0 {
			continue
		}
		edge := float64(n) / float64(pitch)
		if cost := edge * edge * log; best == 0 || cost < 0.6*best {
			best, s.N, s.Pitch = cost, n, pitch
		} else {
			break
		}
	}
	if best == 0 {
		return s, false
	}
	s.Rows = s.Pitch + 1 + 2*s.Margin
	s.V0 = -(half / s.D)
	s.V = (s.Tile*s.P+half)/s.D - s.V0 + 1
	s.Out = up8(s.Tile + 1 + 2*s.Margin)
	s.Line = up8(s.Out + 2*s.Margin)
	s.Cols = s.Pitch - s.Tile + s.Out
	s.Mid = s.N + 8
	return s, true
}

// maxLength bounds the transforms: beyond it a block's planes leave every cache and its memory grows past use.
const maxLength = 1024

func up8(n int) int { return (n + 7) &^ 7 }

// planes is how many phase planes a block has.
func (s *shape) planes() int { return s.Q * s.Q }

// planeLen is the float64 of one plane of three colours: row y of colour c starts at (y*3+c)*Cols.
func (s *shape) planeLen() int { return s.Rows * 3 * s.Cols }

// spectrumLen is the float64 of a spectrum: for each group of eight rows of the half-transformed block, N rows of eight real
// and eight imaginary parts.
func (s *shape) spectrumLen() int { return 2 * s.N * s.N }

// spectraBytes is what the kernel spectra take.
func (s *shape) spectraBytes() int64 { return int64(s.planes()*s.spectrumLen()) * 8 }
