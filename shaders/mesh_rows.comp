#version 460
// Filters a lattice of P points a pixel down its columns to Q a pixel: an invocation makes ROWS values below each other, so that
// each point is read once for all of them. Group x takes 256 columns, y ROWS filtered rows, z a block's colour.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 256) in;
#include "mesh_common.glsl"

layout(std430, set = 0, binding = 0) readonly buffer Taps { double taps[]; };
layout(std430, set = 0, binding = 1) readonly buffer Lattice { int64_t lattice[]; }; // [block][colour][edge][edge]
layout(std430, set = 0, binding = 2) writeonly buffer Rows { double rows[]; };       // [block][colour][filterRows][edge]
layout(std430, set = 0, binding = 3) readonly buffer Scale { double scale[]; };

const int ROWS = 8;
shared double h[512]; // the taps between (ROWS-1)*D zeros

void main() {
  int d = int(pm.d), n = int(pm.taps), before = (ROWS - 1) * d;
  for (int i = int(gl_LocalInvocationID.x); i < 512; i += 256) h[i] = i >= before && i < before + n ? taps[i - before] : 0.0lf;
  barrier();
  uint x = gl_WorkGroupID.x * 256u + gl_LocalInvocationID.x, plane = gl_WorkGroupID.z;
  if (x >= pm.edge) return;
  int row = int(gl_WorkGroupID.y) * ROWS, first = (row - int(pm.margin * pm.q)) * d - n / 2; // of the points that row takes
  uint base = plane * pm.edge * pm.edge + x;
  precise double sum[ROWS];
  for (int r = 0; r < ROWS; r++) sum[r] = 0.0lf;
  for (int v = max(0, -first); v < before + n && first + v < int(pm.edge); v++) {
    double point = double(lattice[base + uint(first + v) * pm.edge]);
    for (int r = 0; r < ROWS; r++) {
      precise double term = h[before + v - r * d] * point;
      sum[r] = sum[r] + term;
    }
  }
  for (int r = 0; r < ROWS && uint(row + r) < filterRows(); r++) {
    precise double value = sum[r] / scale[plane / 3u];
    rows[(plane * filterRows() + uint(row + r)) * pm.edge + x] = value;
  }
}
