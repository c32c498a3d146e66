#version 460
// Filters rows of P points a pixel to Q a pixel and deals them out to the phase planes. Group x makes 256 neighbouring values of
// filtered row y, out of points that it reads once; z is a block's colour.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 256) in;
#include "mesh_common.glsl"

layout(std430, set = 0, binding = 0) readonly buffer Taps { double taps[]; };
layout(std430, set = 0, binding = 1) readonly buffer Rows { double rows[]; };      // [block][colour][filterRows][edge]
layout(std430, set = 0, binding = 2) writeonly buffer Planes { double planes[]; }; // [block][qy*Q+qx][colour][rows][cols]

shared double row[2304]; // 255 D + taps points, D at most 8
shared double h[128];

void main() {
  uint i = gl_LocalInvocationID.x, k = gl_WorkGroupID.x * 256u + i, y = gl_WorkGroupID.y, plane = gl_WorkGroupID.z;
  int first = (int(gl_WorkGroupID.x) * 256 - int(pm.margin * pm.q)) * int(pm.d) - int(pm.taps) / 2;
  uint base = (plane * filterRows() + y) * pm.edge;
  for (uint j = i; j < 255u * pm.d + pm.taps; j += 256u) {
    int u = first + int(j);
    row[j] = u >= 0 && u < int(pm.edge) ? rows[base + uint(u)] : 0.0lf;
  }
  if (i < pm.taps) h[i] = taps[i];
  barrier();
  uint x = k / pm.q, qx = k % pm.q;
  if (x >= pm.cols) return;
  precise double sum = 0.0lf;
  for (uint t = 0u; t < pm.taps; t++) {
    precise double term = h[t] * row[i * pm.d + t];
    sum = sum + term;
  }
  uint q = (y % pm.q) * pm.q + qx;
  planes[(((plane / 3u) * pm.q * pm.q + q) * 3u + plane % 3u) * planeSize() + (y / pm.q) * pm.cols + x] = sum;
}
