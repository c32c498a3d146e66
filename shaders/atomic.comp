#version 460
// 32 neighbouring invocations walk the rows of one star and add to the frame; which of them share a subgroup does not matter.
// A row starts on a multiple of four pixels, so that neighbours add to whole memory sectors.
#extension GL_GOOGLE_include_directive : require
#ifdef I64
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#else
#extension GL_EXT_shader_atomic_float : require
#endif
#ifdef RTE
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 64); // RoundingModeRTE, 64 bits
#endif
layout(local_size_x = 256) in;
#include "common.glsl"

layout(std430, set = 0, binding = 0) readonly buffer Records { uvec4 records[]; };
#ifdef F32
layout(std430, set = 0, binding = 1) readonly buffer Kernel { float kernel[]; };
#else
layout(std430, set = 0, binding = 1) readonly buffer Kernel { double kernel[]; };
#endif
#include "footprint.glsl"
#include "sum.glsl"
layout(std430, set = 0, binding = 2) readonly buffer Order { uint order[]; };
layout(std430, set = 0, binding = 3) buffer Frame { SUM frame[]; };
layout(std430, set = 0, binding = 4) buffer State { uint state[]; };
#include "tally.glsl"

const int LANES = 32;
const uint STARS = 8u; // of a work group

Star load(uint id) {
  uint o = id * RECORD;
#ifdef F32
  return unpack(records[o], records[o + 1u], records[o + 2u], records[o + 3u]);
#else
  return unpack(records[o], records[o + 1u], records[o + 2u], records[o + 3u], records[o + 4u], records[o + 5u]);
#endif
}

uint splat(Star s, int lane) {
  int plane = pc.w * pc.bandRows;
  int y0 = max(s.iy - int(pc.radius), pc.bandY), y1 = min(s.iy + int(pc.radius) + 1, pc.bandY + pc.bandRows - 1);
  uint mine = 0u;
  for (int y = y0; y <= y1; y++) {
    ivec2 run = reach(s, y);
    int x0 = max(run.x, 0) & ~3, x1 = min(run.y, pc.w - 1);
    int at = s.at + y * int(pc.stride), row = (y - pc.bandY) * pc.w;
    for (int x = x0 + lane; x <= x1; x += LANES) {
      if (!lit(s, x, y)) continue;
      REAL3 c = contribution(s, at + x);
      atomicAdd(frame[row + x], quanta(c.x));
      atomicAdd(frame[plane + row + x], quanta(c.y));
      atomicAdd(frame[2 * plane + row + x], quanta(c.z));
      mine++;
    }
  }
  return mine;
}

void main() {
  uint group = groupIndex();
  if (group * STARS >= pc.count) return;
  tallyBegin();
  uint star = group * STARS + gl_LocalInvocationID.x / uint(LANES);
  uint mine = 0u;
  if (star < pc.count) {
    uint id = pc.first + star;
    if (pc.listed != 0u) id = order[id];
    mine = splat(load(id), int(gl_LocalInvocationID.x % uint(LANES)));
  }
  tallyEnd(mine, min(STARS, pc.count - group * STARS));
}
