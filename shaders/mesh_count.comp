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

shared uint least, most;
shared double bright[256];

void main() {
  uint i = groupIndex() * 256u + gl_LocalInvocationID.x, k = gl_LocalInvocationID.x;
  if (k == 0u) {
    least = NONE;
    most = 0u;
  }
  barrier();
  uint b = pm.blocksX * pm.blocksY;
  precise double mine = 0.0lf;
  bool mineToo = i < pm.events;
  if (mineToo) {
    uint o = i * 7u;
    ivec2 pixel;
    uint at = place(events[o], events[o + 1u], pixel);
    if (at != NONE) {
      b = at;
      precise double units = max(max(abs(events[o + 2u]), abs(events[o + 3u])), abs(events[o + 4u])) * abs(events[o + 5u]) * unit[0];
      mine = ceil(units);
    }
    atomicMin(least, b);
    atomicMax(most, b);
  }
  bright[k] = mine;
  barrier();
  if (least != most) {
    if (!mineToo) return;
    atomicAdd(counts[b], 1u);
    if (b < pm.blocksX * pm.blocksY) atomicAdd(light[b], uint64_t(mine));
    return;
  }
  // the whole work group in one block: one addition each, since many to one address queue up
  for (uint step = 128u; step > 0u; step /= 2u) {
    if (k < step) {
      precise double sum = bright[k] + bright[k + step];
      bright[k] = sum;
    }
    barrier();
  }
  if (k != 0u) return;
  atomicAdd(counts[b], min(256u, pm.events - i));
  if (b < pm.blocksX * pm.blocksY) atomicAdd(light[b], uint64_t(bright[0]));
}
