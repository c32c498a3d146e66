package mesh

import (
	"math"
	"math/bits"
)

// A grid cuts the pixels from which circles of radius R reach the frame into tiles, and those into blocks.
type grid struct {
	w, h, r  int  // frame and cache radius, px
	shift    uint // a tile is 2^shift px
	perBlock int  // tiles along a block's edge
	pitch    int  // of a block, px
	nx, ny   int  // tiles
	bx, by   int  // blocks
	first    int  // x and y of the first tile's first pixel
	left     float64
	right    float64 // x and y limits of the positions it holds
	bottom   float64
}

func newGrid(s *shape, w, h int) grid {
	reach := s.R + 1
	g := grid{w: w, h: h, r: s.R, shift: uint(bits.TrailingZeros(uint(s.Tile))), perBlock: s.Pitch / s.Tile, pitch: s.Pitch, first: -reach}
	g.left, g.right, g.bottom = float64(-reach), float64(w+reach), float64(h+reach)
	g.bx, g.by = (w+2*reach+s.Pitch-1)/s.Pitch, (h+2*reach+s.Pitch-1)/s.Pitch
	g.nx, g.ny = g.bx*g.perBlock, g.by*g.perBlock
	return g
}

// tile returns the tile that holds pixel position (x,y), -1 for a position from which nothing reaches the frame.
func (g *grid) tile(x, y float64) int {
	if !(x >= g.left && x < g.right && y >= g.left && y < g.bottom) {
		return -1
	}
	tx, ty := (int(math.Floor(x))-g.first)>>g.shift, (int(math.Floor(y))-g.first)>>g.shift
	return ty*g.nx + tx
}

// pixel returns a tile's first pixel.
func (g *grid) pixel(tile int) (x, y int) {
	return tile%g.nx<<g.shift + g.first, tile/g.nx<<g.shift + g.first
}

// block returns the block of a tile.
func (g *grid) block(tile int) int {
	return tile/g.nx/g.perBlock*g.bx + tile%g.nx/g.perBlock
}

// blockPixel returns a block's first pixel.
func (g *grid) blockPixel(block int) (x, y int) {
	return block%g.bx*g.pitch + g.first, block/g.bx*g.pitch + g.first
}

// eachTile calls f with the tiles of a block and their place in it.
func (g *grid) eachTile(block int, f func(tile, tx, ty int)) {
	at := block/g.bx*g.perBlock*g.nx + block%g.bx*g.perBlock
	for ty := range g.perBlock {
		for tx := range g.perBlock {
			f(at+ty*g.nx+tx, tx, ty)
		}
	}
}
