#version 460
// One level of the sort of events into cells. A work group takes one segment of one parent's list and counts, or writes in order,
// the entries that fall into each of the parent's (at most 64) children. A child is a cell of the frame, which a star enters
// when its circle touches it, or, with PHASE, a class of sub-pixel phases. Lists keep the order of their parent: every counter
// belongs to one (child, segment) and its prefix sum says where the segment's entries begin.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 256) in;
#include "common.glsl"

layout(std430, set = 0, binding = 0) readonly buffer Circles { vec4 circles[]; };
layout(std430, set = 0, binding = 1) readonly buffer Parent { uint parentList[]; };
layout(std430, set = 0, binding = 2) readonly buffer Starts { uint parentStart[]; }; // parents+1 offsets into the parent list
layout(std430, set = 0, binding = 3) readonly buffer Segments { uint segmentStart[]; }; // parents+1 offsets in segments
layout(std430, set = 0, binding = 4) buffer Counters { uint counters[]; };
layout(std430, set = 0, binding = 5) readonly buffer State { uint state[]; };
#ifdef SCATTER
layout(std430, set = 0, binding = 6) writeonly buffer Child { uint childList[]; };
#endif

shared uvec2 masks[256];    // children that each entry of the segment enters, one bit a child
shared uint counts[4][64];  // entries of each quarter of the segment by child

uint parentOf(uint segment) {
  uint lo = 0u, hi = pc.parents; // the last parent that starts at or before the segment
  while (hi - lo > 1u) {
    uint mid = (lo + hi) / 2u;
    if (segmentStart[mid] <= segment) lo = mid; else hi = mid;
  }
  return lo;
}

#ifndef PHASE
uvec2 mask(vec4 circle, uint parent) {
  vec2 origin = vec2(0.0);
  if (pc.isRoot == 0u) origin = vec2(decode(parent, pc.digits) * (pc.cell * 8u));
  vec2 p = circle.xy - origin;
  float cell = float(pc.cell);
  uint rows = pc.children / pc.fan;
  uvec2 m = uvec2(0u);
  for (uint r = 0u; r < rows; r++) {
    float top = float(r) * cell;
    float d = max(max(top - p.y, p.y - (top + cell - 1.0)), 0.0);
    float h = circle.z * circle.z - d * d;
    if (!(h >= 0.0)) continue;
    h = sqrt(h) + 0.001;
    int lo = int(clamp(floor((p.x - h) / cell), 0.0, float(pc.fan)));
    int hi = int(clamp(floor((p.x + h) / cell), -1.0, float(pc.fan) - 1.0));
    for (int c = lo; c <= hi; c++) {
      uint bit = r * pc.fan + uint(c);
      if (bit < 32u) m.x |= 1u << bit; else m.y |= 1u << (bit - 32u);
    }
  }
  return m;
}
#endif

void main() {
  uint segment = groupIndex();
  if (segment >= state[SEGMENTS] || state[OVERFLOW] != 0u) return;
  uint t = gl_LocalInvocationID.x;
  uint parent = parentOf(segment);
  uint local = segment - segmentStart[parent];
  uint start = pc.isRoot != 0u ? 0u : parentStart[parent];
  uint end = pc.isRoot != 0u ? pc.n : parentStart[parent + 1u];
  uint first = start + local * SEGMENT;
  uint at = first + t;
  uvec2 m = uvec2(0u);
  if (at < end) {
    uint id = pc.listed != 0u || pc.isRoot == 0u ? parentList[at] : at;
    vec4 circle = circles[id];
#ifdef PHASE
    uint c = floatBitsToUint(circle.w);
    if (c < 32u) m.x = 1u << c; else m.y = 1u << (c - 32u);
#else
    m = mask(circle, parent);
#endif
  }
  masks[t] = m;
  barrier();
  uint child = t & 63u, quarter = t >> 6u;
  bool upper = child >= 32u;
  uint shift = child & 31u;
  uint mine = 0u;
  for (uint j = 0u; j < 64u; j++) {
    uvec2 v = masks[quarter * 64u + j];
    mine += ((upper ? v.y : v.x) >> shift) & 1u;
  }
  counts[quarter][child] = mine;
  barrier();
  if (child >= pc.children) return;
  uint segments = segmentStart[parent + 1u] - segmentStart[parent];
  uint counter = segmentStart[parent] * pc.children + child * segments + local;
#ifdef SCATTER
  uint to = counters[counter];
  for (uint q = 0u; q < quarter; q++) to += counts[q][child];
  for (uint j = 0u; j < 64u; j++) {
    uvec2 v = masks[quarter * 64u + j];
    if ((((upper ? v.y : v.x) >> shift) & 1u) == 0u) continue;
    uint from = first + quarter * 64u + j;
    childList[to++] = pc.listed != 0u || pc.isRoot == 0u ? parentList[from] : from;
  }
#else
  if (quarter == 0u) counters[counter] = counts[0][child] + counts[1][child] + counts[2][child] + counts[3][child];
#endif
}
