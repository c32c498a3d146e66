#version 450
// Mode 0. One work group tries every m of one task with the difference filter: three differences for all, the rest and the
// interval step for the 6 % that are left, collected so that neighbouring invocations stay busy.
#extension GL_GOOGLE_include_directive : require
#include "search_common.glsl"
#include "search_terms.glsl"

const uint TRIES = 8u;   // m per invocation between two barriers
shared uint left[LOCAL * TRIES];
shared uint leftCount;

void main() {
  uint index = groupIndex();
  if (index >= pc.count) return;
  uvec2 task = tasks[pc.first + index];
  setTerms(task);
  for (uint start = 0u; start < 1u << MIDDLE_BITS; start += LOCAL * TRIES) {
    if (gl_LocalInvocationIndex == 0u) leftCount = 0u;
    barrier();
    for (uint i = 0u; i < TRIES; i++) {
      uint m = start + i * LOCAL + gl_LocalInvocationIndex;
      uint base = value(0u, m) - PAIR_ARC;
      uint far = max(max(value(1u, m) - base, value(2u, m) - base), value(3u, m) - base);
      if (far <= 2u * PAIR_ARC) left[atomicAdd(leftCount, 1u)] = m;
    }
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < leftCount; i += LOCAL) solve(task, left[i]);
    barrier();
  }
  if (gl_LocalInvocationIndex == 0u) atomicAdd(state[SEARCHED], 1u);
}
