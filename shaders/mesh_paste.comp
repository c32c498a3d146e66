#version 460
// Adds the results of a group's blocks to the frame: one invocation a pixel and colour of the rectangle that starts at corner, so
// that overlapping blocks need no atomics.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 256) in;
#include "mesh_common.glsl"

layout(std430, set = 0, binding = 0) readonly buffer Results { double results[]; }; // [block][colour][n][n]
layout(std430, set = 0, binding = 1) readonly buffer List { ivec4 list[]; };        // corner x, y and size; then of each block: x, y, 1 to paste it
layout(std430, set = 0, binding = 2) buffer Frame { double frame[]; };

void main() {
  uint i = gl_WorkGroupID.x * 256u + gl_LocalInvocationID.x;
  ivec4 area = list[0];
  if (i >= uint(area.z)) return;
  int x = area.x + int(i), y = area.y + int(gl_WorkGroupID.y);
  uint c = gl_WorkGroupID.z;
  int n = int(pm.n);
  precise double total = 0.0lf;
  for (uint b = 0u; b < pm.blocks; b++) {
    ivec4 block = list[1u + b];
    if (block.z == 0) continue; // refused
    ivec2 at = ivec2(x, y) - block.xy;
    if (at.x < 0 || at.y < 0 || at.x >= n || at.y >= n) continue;
    total = total + results[(b * 3u + c) * outSize() + uint(at.y * n + at.x)];
  }
  int o = int(c) * pm.w * pm.bandRows + (y - pm.bandY) * pm.w + x;
  precise double sum = frame[o] + total;
  frame[o] = sum;
}
