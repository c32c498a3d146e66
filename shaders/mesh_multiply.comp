#version 460
// Transforms rows of the half-transformed planes, multiplies them by the kernel spectra, sums over the planes and transforms the
// rows back. Group x takes neighbouring rows, y the slot, z the pair.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 128) in;
#include "mesh_common.glsl"
#include "mesh_fft.glsl"

layout(std430, set = 0, binding = 1) readonly buffer Mid { dvec2 mid[]; };         // [pair][slot][q][n][cols]
layout(std430, set = 0, binding = 2) readonly buffer Spectra { dvec2 spectra[]; }; // [q][n][16][n/16]: of point k and lane
layout(std430, set = 0, binding = 3) writeonly buffer Sums { dvec2 sums[]; };      // [pair][slot][n][n]

void main() {
  rowwise();
  uint y = gl_WorkGroupID.x * lines() + line, slot = gl_WorkGroupID.y, pair = gl_WorkGroupID.z;
  precise dvec2 acc[16];
  [[unroll]] for (uint k = 0u; k < 16u; k++) acc[k] = dvec2(0.0lf);
  for (uint q = 0u; q < kinds(); q++) {
    uint row = (((pair * SLOTS + slot) * kinds() + q) * pm.n + y) * pm.cols;
    [[unroll]] for (uint k = 0u; k < 16u; k++) {
      uint x = at(pm.n, k);
      v[k] = x < pm.cols && y < pm.n ? mid[row + x] : dvec2(0.0lf);
    }
    forward();
    uint spectrum = (q * pm.n + min(y, pm.n - 1u)) * pm.n + lane;
    [[unroll]] for (uint k = 0u; k < 16u; k++) {
      dvec2 s = spectra[spectrum + k * (pm.n / 16u)];
      acc[k] = dvec2(fma(-v[k].y, s.y, fma(v[k].x, s.x, acc[k].x)), fma(v[k].y, s.x, fma(v[k].x, s.y, acc[k].y)));
    }
  }
  [[unroll]] for (uint k = 0u; k < 16u; k++) v[k] = acc[k];
  inverse();
  if (y >= pm.n) return; // where one work group has more lines than there are
  uint base = ((pair * SLOTS + slot) * pm.n + y) * pm.n;
  [[unroll]] for (uint k = 0u; k < 16u; k++) sums[base + at(pm.n, k)] = v[k];
}
