#version 460
// A work group adds the partial sums of one split tile: slot by slot in order, then once to the frame.
#extension GL_GOOGLE_include_directive : require
#ifdef I64
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#endif
layout(local_size_x = 256) in;
#include "common.glsl"
#include "sum.glsl"

layout(std430, set = 0, binding = 0) readonly buffer Merges { uvec4 merges[]; };
layout(std430, set = 0, binding = 1) readonly buffer Partials { SUM partials[]; };
layout(std430, set = 0, binding = 2) buffer Frame { SUM frame[]; };

void main() {
  uint group = groupIndex();
  if (group >= pc.count) return;
  uvec4 m = merges[pc.first + group];
  uint pixels = pc.tile * pc.tile;
  uvec2 corner = decode(m.x, pc.digits) * pc.tile;
  int plane = pc.w * pc.bandRows;
  for (uint k = gl_LocalInvocationID.x; k < 3u * pixels; k += 256u) {
    uint p = k % pixels;
    int x = pc.winX + int(corner.x + p % pc.tile), y = pc.winY + int(corner.y + p / pc.tile);
    if (x >= pc.w || y >= pc.bandY + pc.bandRows) continue;
    precise SUM sum = SUM(0);
    for (uint s = 0u; s < m.z; s++) sum = sum + partials[(m.y + s) * 3u * pixels + k];
    int o = int(k / pixels) * plane + (y - pc.bandY) * pc.w + x;
    precise SUM total = frame[o] + sum;
    frame[o] = total;
  }
}
