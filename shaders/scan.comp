#version 460
// Exclusive prefix sum of the level's counters, whose number only the device knows, in three dispatches: REDUCE sums blocks,
// SPINE scans the block sums in one work group and checks the total against the list's capacity, and the last rewrites the counters.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 256) in;
#include "common.glsl"

layout(std430, set = 0, binding = 0) buffer Counters { uint counters[]; };
layout(std430, set = 0, binding = 1) buffer Blocks { uint blocks[]; };
layout(std430, set = 0, binding = 2) buffer State { uint state[]; };

shared uint part[256];

// before returns the sum of v over the invocations before this one; total the sum over all.
uint before(uint v, out uint total) {
  uint t = gl_LocalInvocationID.x;
  part[t] = v;
  barrier();
  for (uint d = 1u; d < 256u; d <<= 1u) {
    uint add = t >= d ? part[t - d] : 0u;
    barrier();
    part[t] += add;
    barrier();
  }
  total = part[255];
  uint sum = part[t] - v;
  barrier();
  return sum;
}

void main() {
  uint t = gl_LocalInvocationID.x;
  uint total;
#ifdef SPINE
  uint n = (state[CELLS] + SCAN_BLOCK - 1u) / SCAN_BLOCK, sum = 0u;
  for (uint base = 0u; base < n; base += 256u) {
    uint v = base + t < n ? blocks[base + t] : 0u;
    uint at = sum + before(v, total);
    if (base + t < n) blocks[base + t] = at;
    sum += total;
  }
  if (t == 0u) {
    state[ENTRIES] = sum;
    if (sum > pc.capacity) state[OVERFLOW] = sum;
  }
#else
  uint block = groupIndex();
  uint n = state[CELLS];
  if (block * SCAN_BLOCK >= n) return;
  uint first = block * SCAN_BLOCK + t * 8u;
  uint v[8];
  uint sum = 0u;
  for (uint k = 0u; k < 8u; k++) {
    v[k] = first + k < n ? counters[first + k] : 0u;
    sum += v[k];
  }
  uint at = before(sum, total);
#ifdef REDUCE
  if (t == 0u) blocks[block] = total;
#else
  at += blocks[block];
  for (uint k = 0u; k < 8u; k++) {
    if (first + k < n) counters[first + k] = at;
    at += v[k];
  }
#endif
#endif
}
