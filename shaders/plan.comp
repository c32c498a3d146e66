#version 460
// One work group plans what comes next from the lengths of lists. Without ITEMS_MODE: the segments of every parent's list, and the
// group counts of the dispatches that bin and scan them. With it: the work items of the occupied tiles, in order of tiles.
// A list of more than `split` entries is cut; each piece sums into a slot of its own, and the merge adds the slots in order.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 256) in;
#include "common.glsl"

layout(std430, set = 0, binding = 0) readonly buffer Starts { uint listStart[]; };
layout(std430, set = 0, binding = 1) buffer State { uint state[]; };
#ifdef ITEMS_MODE
layout(std430, set = 0, binding = 2) writeonly buffer Items { uvec4 items[]; };   // tile, first entry, entries, slot or none
layout(std430, set = 0, binding = 3) writeonly buffer Merges { uvec4 merges[]; }; // tile, first slot, slots
#else
layout(std430, set = 0, binding = 2) writeonly buffer Segments { uint segmentStart[]; };
layout(std430, set = 0, binding = 3) writeonly buffer Args { uint args[]; }; // two indirect dispatches: bin, scan
#endif

const uint PER = 8u; // lists of an invocation at a time
const uint NO_SLOT = 0xffffffffu;
shared uvec3 part[256];

uvec3 before(uvec3 v, out uvec3 total) {
  uint t = gl_LocalInvocationID.x;
  part[t] = v;
  barrier();
  for (uint d = 1u; d < 256u; d <<= 1u) {
    uvec3 add = t >= d ? part[t - d] : uvec3(0u);
    barrier();
    part[t] += add;
    barrier();
  }
  total = part[255];
  uvec3 sum = part[t] - v;
  barrier();
  return sum;
}

uint lengthOf(uint i) {
#ifndef ITEMS_MODE
  if (pc.isRoot != 0u) return pc.n;
#endif
  return listStart[i + 1u] - listStart[i];
}

#ifndef ITEMS_MODE
// groups writes a dispatch of n groups in at most 65,535 a side.
void groups(uint at, uint n) {
  args[at] = min(n, 32768u);
  args[at + 1u] = (n + 32767u) / 32768u;
  args[at + 2u] = 1u;
}
#endif

// needs returns the pieces, slots and merges of list i; nothing after an overflow, so that nothing is summed.
uvec3 needs(uint i, uint piece) {
  if (i >= pc.parents || state[OVERFLOW] != 0u) return uvec3(0u);
  uint n = (lengthOf(i) + piece - 1u) / piece;
  return n > 1u ? uvec3(n, n, 1u) : uvec3(n, 0u, 0u);
}

// write puts down the plan of list i, whose pieces, slots and merges begin at `at`.
void write(uint i, uvec3 v, uvec3 at, uint piece) {
#ifdef ITEMS_MODE
  if (v.x == 0u) return;
  uint first = listStart[i], length = lengthOf(i);
  for (uint k = 0u; k < v.x; k++)
    items[at.x + k] = uvec4(i, first + k * piece, min(piece, length - k * piece), v.z > 0u ? at.y + k : NO_SLOT);
  if (v.z > 0u) merges[at.z] = uvec4(i, at.y, v.x, 0u);
#else
  if (i < pc.parents) segmentStart[i] = at.x;
#endif
}

void main() {
  uint t = gl_LocalInvocationID.x;
#ifdef ITEMS_MODE
  uint piece = max(pc.splitMin, (state[ENTRIES] + pc.splitTarget - 1u) / pc.splitTarget);
#else
  uint piece = SEGMENT;
#endif
  uvec3 done = uvec3(0u); // pieces, slots, merges
  for (uint base = 0u; base < pc.parents; base += 256u * PER) {
    uint first = base + t * PER;
    uvec3 sum = uvec3(0u), total;
    for (uint k = 0u; k < PER; k++) sum += needs(first + k, piece);
    uvec3 at = done + before(sum, total);
    done += total;
    for (uint k = 0u; k < PER; k++) {
      uvec3 v = needs(first + k, piece);
      write(first + k, v, at, piece);
      at += v;
    }
  }
  if (t != 0u) return;
#ifdef ITEMS_MODE
  state[ITEMS] = done.x;
  state[SLOTS] = done.y;
  state[MERGES] = done.z;
#else
  segmentStart[pc.parents] = done.x;
  uint cells = done.x * pc.children;
  state[SEGMENTS] = done.x;
  state[CELLS] = cells;
  groups(0u, done.x);
  groups(3u, (cells + SCAN_BLOCK - 1u) / SCAN_BLOCK);
#endif
}
