#version 460
// Adds the partial sums of one split tile: slot by slot in order, then once to the frame. A work group takes 256 of the tile's
// 3 * tile^2 sums, an invocation one. Four loads are under way at a time; the order of the sums stays.
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
  uint pixels = pc.tile * pc.tile, parts = 3u * pixels / 256u;
  uint group = groupIndex();
  if (group >= pc.count * parts) return;
  uvec4 m = merges[group / parts];
  uint k = group % parts * 256u + gl_LocalInvocationID.x, p = k % pixels;
  uvec2 corner = decode(m.x, pc.digits) * pc.tile;
  int x = pc.winX + int(corner.x + p % pc.tile), y = pc.winY + int(corner.y + p / pc.tile);
  if (x >= pc.w || y >= pc.bandY + pc.bandRows) return;
  uint at = m.y * 3u * pixels + k, next = 3u * pixels, s = 0u;
  precise SUM sum = SUM(0);
  for (; s + 4u <= m.z; s += 4u) {
    SUM a = partials[at], b = partials[at + next], c = partials[at + 2u * next], d = partials[at + 3u * next];
    sum = sum + a;
    sum = sum + b;
    sum = sum + c;
    sum = sum + d;
    at += 4u * next;
  }
  for (; s < m.z; s++) {
    sum = sum + partials[at];
    at += next;
  }
  int o = int(k / pixels) * pc.w * pc.bandRows + (y - pc.bandY) * pc.w + x;
  precise SUM total = frame[o] + sum;
  frame[o] = total;
}
