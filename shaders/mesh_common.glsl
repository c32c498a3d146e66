// What the kernels of the mesh share (package render/mesh has the sizes, the filter and the mathematics): the push constants and
// the layout of a group of blocks. shaders/mesh.go mirrors the constants; a test compares the two.

layout(push_constant) uniform Mesh {
  int w, h;                   // frame, px
  int bandY, bandRows;        // rows of the frame that are bound now
  int first;                  // x and y of the grid's first pixel
  uint blocksX, blocksY;      // blocks of the grid
  uint pitch, margin;         // px: of a block, that the filter spreads
  uint p, q, d, taps;         // lattice points and planes a pixel, their ratio, taps of the filter
  uint n, lines;              // transform length; transforms of a work group
  uint rows, cols;            // of a plane
  uint edge;                  // lattice points along a block
  uint events;                // of the batch
  uint blocks;                // blocks of this group; planes and results lie block after block
  uint nodes;                 // along a pixel, of the bound at the rims
} pm;

const uint NONE = 0xffffffffu;

uint groupIndex() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }

// filterRows is how many rows of a block the first filter makes: Q a pixel.
uint filterRows() { return pm.q * pm.rows; }
// A block's kinds of planes: the phase planes, or with RING the nodes.
#ifdef RING
uint kinds() { return pm.nodes * pm.nodes; }
const uint SLOTS = 1u;
#else
uint kinds() { return pm.q * pm.q; }
const uint SLOTS = 3u; // red and green of a pair's first block, of its second, the blues
#endif
uint planeSize() { return pm.rows * pm.cols; }
uint outSize() { return pm.n * pm.n; }

// place returns the block that holds pixel position (x,y), NONE when nothing from there reaches the frame, and the pixel
// within the block.
uint place(double x, double y, out ivec2 pixel) {
  precise double left = double(pm.first);
  precise double right = double(pm.w - pm.first), bottom = double(pm.h - pm.first);
  pixel = ivec2(0);
  if (!(x >= left && x < right && y >= left && y < bottom)) return NONE;
  precise double fx = floor(x);
  precise double fy = floor(y);
  pixel = ivec2(int(fx), int(fy)) - pm.first;
  ivec2 block = pixel / int(pm.pitch);
  pixel -= block * int(pm.pitch);
  return uint(block.y) * pm.blocksX + uint(block.x);
}
