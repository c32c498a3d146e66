#version 460
// Transforms the columns back: two real results, each a colour of a block. Group x takes `lines` columns, y the slot, z the pair.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 256) in;
#include "mesh_common.glsl"
#include "mesh_fft.glsl"

layout(std430, set = 0, binding = 1) readonly buffer Sums { dvec2 sums[]; };        // [pair][slot][n][n]
layout(std430, set = 0, binding = 2) writeonly buffer Results { double results[]; }; // [block][colour, or none with RING][n][n]

void main() {
  uint x0 = gl_WorkGroupID.x * pm.lines, slot = gl_WorkGroupID.y, pair = gl_WorkGroupID.z;
  uint base = (pair * SLOTS + slot) * outSize();
  for (uint e = gl_LocalInvocationID.x; e < pm.lines * pm.n; e += 256u) {
    uint x = e % pm.lines, y = e / pm.lines;
    points[x * pm.n + y] = sums[base + y * pm.n + x0 + x];
  }
  inverse();
  uint a = 2u * pair + (slot == 1u ? 1u : 0u), b = 2u * pair + (slot == 0u && SLOTS == 3u ? 0u : 1u);
  uint re = (a * SLOTS + (slot == 2u ? 2u : 0u)) * outSize(), im = (b * SLOTS + (slot == 2u ? 2u : 1u) % SLOTS) * outSize();
  for (uint e = gl_LocalInvocationID.x; e < pm.lines * pm.n; e += 256u) {
    uint x = e % pm.lines, y = e / pm.lines, at = y * pm.n + x0 + x;
    dvec2 v = points[x * pm.n + y];
    if (a < pm.blocks) results[re + at] = v.x;
    if (b < pm.blocks) results[im + at] = v.y;
  }
}
