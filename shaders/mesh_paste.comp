#version 460
// Adds the results of a group's blocks to the frame, all but those whose bound is above the limit: one invocation a pixel and
// colour of the area, so that overlapping blocks need no atomics. Says which blocks it has added.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 256) in;
#include "mesh_common.glsl"

layout(std430, set = 0, binding = 0) readonly buffer Results { double results[]; }; // [block][colour][n][n]
layout(std430, set = 0, binding = 1) readonly buffer List { ivec2 list[]; };        // of each block: x and y of its first result
layout(std430, set = 0, binding = 2) readonly buffer Peaks { uint64_t peaks[]; };   // [block][image, rims]
layout(std430, set = 0, binding = 3) buffer Frame { double frame[]; };
layout(std430, set = 0, binding = 4) writeonly buffer Kept { uint kept[]; };

const uint GROUP = 16u; // blocks, at most
shared bool keep[GROUP];

void main() {
  uint b = gl_LocalInvocationID.x;
  if (b < pm.blocks) {
    double peak = uint64BitsToDouble(peaks[2u * b]), rims = uint64BitsToDouble(peaks[2u * b + 1u]);
    precise double most = pm.room * peak;
    keep[b] = peak == 0.0lf || rims <= most;
    if (gl_WorkGroupID == uvec3(0u)) kept[b] = keep[b] ? 1u : 0u;
  }
  barrier();
  uint i = gl_WorkGroupID.x * 256u + gl_LocalInvocationID.x;
  if (i >= uint(pm.areaW)) return;
  ivec2 pixel = ivec2(pm.areaX + int(i), pm.areaY + int(gl_WorkGroupID.y));
  uint c = gl_WorkGroupID.z;
  int n = int(pm.n);
  precise double total = 0.0lf;
  for (uint k = 0u; k < pm.blocks; k++) {
    ivec2 at = pixel - list[k];
    if (!keep[k] || at.x < 0 || at.y < 0 || at.x >= n || at.y >= n) continue;
    total = total + results[(k * 3u + c) * outSize() + uint(at.y * n + at.x)];
  }
  int o = int(c) * pm.w * pm.bandRows + (pixel.y - pm.bandY) * pm.w + pixel.x;
  precise double sum = frame[o] + total;
  frame[o] = sum;
}
