// Transforms of length n, 32 to 1024, as many side by side as make 2048 points: each of the 128 invocations holds 16 points of a
// line in registers. Decimation in frequency by 16s, then by what is left of n, in place: frequencies come out in the order of
// mesh.Device. The inverse is the mirror image, not scaled; it is the same stages on (im, re).

layout(std430, set = 0, binding = 0) readonly buffer Twiddles { dvec2 twiddles[]; }; // by stage, [k-1][j]: exp(-2 pi i j k/span)

const uint POINTS = 2048u;
shared double part[2304]; // lines of n + n/16 + 2

dvec2 v[16];     // point k of this invocation lies at(span, k) in its line
uint line, lane; // this invocation's line, and its place among the n/16 of the line

uint lines() { return POINTS / pm.n; }

// rowwise and columnwise say which invocations share a line: neighbours, or those `lines` apart.
void rowwise() {
  line = gl_LocalInvocationID.x / (pm.n / 16u);
  lane = gl_LocalInvocationID.x % (pm.n / 16u);
}

void columnwise() {
  line = gl_LocalInvocationID.x % lines();
  lane = gl_LocalInvocationID.x / lines();
}

// at is where point k lies before and after a stage of a span; the last stage's are neighbours, as for a span of 16.
uint at(uint span, uint k) {
  uint apart = span / 16u;
  return lane / apart * span + lane % apart + k * apart;
}

dvec2 times(dvec2 x, dvec2 w) {
  precise double a = x.y * w.y, b = x.y * w.x;
  precise dvec2 y = dvec2(fma(x.x, w.x, -a), fma(x.x, w.y, b));
  return y;
}

dvec2 plus(dvec2 a, dvec2 b) {
  precise dvec2 c = a + b;
  return c;
}

dvec2 minus(dvec2 a, dvec2 b) {
  precise dvec2 c = a - b;
  return c;
}

void two(inout dvec2 a, inout dvec2 b) {
  dvec2 c = minus(a, b);
  a = plus(a, b);
  b = c;
}

// four transforms four points in place, exponent sign -1.
void four(inout dvec2 a, inout dvec2 b, inout dvec2 c, inout dvec2 d) {
  dvec2 ac = plus(a, c), am = minus(a, c), bd = plus(b, d), bm = minus(b, d);
  dvec2 turned = dvec2(bm.y, -bm.x);
  a = plus(ac, bd);
  b = plus(am, turned);
  c = minus(ac, bd);
  d = minus(am, turned);
}

const double C1 = 0.92387953251128675613lf, S1 = 0.38268343236508977173lf, R2 = 0.70710678118654752440lf; // of pi/8, pi/4

dvec2 eighth(dvec2 x) { // exp(-i pi/4) x
  precise dvec2 y = dvec2(x.x + x.y, x.y - x.x) * R2;
  return y;
}

void exchange(inout dvec2 a, inout dvec2 b) {
  dvec2 c = a;
  a = b;
  b = c;
}

// eight transforms points o to o+7.
void eight(const uint o) {
  four(v[o], v[o + 2u], v[o + 4u], v[o + 6u]);
  four(v[o + 1u], v[o + 3u], v[o + 5u], v[o + 7u]);
  v[o + 3u] = eighth(v[o + 3u]);
  v[o + 5u] = dvec2(v[o + 5u].y, -v[o + 5u].x);
  dvec2 e = eighth(v[o + 7u]);
  v[o + 7u] = dvec2(e.y, -e.x);
  two(v[o], v[o + 1u]);
  two(v[o + 2u], v[o + 3u]);
  two(v[o + 4u], v[o + 5u]);
  two(v[o + 6u], v[o + 7u]);
  // points (k1,k2) hold frequency k1 + 4 k2
  dvec2 t1 = v[o + 1u], t2 = v[o + 2u], t3 = v[o + 3u];
  v[o + 1u] = t2;
  v[o + 2u] = v[o + 4u];
  v[o + 3u] = v[o + 6u];
  v[o + 4u] = t1;
  v[o + 6u] = v[o + 5u];
  v[o + 5u] = t3;
}

void sixteen() {
  four(v[0], v[4], v[8], v[12]);
  four(v[1], v[5], v[9], v[13]);
  four(v[2], v[6], v[10], v[14]);
  four(v[3], v[7], v[11], v[15]);
  v[5] = times(v[5], dvec2(C1, -S1));
  v[9] = eighth(v[9]);
  v[13] = times(v[13], dvec2(S1, -C1));
  v[6] = eighth(v[6]);
  v[10] = dvec2(v[10].y, -v[10].x);
  dvec2 e = eighth(v[14]);
  v[14] = dvec2(e.y, -e.x);
  v[7] = times(v[7], dvec2(S1, -C1));
  e = eighth(v[11]);
  v[11] = dvec2(e.y, -e.x);
  v[15] = times(v[15], dvec2(-C1, S1));
  four(v[0], v[1], v[2], v[3]);
  four(v[4], v[5], v[6], v[7]);
  four(v[8], v[9], v[10], v[11]);
  four(v[12], v[13], v[14], v[15]);
  exchange(v[1], v[4]);
  exchange(v[2], v[8]);
  exchange(v[3], v[12]);
  exchange(v[6], v[9]);
  exchange(v[7], v[13]);
  exchange(v[11], v[14]);
}

// small transforms groups of span points, the last stage of the forward transform and the first of the inverse.
void small(uint span) {
  if (span == 16u) {
    sixteen();
  } else if (span == 8u) {
    eight(0u);
    eight(8u);
  } else if (span == 4u) {
    four(v[0], v[1], v[2], v[3]);
    four(v[4], v[5], v[6], v[7]);
    four(v[8], v[9], v[10], v[11]);
    four(v[12], v[13], v[14], v[15]);
  } else {
    two(v[0], v[1]);
    two(v[2], v[3]);
    two(v[4], v[5]);
    two(v[6], v[7]);
    two(v[8], v[9]);
    two(v[10], v[11]);
    two(v[12], v[13]);
    two(v[14], v[15]);
  }
}

// twist multiplies by the twiddles of a stage, which begin at table.
void twist(uint table, uint span) {
  uint apart = span / 16u, j = lane % apart;
  [[unroll]] for (uint k = 1u; k < 16u; k++) v[k] = times(v[k], twiddles[table + (k - 1u) * apart + j]);
}

// move hands the points over from the places of one stage to those of another, a component after the other.
void move(uint from, uint to) {
  uint start = line * (pm.n + pm.n / 16u + 2u);
  barrier();
  [[unroll]] for (uint k = 0u; k < 16u; k++) {
    uint p = at(from, k);
    part[start + p + p / 16u] = v[k].x;
  }
  barrier();
  [[unroll]] for (uint k = 0u; k < 16u; k++) {
    uint p = at(to, k);
    v[k].x = part[start + p + p / 16u];
  }
  barrier();
  [[unroll]] for (uint k = 0u; k < 16u; k++) {
    uint p = at(from, k);
    part[start + p + p / 16u] = v[k].y;
  }
  barrier();
  [[unroll]] for (uint k = 0u; k < 16u; k++) {
    uint p = at(to, k);
    v[k].y = part[start + p + p / 16u];
  }
}

// forward takes point k at place at(n, k) and leaves it at place at(16, k).
void forward() {
  uint span = pm.n, table = 0u;
  while (span > 16u) {
    sixteen();
    twist(table, span);
    table += 15u * (span / 16u);
    move(span, max(span / 16u, 16u));
    span /= 16u;
  }
  small(span);
}

void swapParts() {
  [[unroll]] for (uint k = 0u; k < 16u; k++) v[k] = v[k].yx;
}

// inverse takes point k at place at(16, k) and leaves it at place at(n, k).
void inverse() {
  uint span = pm.n, table = 0u;
  for (; span > 16u; span /= 16u) table += 15u * (span / 16u);
  swapParts();
  small(span);
  while (span < pm.n) {
    move(max(span, 16u), span * 16u);
    span *= 16u;
    table -= 15u * (span / 16u);
    twist(table, span);
    sixteen();
  }
  swapParts();
}
