#version 460
// The largest moduli of a block's results: of the three colours, and of its error at the rims. One work group a block.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 256) in;
#include "mesh_common.glsl"

layout(std430, set = 0, binding = 0) readonly buffer Results { double results[]; }; // [block][colour][n][n]
layout(std430, set = 0, binding = 1) readonly buffer Ring { double ring[]; };       // [block][n][n]
layout(std430, set = 0, binding = 2) writeonly buffer Peaks { dvec2 peaks[]; };     // by block: image, rims

shared dvec2 most[256];

void main() {
  uint b = gl_WorkGroupID.x, i = gl_LocalInvocationID.x;
  precise dvec2 mine = dvec2(0.0lf);
  for (uint k = i; k < 3u * outSize(); k += 256u) mine.x = max(mine.x, abs(results[b * 3u * outSize() + k]));
  for (uint k = i; k < outSize(); k += 256u) mine.y = max(mine.y, abs(ring[b * outSize() + k]));
  most[i] = mine;
  barrier();
  for (uint step = 128u; step > 0u; step /= 2u) {
    if (i < step) most[i] = max(most[i], most[i + step]);
    barrier();
  }
  if (i == 0u) peaks[b] = most[0];
}
