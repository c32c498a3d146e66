// Transforms of length n in shared memory, `lines` of them side by side, at most 2048 points: the radix-4 decimation in
// frequency of package render/mesh/fft, digit-reversed out, and its mirror image, not scaled.

layout(std430, set = 0, binding = 0) readonly buffer Twiddles { double twiddles[]; }; // forward, then inverse: w, w^2, w^3 by stage

shared dvec2 points[2048];

dvec2 times(dvec2 x, double wr, double wi) {
  precise double a = x.x * wr, b = x.y * wi, c = x.x * wi, d = x.y * wr;
  precise double re = a - b;
  precise double im = c + d;
  return dvec2(re, im);
}

dvec2 plus(dvec2 a, dvec2 b) {
  precise dvec2 c = a + b;
  return c;
}

dvec2 minus(dvec2 a, dvec2 b) {
  precise dvec2 c = a - b;
  return c;
}

// four is the transform of four points of exponent sign s, in place at i, i+q, ...
void four(uint i, uint q, double s, out dvec2 y[4]) {
  dvec2 a = points[i], b = points[i + q], c = points[i + 2u * q], d = points[i + 3u * q];
  dvec2 ac = plus(a, c), am = minus(a, c), bd = plus(b, d), bm = minus(b, d);
  precise dvec2 turned = dvec2(-s * bm.y, s * bm.x);
  y[0] = plus(ac, bd);
  y[1] = plus(am, turned);
  y[2] = minus(ac, bd);
  y[3] = minus(am, turned);
}

// last is the stage without twiddles, of span 4 or 2.
void last(uint span, double s) {
  uint total = pm.lines * pm.n;
  if (span == 4u) {
    for (uint i = gl_LocalInvocationID.x * 4u; i < total; i += 1024u) {
      dvec2 y[4];
      four(i, 1u, s, y);
      for (uint k = 0u; k < 4u; k++) points[i + k] = y[k];
    }
  } else {
    for (uint i = gl_LocalInvocationID.x * 2u; i < total; i += 512u) {
      dvec2 a = points[i], b = points[i + 1u];
      points[i] = plus(a, b);
      points[i + 1u] = minus(a, b);
    }
  }
  barrier();
}

void forward() {
  barrier();
  uint at = 0u, span = pm.n;
  for (; span > 4u; span /= 4u) {
    uint q = span / 4u;
    for (uint i = gl_LocalInvocationID.x; i < pm.lines * pm.n / 4u; i += 256u) {
      uint j = i % q, base = (i / q) * span + j, w = at + j * 6u;
      dvec2 y[4];
      four(base, q, -1.0lf, y);
      points[base] = y[0];
      for (uint k = 1u; k < 4u; k++) points[base + k * q] = times(y[k], twiddles[w + 2u * k - 2u], twiddles[w + 2u * k - 1u]);
    }
    at += q * 6u;
    barrier();
  }
  last(span, -1.0lf);
}

void inverse() {
  barrier();
  uint span = pm.n, stages = 0u;
  for (; span > 4u; span /= 4u) stages += span / 4u * 6u;
  uint at = stages; // the inverse table follows the forward one
  last(span, 1.0lf);
  while (span < pm.n) {
    span *= 4u;
    uint q = span / 4u;
    for (uint i = gl_LocalInvocationID.x; i < pm.lines * pm.n / 4u; i += 256u) {
      uint j = i % q, base = (i / q) * span + j, w = at + j * 6u;
      for (uint k = 1u; k < 4u; k++) points[base + k * q] = times(points[base + k * q], twiddles[w + 2u * k - 2u], twiddles[w + 2u * k - 1u]);
      dvec2 y[4];
      four(base, q, 1.0lf, y);
      for (uint k = 0u; k < 4u; k++) points[base + k * q] = y[k];
    }
    at += q * 6u;
    barrier();
  }
}
