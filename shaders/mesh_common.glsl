// What the kernels of the mesh share (package render/mesh has the sizes, the filter and the mathematics): the push constants and
// the layout of a group of blocks. shaders/mesh.go mirrors the constants; a test compares the two.

layout(push_constant) uniform Mesh {
  double unit;                // units of brightness in 1
  double room;                // what the error at the rims may be over the block's peak
  int w, h;                   // frame, px
  int bandY, bandRows;        // rows of the frame that are bound now
  int areaX, areaY, areaW;    // px of the frame that the blocks cover in the band: corner, width
  int first;                  // x and y of the grid's first pixel
  uint blocksX, blocksY;      // blocks of the grid
  uint pitch, margin;         // px: of a block, that the filter spreads
  uint p, q, taps;            // lattice points and planes a pixel, taps of the filter
  uint n;                     // transform length
  uint rows, cols;            // of a plane
  uint events;                // of the batch
  uint blocks;                // blocks of this group; planes and results lie block after block
  uint nodes;                 // along a pixel, of the bound at the rims
} pm;

const uint NONE = 0xffffffffu;

uint groupIndex() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }

// A block's kinds of planes: the phase planes, or with RING the nodes.
#ifdef RING
uint kinds() { return pm.nodes * pm.nodes; }
const uint SLOTS = 1u;
#else
uint kinds() { return pm.q * pm.q; }
const uint SLOTS = 3u; // red and green of a pair's first block, of its second, the blues
#endif
uint edge() { return pm.pitch * pm.p + 1u; } // lattice points along a block
uint planeSize() { return pm.rows * pm.cols; }
uint outSize() { return pm.n * pm.n; }
