#version 460
// Brings a lattice of P points a pixel to Q: down its columns (COLUMNS: along its rows, out to the phase planes). A
// work group makes 256 values of one row of one colour of one block.
#extension GL_GOOGLE_include_directive : require
#ifndef COLUMNS
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#endif
layout(local_size_x = 256) in;
#include "mesh_common.glsl"

layout(std430, set = 0, binding = 0) readonly buffer Taps { double taps[]; };
#ifdef COLUMNS
layout(std430, set = 0, binding = 1) readonly buffer Rows { double source[]; }; // [block][colour][filterRows][edge]
layout(std430, set = 0, binding = 2) writeonly buffer Planes { double planes[]; }; // [block][qy*Q+qx][colour][rows][cols]
#else
layout(std430, set = 0, binding = 1) readonly buffer Lattice { int64_t source[]; }; // [block][colour][edge][edge]
layout(std430, set = 0, binding = 2) writeonly buffer Rows { double rows[]; };
layout(std430, set = 0, binding = 3) readonly buffer Scale { double scale[]; };
#endif

// sum filters point k of Q a pixel, counted from the margin's start, of the points at base, stride apart.
double sum(uint k, uint base, uint stride) {
  int centre = (int(k) - int(pm.margin * pm.q)) * int(pm.d), half_ = int(pm.taps / 2u);
  precise double total = 0.0lf;
  for (int t = 0; t < int(pm.taps); t++) {
    int v = centre + t - half_;
    if (v < 0 || v >= int(pm.edge)) continue;
    precise double term = taps[t] * double(source[base + uint(v) * stride]);
    total = total + term;
  }
  return total;
}

void main() {
  uint x = gl_WorkGroupID.x * 256u + gl_LocalInvocationID.x;
  uint row = gl_WorkGroupID.y, plane = gl_WorkGroupID.z; // row of Q a pixel; block*3 + colour
#ifdef COLUMNS
  if (x >= pm.q * pm.cols) return;
  // neighbouring invocations make neighbouring pixels of one plane
  uint qx = x / pm.cols, px = x % pm.cols, qy = row % pm.q, py = row / pm.q;
  double v = px < pm.rows ? sum(px * pm.q + qx, (plane * filterRows() + row) * pm.edge, 1u) : 0.0lf;
  planes[(((plane / 3u) * pm.q * pm.q + qy * pm.q + qx) * 3u + plane % 3u) * planeSize() + py * pm.cols + px] = v;
#else
  if (x >= pm.edge) return;
  precise double v = sum(row, plane * pm.edge * pm.edge + x, pm.edge) / scale[plane / 3u];
  rows[(plane * filterRows() + row) * pm.edge + x] = v;
#endif
}
