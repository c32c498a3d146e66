#version 460
// Moves the high part of every exact sum into a second word: value = high * 2^32 + low with 0 <= low < 2^32 afterwards. An
// invocation takes one pixel of one plane, pc.first of pc.count words on.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 256) in;
#include "common.glsl"

layout(std430, set = 0, binding = 0) buffer Low { int64_t low[]; };
layout(std430, set = 0, binding = 1) buffer High { int64_t high[]; };

void main() {
  uint i = groupIndex() * 256u + gl_LocalInvocationID.x;
  if (i >= pc.count) return;
  i += pc.first;
  int64_t v = low[i];
  high[i] += v >> 32;
  low[i] = v & 0xffffffffl;
}
