#version 460
// A work group sums one piece of one tile's list: an invocation owns a pixel and keeps its sum in registers, in the order of the
// list. The piece of an unsplit list starts from the frame's sum, so that it is the sequential sum; a split one starts from zero
// and goes to its slot, for the merge. Stars are staged in shared memory, STAGE at a time.
#extension GL_GOOGLE_include_directive : require
#ifdef I64
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#endif
#ifdef RTE
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 64); // RoundingModeRTE, 64 bits
#endif
layout(local_size_x = TILE, local_size_y = TILE) in;
#include "common.glsl"

layout(std430, set = 0, binding = 0) readonly buffer Records { uvec4 records[]; };
#ifdef F32
layout(std430, set = 0, binding = 1) readonly buffer Kernel { float kernel[]; };
#else
layout(std430, set = 0, binding = 1) readonly buffer Kernel { double kernel[]; };
#endif
#include "footprint.glsl"
#include "sum.glsl"
layout(std430, set = 0, binding = 2) readonly buffer List { uint list[]; };
layout(std430, set = 0, binding = 3) readonly buffer Items { uvec4 items[]; };
layout(std430, set = 0, binding = 4) buffer Frame { SUM frame[]; };           // three planes of bandRows rows
layout(std430, set = 0, binding = 5) writeonly buffer Partials { SUM partials[]; }; // slots of three planes of a tile
layout(std430, set = 0, binding = 6) buffer State { uint state[]; };
#include "tally.glsl"

const uint EDGE = uint(TILE);
const uint PIXELS = EDGE * EDGE;
const uint STAGE = 64u;
const uint NO_SLOT = 0xffffffffu;
shared uvec4 stage[STAGE * RECORD];

Star staged(uint j) {
  uint o = j * RECORD;
#ifdef F32
  return unpack(stage[o], stage[o + 1u], stage[o + 2u], stage[o + 3u]);
#else
  return unpack(stage[o], stage[o + 1u], stage[o + 2u], stage[o + 3u], stage[o + 4u], stage[o + 5u]);
#endif
}

void main() {
  uint group = groupIndex();
  if (group >= pc.count) return;
  tallyBegin();
  uvec4 item = items[pc.first + group];
  uvec2 corner = decode(item.x, pc.digits) * EDGE;
  uint t = gl_LocalInvocationIndex;
  int x = pc.winX + int(corner.x + gl_LocalInvocationID.x);
  int y = pc.winY + int(corner.y + gl_LocalInvocationID.y);
  bool inside = x < pc.w && y < pc.bandY + pc.bandRows;
  int plane = pc.w * pc.bandRows;
  int pixel = (y - pc.bandY) * pc.w + x;
  bool whole = item.w == NO_SLOT;
  precise SUM r = SUM(0);
  precise SUM g = SUM(0);
  precise SUM b = SUM(0);
  if (whole && inside) {
    r = frame[pixel];
    g = frame[plane + pixel];
    b = frame[2 * plane + pixel];
  }
  int q = y * int(pc.stride) + x;
  uint mine = 0u;
  for (uint from = 0u; from < item.z; from += STAGE) {
    uint n = min(STAGE, item.z - from);
    barrier();
    for (uint k = t; k < n * RECORD; k += PIXELS) {
      uint star = list[item.y + from + k / RECORD];
      stage[k] = records[star * RECORD + k % RECORD];
    }
    barrier();
    if (inside) {
      for (uint j = 0u; j < n; j++) {
        Star s = staged(j);
        if (!lit(s, x, y)) continue;
        REAL3 c = contribution(s, s.at + q);
        r = r + quanta(c.x);
        g = g + quanta(c.y);
        b = b + quanta(c.z);
        mine++;
      }
    }
  }
  if (!whole) {
    uint o = item.w * 3u * PIXELS + t;
    partials[o] = r;
    partials[o + PIXELS] = g;
    partials[o + 2u * PIXELS] = b;
  } else if (inside) {
    frame[pixel] = r;
    frame[plane + pixel] = g;
    frame[2 * plane + pixel] = b;
  }
  tallyEnd(mine, item.z);
}
