#version 460
// Transforms the columns of a pair's planes: two real planes make one complex column. Group x takes neighbouring columns, y a plane
// q and a slot (0: red and green of the first block, 1: of the second, 2: the blues), z the pair. RING: nodes, of both blocks.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 128) in;
#include "mesh_common.glsl"
#include "mesh_fft.glsl"

#ifdef RING
#include "mesh_number.glsl"
layout(std430, set = 0, binding = 1) readonly buffer Nodes { uvec2 planes[]; };   // [block][node][rows][cols]: int64
layout(std430, set = 0, binding = 3) readonly buffer Scale { double scale[]; };
#else
layout(std430, set = 0, binding = 1) readonly buffer Planes { double planes[]; }; // [block][q][colour][rows][cols]
#endif
layout(std430, set = 0, binding = 2) writeonly buffer Mid { dvec2 mid[]; };       // [pair][slot][q][n][cols]

double value(uint block, uint q, uint colour, uint y, uint x) {
  if (block >= pm.blocks) return 0.0lf;
#ifdef RING
  return number(planes[(block * kinds() + q) * planeSize() + y * pm.cols + x]);
#else
  return planes[((block * kinds() + q) * 3u + colour) * planeSize() + y * pm.cols + x];
#endif
}

void main() {
  columnwise();
  uint q = gl_WorkGroupID.y / SLOTS, slot = gl_WorkGroupID.y % SLOTS, pair = gl_WorkGroupID.z, x = gl_WorkGroupID.x * lines() + line;
  uint a = 2u * pair + (slot == 1u ? 1u : 0u), b = 2u * pair + (slot == 0u && SLOTS == 3u ? 0u : 1u);
  [[unroll]] for (uint k = 0u; k < 16u; k++) {
    uint y = at(pm.n, k);
    bool inside = y < pm.rows && x < pm.cols;
    v[k] = inside ? dvec2(value(a, q, slot == 2u ? 2u : 0u, y, x), value(b, q, slot == 2u ? 2u : 1u, y, x)) : dvec2(0.0lf);
  }
#ifdef RING
  precise dvec2 one = dvec2(1.0lf / scale[min(a, pm.blocks - 1u)], 1.0lf / scale[min(b, pm.blocks - 1u)]); // powers of two
  [[unroll]] for (uint k = 0u; k < 16u; k++) {
    precise dvec2 scaled = v[k] * one;
    v[k] = scaled;
  }
#endif
  forward();
  if (x >= pm.cols) return;
  uint base = ((pair * SLOTS + slot) * kinds() + q) * pm.n * pm.cols + x;
  [[unroll]] for (uint k = 0u; k < 16u; k++) mid[base + at(16u, k) * pm.cols] = v[k];
}
