// What every kernel shares: the push constants, the state words that the host reads back, and the order of work groups.
// shaders/push.go mirrors this file; a test compares the two.

layout(push_constant) uniform Push {
  int w, h;                               // frame, px
  int bandY, bandRows;                    // rows of the frame that are bound now
  int winX, winY;                         // origin of the tree's window, px of the frame, on a tile's corner
  uint stride, grid, phases, radius;      // kernel: row length, weights of a phase, P, R
  uint n;                                 // events of the batch
  uint first, count;                      // work of this dispatch
  uint listed;                            // 1: events are taken through the order list
  uint tile;                              // edge of a tile, px
  uint digits, rootX;                     // an id below the root: its base-64 digits after the first; cells across the root
  uint parents, children, fan, cell;      // a level of the tree: parents, children of each, children across, edge of a child, px
  uint isRoot;                            // 1: the one parent is the whole window and lists every event
  uint capacity;                          // entries that a list holds
  uint splitMin, splitTarget;             // entries of a partial sum, at least; partial sums of a batch, about
  uint quantum;                           // k of the exact quantum 2^-k
} pc;

// State words. Counters only grow within a batch; the host compares them with what it asked for.
const uint PREPARED = 0u;       // events prepared
const uint CONSUMED = 1u;       // events (atomic paths) or list entries (tile paths) accumulated
const uint CONTRIB_LO = 2u;     // event-pixel pairs summed, 64 bits in two words
const uint CONTRIB_HI = 3u;
const uint OVERFLOW = 4u;       // entries that a list would have needed, 0 while all fit
const uint ENTRIES = 5u;        // entries of the list built last
const uint ITEMS = 6u;          // work items of the tile paths
const uint MERGES = 7u;         // tiles whose sum was split
const uint SEGMENTS = 8u;       // segments of the level's lists
const uint CELLS = 9u;          // counters of the level: segments * children
const uint GROUPS = 10u;        // work items done
const uint SLOTS = 11u;         // partial sums

const uint SEGMENT = 256u;      // list entries that one work group bins
const uint SCAN_BLOCK = 2048u;  // counters that one work group scans

uint groupIndex() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }

// decode turns the id of a cell into its column and row: the first digit counts the root's children row by row, the
// others are base 64, three bits of x below three bits of y.
uvec2 decode(uint id, uint digits) {
  uint first = id >> (6u * digits);
  uvec2 c = uvec2(first % pc.rootX, first / pc.rootX);
  for (uint k = digits; k > 0u; k--) {
    uint d = (id >> (6u * (k - 1u))) & 63u;
    c = c * 8u + uvec2(d & 7u, d >> 3u);
  }
  return c;
}
