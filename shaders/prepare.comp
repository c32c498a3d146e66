#version 460
// One invocation prepares one event of a batch: what depends on the event alone is computed once. It writes the record that
// the accumulating kernels read (float32 records come ready from the host) and the float32 circle that binning reads, relative
// to the window and slightly wide, so that binning may list a star too often but never too seldom.
#extension GL_GOOGLE_include_directive : require
#ifdef RTE
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 64); // RoundingModeRTE, 64 bits
#endif
layout(local_size_x = 256) in;
#include "common.glsl"

#ifdef F32
layout(std430, set = 0, binding = 0) readonly buffer Records { uvec4 records[]; };
#else
layout(std430, set = 0, binding = 0) readonly buffer Events { double events[]; }; // x y r g b flux support
layout(std430, set = 0, binding = 1) writeonly buffer Records { uvec4 records[]; };
#endif
layout(std430, set = 0, binding = 2) writeonly buffer Circles { vec4 circles[]; }; // x, y, radius; w: phase class of 64
layout(std430, set = 0, binding = 3) buffer State { uint state[]; };

// phaseClass groups phases into 8 x 8 classes, row by row.
uint phaseClass(uint px, uint py) { return (py * 8u / pc.phases) * 8u + px * 8u / pc.phases; }

#ifndef F32
// split returns the whole pixel, the phase and the remainder of a coordinate: psf.Kernel's phase.
double split(double x, out int whole, out uint phase) {
  precise double f = floor(x);
  precise double within = x - f;
  precise double scaled = double(pc.phases) * within;
  precise double p = floor(scaled);
  if (p >= double(pc.phases)) p = double(pc.phases - 1u);
  precise double t = scaled - p;
  whole = int(f);
  phase = uint(p);
  return t;
}
#endif

void main() {
  uint i = groupIndex() * 256u + gl_LocalInvocationID.x;
  if (i >= pc.n) return;
#ifdef F32
  uvec4 a = records[i * 4u], b = records[i * 4u + 1u];
  float unit = 1.0 / float(1u << (30u - uint(findMSB(pc.radius + 1u))));
  float x = float(int(a.x) - pc.winX) + float(a.z) * unit, y = float(int(a.y) - pc.winY) + float(a.w) * unit;
  uint phase = b.w;
  float s = uintBitsToFloat(records[i * 4u + 3u].w);
#else
  double ex = events[i * 7u], ey = events[i * 7u + 1u];
  double support = min(events[i * 7u + 6u], double(pc.radius));
  int ix, iy;
  uint px, py;
  precise double tx = split(ex, ix, px);
  precise double ty = split(ey, iy, py);
  precise double ux = 1.0lf - tx;
  precise double uy = 1.0lf - ty;
  precise double b00 = ux * uy;
  precise double b10 = tx * uy;
  precise double b01 = ux * ty;
  precise double b11 = tx * ty;
  double flux = events[i * 7u + 5u];
  precise double r = flux * events[i * 7u + 2u];
  precise double g = flux * events[i * 7u + 3u];
  precise double b = flux * events[i * 7u + 4u];
  precise double s2 = support * support;
  int at = int((py * (pc.phases + 1u) + px) * pc.grid) + (int(pc.radius) - iy) * int(pc.stride) + int(pc.radius) - ix;
  uint o = i * 6u;
  records[o] = uvec4(unpackDouble2x32(ex), unpackDouble2x32(ey));
  records[o + 1u] = uvec4(unpackDouble2x32(s2), uint(at), 0u);
  records[o + 2u] = uvec4(unpackDouble2x32(b00), unpackDouble2x32(b10));
  records[o + 3u] = uvec4(unpackDouble2x32(b01), unpackDouble2x32(b11));
  records[o + 4u] = uvec4(unpackDouble2x32(r), unpackDouble2x32(g));
  records[o + 5u] = uvec4(unpackDouble2x32(b), uint(ix), uint(iy));
  precise double cx = ex - double(pc.winX);
  precise double cy = ey - double(pc.winY);
  float x = float(cx), y = float(cy), s = float(support);
  uint phase = phaseClass(px, py);
#endif
  circles[i] = vec4(x, y, s + 0.0625, uintBitsToFloat(phase));
  atomicAdd(state[PREPARED], 1u);
}
