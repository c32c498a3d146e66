#version 460
// Where the list of each child begins, from the scanned counters: parents*children + 1 offsets.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 256) in;
#include "common.glsl"

layout(std430, set = 0, binding = 0) readonly buffer Segments { uint segmentStart[]; };
layout(std430, set = 0, binding = 1) readonly buffer Counters { uint counters[]; };
layout(std430, set = 0, binding = 2) readonly buffer State { uint state[]; };
layout(std430, set = 0, binding = 3) writeonly buffer Starts { uint childStart[]; };

void main() {
  uint i = groupIndex() * 256u + gl_LocalInvocationID.x;
  uint n = pc.parents * pc.children;
  if (i > n) return;
  uint counter = state[CELLS];
  if (i < n) {
    uint parent = i / pc.children;
    uint segments = segmentStart[parent + 1u] - segmentStart[parent];
    counter = segmentStart[parent] * pc.children + (i % pc.children) * segments;
  }
  childStart[i] = counter < state[CELLS] ? counters[counter] : state[ENTRIES];
}
