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
  GRHIP_WHOLE = 0xffffffff // an item whose sums go to the frame, not to a slot
};

// Counters of one batch, which the host compares with what it asked for.
enum {
  GRHIP_DONE = 0,  // blocks that ran to their end
  GRHIP_PAIRS = 1, // star-pixel pairs summed
  GRHIP_COUNTERS = 2
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
} grhip_args;

#endif
