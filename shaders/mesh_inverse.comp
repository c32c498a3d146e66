#version 460
// Transforms the columns back, which makes two real results, each a colour of a block, and notes their largest moduli. Group x
// takes neighbouring columns, y the slot, z the pair. RING: the error at the rims, of which only the largest is wanted.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 128) in;
#include "mesh_common.glsl"
#include "mesh_fft.glsl"

layout(std430, set = 0, binding = 1) readonly buffer Sums { dvec2 sums[]; };        // [pair][slot][n][n]
layout(std430, set = 0, binding = 2) buffer Peaks { uint64_t peaks[]; };            // [block][image, rims]: bits of a float64, ordered as it is
#ifndef RING
layout(std430, set = 0, binding = 3) writeonly buffer Results { double results[]; }; // [block][colour][n][n]
#endif

shared dvec2 most[128];

void main() {
  columnwise();
  uint x = gl_WorkGroupID.x * lines() + line, slot = gl_WorkGroupID.y, pair = gl_WorkGroupID.z, i = gl_LocalInvocationID.x;
  uint base = (pair * SLOTS + slot) * outSize() + x;
  bool inside = x < pm.n;
  [[unroll]] for (uint k = 0u; k < 16u; k++) v[k] = inside ? sums[base + at(16u, k) * pm.n] : dvec2(0.0lf);
  inverse();
  uint a = 2u * pair + (slot == 1u ? 1u : 0u), b = 2u * pair + (slot == 0u && SLOTS == 3u ? 0u : 1u);
  dvec2 mine = dvec2(0.0lf);
  [[unroll]] for (uint k = 0u; k < 16u; k++) mine = max(mine, abs(v[k]));
#ifndef RING
  uint re = (a * 3u + (slot == 2u ? 2u : 0u)) * outSize() + x, im = (b * 3u + (slot == 2u ? 2u : 1u)) * outSize() + x;
  [[unroll]] for (uint k = 0u; k < 16u; k++) {
    uint y = at(pm.n, k) * pm.n;
    if (inside && a < pm.blocks) results[re + y] = v[k].x;
    if (inside && b < pm.blocks) results[im + y] = v[k].y;
  }
#endif
  most[i] = mine;
  barrier();
  for (uint step = 64u; step > 0u; step /= 2u) {
    if (i < step) most[i] = max(most[i], most[i + step]);
    barrier();
  }
#ifdef RING
  uint kind = 1u;
#else
  uint kind = 0u;
#endif
  if (i == 0u && a < pm.blocks) atomicMax(peaks[2u * a + kind], doubleBitsToUint64(most[0].x));
  if (i == 0u && b < pm.blocks) atomicMax(peaks[2u * b + kind], doubleBitsToUint64(most[0].y));
}
