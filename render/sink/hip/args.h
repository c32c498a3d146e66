// What the host and every kernel share: sizes, the one kernel argument, and the records that it points to. The same file is
// read by cgo, by the device compiler and by the stand-ins of tools/hipcpu, so no layout is written down twice.
#ifndef GRSPLAT_HIP_ARGS_H
#define GRSPLAT_HIP_ARGS_H

#include <stdint.h>

enum {
  GRHIP_BLOCK = 256,       // threads of a block, in every kernel
  GRHIP_TILE_W = 16,       // width and height of a tile, px: a block owns one tile, a thread two pixels
  GRHIP_TILE_H = 32,
  GRHIP_PIXELS = 512,      // of a tile
  GRHIP_SIDE = 8,          // tiles across a cell; a cell has a list of the stars that reach it
  GRHIP_TILES = 32,        // tiles of a cell
  GRHIP_CELL = 128,        // edge of a cell, px
  GRHIP_LANES = 32,        // threads that walk one star in the atomic kernel
  GRHIP_STAGE = 64,        // stars that a tile's block holds in shared memory
  GRHIP_EVENT = 7,         // float64 of an event: x y r g b flux support
  GRHIP_WHOLE = 0xffffffff, // an item whose sums go to the frame, not to a slot
  GRHIP_UNMESHED = 0xffffffff // the place of an event that no block of the mesh takes
};

// Sizes of the mesh's kernels.
enum {
  GRHIP_POINTS = 4096, // that a block transforms: 16 a thread
  GRHIP_SHORTEST = 32, // a transform
  GRHIP_LONGEST = 1024,
  GRHIP_WIDE = 96, // filtered points of a block along a row, six a thread
  GRHIP_HIGH = 16, // and rows of them, at most
  GRHIP_ROWS = 4,  // that a thread filters at once
  GRHIP_EACH = 6,
  GRHIP_TAPS = 128,      // of the filter, at most
  GRHIP_RATIO = 8,       // P/Q, at most
  GRHIP_FILTERED = 3456, // points filtered down their columns: GRHIP_HIGH rows of 95 D + 12 D + 1, fewer rows where D is above 2
};

// Counters of one batch, which the host compares with what it asked for.
enum {
  GRHIP_DONE = 0,  // blocks that ran to their end
  GRHIP_PAIRS = 1, // star-pixel pairs summed
  GRHIP_MESHED = 2, // events deposited on lattices
  GRHIP_COUNTERS = 3
};

// A star as the accumulating kernels read it.
typedef struct {
  double x, y, s2;           // position, px; support squared
  int32_t at, ix;            // index of its weight at pixel (0,0), were that in the grid of its first phase; pixel column
  double b00, b10, b01, b11; // bilinear weights of the four nearest phases, first digit x
  double f[3];               // flux*colour, in quanta for exact sums
  int32_t iy, far;           // pixel row; whether a contribution may pass 2^50 quanta
} __attribute__((aligned(16))) grhip_star;

// A piece of a cell's list: the blocks of an item sum its stars, each over one tile of the cell.
typedef struct {
  uint32_t cell;
  uint32_t first, count; // entries of the lists
  uint32_t slot;         // first of the tiles' partial sums, or GRHIP_WHOLE
} grhip_item;

// The pieces of a cell whose list was split: `count` times the partial sums of all tiles, from slot `first`.
typedef struct {
  uint32_t cell;
  uint32_t first, count;
} grhip_merge;

typedef struct {
  double x, y;
} __attribute__((aligned(16))) grhip_complex;

// A block that the mesh convolves.
typedef struct {
  double scale, unit; // of its lattice: units in 1, a power of two, and its inverse
  int32_t x, y;       // first pixel of its events
} grhip_place;

// What the mesh's kernels work on (render/mesh has the mathematics): a group of blocks, of those that a batch convolves. Two blocks
// are a pair, and two real planes of a pair one complex one: red and green of the first block, of the second, the blues of both.
typedef struct {
  const uint32_t *slots;     // of the batch's events: the place of the event's block, or GRHIP_UNMESHED
  const grhip_place *places; // of the batch's blocks
  int64_t *lattice;          // [block][colour][edge][edge]
  int64_t *nodes;            // [block][kind][rows][cols], of the error bound: |flux*colour|
  double *planes;            // [block][kind][colour][rows][cols]
  grhip_complex *mid;        // [pair][slot][kind][n][cols], half transformed
  grhip_complex *sums;       // [pair][slot][n][n]
  double *results;           // [block][colour][n][n]
  unsigned long long *peaks; // [of the batch's blocks][image, rims]: largest moduli, as bits, which are ordered as float64 are
  const grhip_complex *twiddles; // by stage, [k-1][j]: exp(-2 pi i j k/span)
  const grhip_complex *spectra;  // [kind][n][16][n/16], of point k and lane
  const grhip_complex *rim_spectra;
  const double *taps;
  double room;               // what the error at the rims may be over the block's peak
  double node;               // nodes to a lattice point, at most 1
  uint32_t first, blocks;    // of the group among the batch's blocks
  uint32_t block;            // of the group, that is pasted
  uint32_t n, rows, cols;    // transform length; of a plane
  uint32_t p, q, count;      // lattice points and planes a pixel, taps
  uint32_t nodes_along;      // a pixel
  int32_t edge, margin;      // lattice points along a block; px that the filter spreads
  uint32_t high;             // rows that a block filters
} grhip_mesh;

typedef struct {
  const double *events; // GRHIP_EVENT each
  grhip_star *stars;
  const double *weights; // of the phases: psf.Kernel.W
  const uint32_t *lists; // indices of stars, cell by cell
  const grhip_item *items;
  const grhip_merge *merges;
  void *frame;    // three planes of w*h: float64 sums, or the low words of exact ones
  int64_t *high;  // the high words, in units of 2^32 quanta
  void *partials; // slots of three planes of a tile
  unsigned long long *counters;
  double scale;     // 2^k, quanta in 1, for exact sums; else 1
  double peak;      // largest weight
  int32_t w, h;     // frame, px
  uint32_t cells;   // cells across the frame
  int32_t stride;   // of a phase's grid
  int32_t grid;     // weights of a phase's grid
  int32_t phases;   // P
  int32_t radius;   // R
  uint32_t n;       // stars, or words for the carry kernel
  grhip_mesh mesh;
} grhip_args;

#endif
