#version 460
// Transforms rows of the half-transformed planes, multiplies them by the kernel spectra, sums over the planes and transforms the
// rows back. Group x takes `lines` rows, y the slot, z the pair.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 256) in;
#include "mesh_common.glsl"
#include "mesh_fft.glsl"

layout(std430, set = 0, binding = 1) readonly buffer Mid { dvec2 mid[]; };         // [pair][slot][q][n][cols]
layout(std430, set = 0, binding = 2) readonly buffer Spectra { dvec2 spectra[]; }; // [q][n][n], digit-reversed along both axes
layout(std430, set = 0, binding = 3) writeonly buffer Sums { dvec2 sums[]; };      // [pair][slot][n][n]

void main() {
  uint y0 = gl_WorkGroupID.x * pm.lines, slot = gl_WorkGroupID.y, pair = gl_WorkGroupID.z, total = pm.lines * pm.n;
  precise dvec2 acc[8];
  for (uint k = 0u; k < 8u; k++) acc[k] = dvec2(0.0lf);
  for (uint q = 0u; q < kinds(); q++) {
    uint base = (((pair * SLOTS + slot) * kinds() + q) * pm.n + y0) * pm.cols;
    barrier();
    for (uint e = gl_LocalInvocationID.x; e < total; e += 256u) {
      uint x = e % pm.n;
      points[e] = x < pm.cols ? mid[base + (e / pm.n) * pm.cols + x] : dvec2(0.0lf);
    }
    forward();
    uint at = (q * pm.n + y0) * pm.n;
    for (uint k = 0u; k < 8u; k++) {
      uint e = k * 256u + gl_LocalInvocationID.x;
      if (e < total) {
        dvec2 s = spectra[at + e];
        acc[k] = plus(acc[k], times(points[e], s.x, s.y));
      }
    }
  }
  barrier();
  for (uint k = 0u; k < 8u; k++) {
    uint e = k * 256u + gl_LocalInvocationID.x;
    if (e < total) points[e] = acc[k];
  }
  inverse();
  uint base = ((pair * SLOTS + slot) * pm.n + y0) * pm.n;
  for (uint e = gl_LocalInvocationID.x; e < total; e += 256u) sums[base + e] = points[e];
}
