#version 450
// One work group lists the roots of the generators of a block, which have the same x: first the AND over a of the even
// states rotated by X_a, kept in shared memory, then for each generator the AND over b of that rotated by Z_b.
#extension GL_GOOGLE_include_directive : require
#include "search_common.glsl"

layout(local_size_x = 256) in;
layout(push_constant) uniform Push { uint blockCount, capacity; } pc;
layout(set = 0, binding = 1, std430) readonly buffer Even { uint even[]; };           // 2^18 bits
layout(set = 0, binding = 2, std430) readonly buffer Blocks { uvec2 blocks[]; };      // first generator, count
layout(set = 0, binding = 3, std430) readonly buffer Generators { uvec2 generators[]; };  // x, z of a class
layout(set = 0, binding = 4, std430) writeonly buffer Roots { uvec2 roots[]; };       // generator, root

const uint WORDS = 8192u;
shared uint column[WORDS];

// 32 bits of a rotated set from its words w and w+1.
uint shifted(uint first, uint second, uint d) { return first >> (d & 31u) | (second << 1) << (31u - (d & 31u)); }

uint columnShift(uint x, uint a) { return ((2u * x + a) * a * 4987142u + a * 5947611u) & LOW_MASK; }
uint rowShift(uint z, uint b) { return ((2u * z + b) * b * 4392871u + b * 389711u) & LOW_MASK; }

void main() {
  uint group = groupIndex();
  if (group >= pc.blockCount) return;
  uvec2 block = blocks[group];
  uint x = generators[block.x].x;
  for (uint w = gl_LocalInvocationIndex; w < WORDS; w += gl_WorkGroupSize.x) {
    uint bits = even[w];
    for (uint a = 1u; a < K; a++) {
      uint d = columnShift(x, a);
      uint at = w + (d >> 5);
      bits &= shifted(even[at & (WORDS - 1u)], even[(at + 1u) & (WORDS - 1u)], d);
    }
    column[w] = bits;
  }
  barrier();
  for (uint i = 0u; i < block.y; i++) {
    uint z = generators[block.x + i].y;
    for (uint w = gl_LocalInvocationIndex; w < WORDS; w += gl_WorkGroupSize.x) {
      uint bits = column[w];
      for (uint b = 1u; b < L && bits != 0u; b++) {
        uint d = rowShift(z, b);
        uint at = w + (d >> 5);
        bits &= shifted(column[at & (WORDS - 1u)], column[(at + 1u) & (WORDS - 1u)], d);
      }
      for (; bits != 0u; bits &= bits - 1u) {
        uint slot = atomicAdd(state[ROOTS], 1u);
        if (slot < pc.capacity) roots[slot] = uvec2(block.x + i, w * 32u + uint(findLSB(bits)));
      }
    }
  }
  if (gl_LocalInvocationIndex == 0u) atomicAdd(state[LISTED], block.y);
}
