#version 460
// Filters a lattice of P points a pixel to Q a pixel, down its columns and then along its rows, and deals the values out to the
// phase planes. Group x makes 48 neighbouring columns, y `high` rows of filtered points, z a block's colour. D is P/Q where it
// is known in advance, and then the filter has 12 D + 1 taps (render/mesh/filter.go): its loops unroll into registers.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 128) in;
#include "mesh_common.glsl"
#include "mesh_number.glsl"

layout(std430, set = 0, binding = 0) readonly buffer Taps { double taps[]; };
layout(std430, set = 0, binding = 1) readonly buffer Lattice { uvec2 lattice[]; };   // [block][colour][edge][edge]: int64
layout(std430, set = 0, binding = 2) writeonly buffer Planes { double planes[]; };   // [block][qy*Q+qx][colour][rows][cols]
layout(std430, set = 0, binding = 3) readonly buffer Scale { double scale[]; };

const uint WIDE = 48u;
const uint EACH = 6u;       // values of an invocation: WIDE*16/128
const uint FILTERED = 49u;  // row length of the tile once filtered; odd, as the other, so that the rows lie in different banks
shared double tile[2048];

#ifdef D
const int d = D, side = 6 * D, count = 12 * D + 1, high = 32 / D, points = (high - 1) * D + count;
#else
int d, side, count, high;

// point is that of row v and column u of the block's colour, 0 outside.
double point(uint base, int v, int u) {
  int e = int(edge());
  if (u < 0 || v < 0 || u >= e || v >= e) return 0.0lf;
  return number(lattice[base + uint(v * e + u)]);
}
#endif

void main() {
  int i = int(gl_LocalInvocationID.x);
  uint plane = gl_WorkGroupID.z, x0 = gl_WorkGroupID.x * WIDE;
#ifndef D
  d = int(pm.p / pm.q);
  side = int(pm.taps) / 2;
  count = int(pm.taps);
  high = clamp(32 / d, 1, 16);
#endif
  uint y0 = gl_WorkGroupID.y * uint(high);
  int u0 = (int(x0) - int(pm.margin * pm.q)) * d - side, v0 = (int(y0) - int(pm.margin * pm.q)) * d - side;
  int columns = int(WIDE - 1u) * d + count, stride = columns | 1;
  uint base = plane * edge() * edge();
  precise double one = 1.0lf / scale[plane / 3u]; // a power of two
#ifdef D
  precise double h[side + 1];
  [[unroll]] for (int k = 0; k <= side; k++) h[k] = taps[side - k];
  if (i < columns) { // fewer than the invocations
    precise double sum[high];
    [[unroll]] for (int r = 0; r < high; r++) sum[r] = 0.0lf;
    // without branches around the loads many are under way at once: a fifth less time on an H200
    int last = int(edge()) - 1, u = u0 + i;
    bool beside = u < 0 || u > last;
    base += uint(clamp(u, 0, last));
    [[unroll]] for (int v = 0; v < points; v++) {
      int at = clamp(v0 + v, 0, last);
      double x = number(lattice[base + uint(at) * edge()]);
      if (at != v0 + v) x = 0.0lf;
      [[unroll]] for (int r = 0; r < high; r++) {
        const int k = v - r * d;
        if (k >= 0 && k < count) sum[r] = fma(h[abs(k - side)], x, sum[r]);
      }
    }
    [[unroll]] for (int r = 0; r < high; r++) tile[r * stride + i] = beside ? 0.0lf : sum[r] * one;
  }
#else
  for (int c = i; c < columns; c += 128) {
    for (int r = 0; r < high; r++) {
      precise double sum = 0.0lf;
      for (int k = 0; k < count; k++) sum = fma(taps[k], point(base, v0 + r * d + k, u0 + c), sum);
      tile[r * stride + c] = sum * one;
    }
  }
#endif
  barrier();
  // an invocation makes EACH neighbouring values of a row
  int row = i % high, first = i / high * int(EACH);
  precise double sum[EACH];
  [[unroll]] for (int k = 0; k < int(EACH); k++) sum[k] = 0.0lf;
#ifdef D
  [[unroll]] for (int u = 0; u < int(EACH - 1u) * d + count; u++) {
    double x = tile[row * stride + first * d + u];
    [[unroll]] for (int k = 0; k < int(EACH); k++) {
      const int t = u - k * d;
      if (t >= 0 && t < count) sum[k] = fma(h[abs(t - side)], x, sum[k]);
    }
  }
#else
  for (int k = 0; k < int(EACH); k++) {
    if (first + k >= int(WIDE)) break;
    for (int t = 0; t < count; t++) sum[k] = fma(taps[t], tile[row * stride + (first + k) * d + t], sum[k]);
  }
#endif
  barrier();
  for (int k = 0; k < int(EACH); k++) {
    if (first + k < int(WIDE)) tile[row * int(FILTERED) + first + k] = sum[k];
  }
  barrier();
  // neighbouring invocations write one plane, where the planes divide the tile
  uint several = WIDE % pm.q == 0u ? pm.q : 1u, wide = WIDE / several, block = plane / 3u;
  for (uint at = uint(i); at < WIDE * uint(high); at += 128u) {
    uint r = at / WIDE, k = at % WIDE;
    k = k % wide * several + k / wide;
    uint x = x0 + k, y = y0 + r;
    if (x >= pm.q * pm.cols || y >= pm.q * pm.rows) continue;
    uint q = y % pm.q * pm.q + x % pm.q;
    planes[((block * pm.q * pm.q + q) * 3u + plane % 3u) * planeSize() + y / pm.q * pm.cols + x / pm.q] = tile[r * FILTERED + k];
  }
}
