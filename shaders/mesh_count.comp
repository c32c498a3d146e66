#version 460
// Counts a batch's events by block, and sums their |flux*colour| there, in units that keep the batch's sum in 64 bits.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 256) in;
#include "mesh_common.glsl"

layout(std430, set = 0, binding = 0) readonly buffer Events { double events[]; }; // x y r g b flux support
layout(std430, set = 0, binding = 1) readonly buffer Unit { double unit[]; };     // of the sums, inverted
layout(std430, set = 0, binding = 2) buffer Counts { uint counts[]; };            // by block, then those outside
layout(std430, set = 0, binding = 3) buffer Light { uint64_t light[]; };          // by block

void main() {
  uint i = groupIndex() * 256u + gl_LocalInvocationID.x;
  if (i >= pm.events) return;
  uint o = i * 7u;
  ivec2 pixel;
  uint b = place(events[o], events[o + 1u], pixel);
  if (b == NONE) {
    atomicAdd(counts[pm.blocksX * pm.blocksY], 1u);
    return;
  }
  precise double most = max(max(abs(events[o + 2u]), abs(events[o + 3u])), abs(events[o + 4u])) * abs(events[o + 5u]) * unit[0];
  atomicAdd(counts[b], 1u);
  atomicAdd(light[b], uint64_t(ceil(most)));
}
