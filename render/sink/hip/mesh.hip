// The kernels of the mesh path, included by kernels.hip; package render/mesh has the mathematics, render/sink/vulkan the same in
// GLSL. Events are deposited as integers of their block's own unit, so that no float64 is added atomically. Sums here keep no order
// of spec section 7, so their operations are fused where that saves one.
//
// A transform has n points, 32 to 1024: each thread holds 16 of a line in registers, and as many lines as make 4096 points
// share a block. Decimation in frequency by 16s, then by what is left of n, in place: frequencies come out in the order
// of mesh.Device. The inverse is the mirror image, not scaled; it is the same stages on (im, re).

// mark counts a block as done, without shared memory; every thread calls it once.
static __device__ inline void mark(const grhip_args &a) {
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&a.counters[GRHIP_DONE], 1ull);
}

// A berth is a thread's part of a transform: its line, and its place among the n/16 threads of the line.
struct berth {
  unsigned n, line, lane;
};

// rowwise and columnwise say which threads share a line: neighbours, or those that are all lines apart.
static __device__ inline berth rowwise(unsigned n) { return {n, threadIdx.x / (n / 16), threadIdx.x % (n / 16)}; }
static __device__ inline berth columnwise(unsigned n) {
  unsigned lines = GRHIP_POINTS / n;
  return {n, threadIdx.x % lines, threadIdx.x / lines};
}

// at is where point k lies before and after a stage of a span; the last stage's are neighbours, as for a span of 16.
static __device__ inline unsigned at(const berth &b, unsigned span, unsigned k) {
  unsigned apart = span / 16;
  return b.lane / apart * span + b.lane % apart + k * apart;
}

// bank is where point i of a line lies in shared memory: spread over the banks for threads that share a line and those that do not.
static __device__ inline unsigned bank(const berth &b, unsigned i) { return b.line * b.n + (i ^ (((i >> 4) ^ b.line) & 15)); }

static __device__ inline grhip_complex times(const grhip_complex &x, const grhip_complex &w) {
  double a = x.y * w.y, b = x.y * w.x;
  return {fma(x.x, w.x, -a), fma(x.x, w.y, b)};
}
static __device__ inline grhip_complex plus(const grhip_complex &a, const grhip_complex &b) { return {a.x + b.x, a.y + b.y}; }
static __device__ inline grhip_complex minus(const grhip_complex &a, const grhip_complex &b) { return {a.x - b.x, a.y - b.y}; }
static __device__ inline grhip_complex turned(const grhip_complex &x) { return {x.y, -x.x}; } // exp(-i pi/2) x
static __device__ inline grhip_complex eighth(const grhip_complex &x) {                       // exp(-i pi/4) x
  const double r = 0.70710678118654752440;
  return {(x.x + x.y) * r, (x.y - x.x) * r};
}

static __device__ inline void exchange(grhip_complex &a, grhip_complex &b) {
  grhip_complex c = a;
  a = b;
  b = c;
}

static __device__ inline void radix2(grhip_complex &a, grhip_complex &b) {
  grhip_complex c = minus(a, b);
  a = plus(a, b);
  b = c;
}

// radix4 transforms four points in place, exponent sign -1.
static __device__ inline void radix4(grhip_complex &a, grhip_complex &b, grhip_complex &c, grhip_complex &d) {
  grhip_complex ac = plus(a, c), am = minus(a, c), bd = plus(b, d), bm = turned(minus(b, d));
  a = plus(ac, bd);
  b = plus(am, bm);
  c = minus(ac, bd);
  d = minus(am, bm);
}

static __device__ inline void radix8(grhip_complex *v) {
  radix4(v[0], v[2], v[4], v[6]);
  radix4(v[1], v[3], v[5], v[7]);
  v[3] = eighth(v[3]);
  v[5] = turned(v[5]);
  v[7] = turned(eighth(v[7]));
  for (int k = 0; k < 8; k += 2) radix2(v[k], v[k + 1]);
  // points (k1,k2) hold frequency k1 + 4 k2
  grhip_complex t1 = v[1], t2 = v[2], t3 = v[3];
  v[1] = t2;
  v[2] = v[4];
  v[3] = v[6];
  v[4] = t1;
  v[6] = v[5];
  v[5] = t3;
}

static __device__ inline void radix16(grhip_complex *v) {
  const double c = 0.92387953251128675613, s = 0.38268343236508977173; // of pi/8
  for (int k = 0; k < 4; k++) radix4(v[k], v[k + 4], v[k + 8], v[k + 12]);
  v[5] = times(v[5], {c, -s});
  v[9] = eighth(v[9]);
  v[13] = times(v[13], {s, -c});
  v[6] = eighth(v[6]);
  v[10] = turned(v[10]);
  v[14] = turned(eighth(v[14]));
  v[7] = times(v[7], {s, -c});
  v[11] = turned(eighth(v[11]));
  v[15] = times(v[15], {-c, s});
  for (int k = 0; k < 16; k += 4) radix4(v[k], v[k + 1], v[k + 2], v[k + 3]);
  exchange(v[1], v[4]);
  exchange(v[2], v[8]);
  exchange(v[3], v[12]);
  exchange(v[6], v[9]);
  exchange(v[7], v[13]);
  exchange(v[11], v[14]);
}

// few transforms groups of span points, the last stage of the forward transform and the first of the inverse.
static __device__ inline void few(grhip_complex *v, unsigned span) {
  if (span == 16) {
    radix16(v);
  } else if (span == 8) {
    radix8(v);
    radix8(v + 8);
  } else if (span == 4) {
    for (int k = 0; k < 16; k += 4) radix4(v[k], v[k + 1], v[k + 2], v[k + 3]);
  } else {
    for (int k = 0; k < 16; k += 2) radix2(v[k], v[k + 1]);
  }
}

// pause keeps the compiler from having more than four loads of a run under way: all at once would take more registers than there are.
static __device__ inline void pause(unsigned k) {
  if (k % 4 == 3) asm volatile("" ::: "memory");
}

// twist multiplies by the twiddles of a stage, which begin at table.
static __device__ inline void twist(grhip_complex *v, const berth &b, const grhip_complex *table, unsigned span) {
  unsigned apart = span / 16, j = b.lane % apart;
#pragma unroll
  for (unsigned k = 1; k < 16; k++) {
    v[k] = times(v[k], table[(k - 1) * apart + j]);
    pause(k);
  }
}

// move hands the points over from the places of one stage to those of another, a component after the other.
static __device__ inline void move(grhip_complex *v, double *part, berth b, unsigned from, unsigned to) {
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < 16; k++) part[bank(b, at(b, from, k))] = v[k].x;
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < 16; k++) v[k].x = part[bank(b, at(b, to, k))];
  GRHIP_ANEW(b.lane);
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < 16; k++) part[bank(b, at(b, from, k))] = v[k].y;
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < 16; k++) v[k].y = part[bank(b, at(b, to, k))];
}

// forward takes point k at place at(n, k) and leaves it at place at(16, k).
static __device__ inline void forward(grhip_complex *v, double *part, const berth &b, const grhip_complex *twiddles) {
  unsigned span = b.n;
  while (span > 16) {
    radix16(v);
    twist(v, b, twiddles, span);
    twiddles += 15 * (span / 16);
    move(v, part, b, span, span > 256 ? span / 16 : 16);
    span /= 16;
  }
  few(v, span);
}

static __device__ inline void swap(grhip_complex *v) {
#pragma unroll
  for (unsigned k = 0; k < 16; k++) v[k] = {v[k].y, v[k].x};
}

// inverse takes point k at place at(16, k) and leaves it at place at(n, k).
static __device__ inline void inverse(grhip_complex *v, double *part, const berth &b, const grhip_complex *twiddles) {
  unsigned span = b.n;
  for (; span > 16; span /= 16) twiddles += 15 * (span / 16);
  swap(v);
  few(v, span);
  while (span < b.n) {
    move(v, part, b, span > 16 ? span : 16, span * 16);
    span *= 16;
    twiddles -= 15 * (span / 16);
    twist(v, b, twiddles, span);
    radix16(v);
  }
  swap(v);
}

// Shapes of what is transformed: the image's planes, or the nodes of the error bound.
template <bool rims> static __device__ inline unsigned kinds(const grhip_mesh &m) { return rims ? m.nodes_along * m.nodes_along : m.q * m.q; }
template <bool rims> struct shape {
  static const unsigned slots = rims ? 1 : 3;
};

// A side of a slot is the block of the group, and its colour, that is the real or the imaginary part of a pair's slot.
struct side {
  unsigned block, colour;
};
template <bool rims> static __device__ inline side real(unsigned pair, unsigned slot) { return {2 * pair + (slot == 1 ? 1u : 0u), slot == 2 ? 2u : 0u}; }
template <bool rims> static __device__ inline side imaginary(unsigned pair, unsigned slot) {
  return {2 * pair + (slot == 0 && !rims ? 0u : 1u), slot == 2 ? 2u : 1u};
}

// value is that of a side at a point of a plane.
template <bool rims> static __device__ inline double value(const grhip_mesh &m, const side &h, unsigned kind, unsigned y, unsigned x) {
  if (h.block >= m.blocks) return 0.0;
  const size_t plane = (size_t)m.rows * m.cols, point = (size_t)y * m.cols + x, k = (size_t)h.block * kinds<rims>(m) + kind;
  if (rims) return (double)m.nodes[k * plane + point] * m.places[m.first + h.block].unit;
  return m.planes[(k * 3 + h.colour) * plane + point];
}

// columns transforms the columns of the planes. A block takes neighbouring columns of one kind, slot and pair.
template <bool rims> static __device__ inline void columns(const grhip_args &a) {
  __shared__ double part[GRHIP_POINTS];
  const grhip_mesh &m = a.mesh;
  const berth b = columnwise(m.n);
  const unsigned lines = GRHIP_POINTS / m.n, across = (m.cols + lines - 1) / lines, slots = shape<rims>::slots;
  const unsigned x = blockIdx.x % across * lines + b.line, rest = blockIdx.x / across;
  const unsigned slot = rest % slots, kind = rest / slots % kinds<rims>(m), pair = rest / slots / kinds<rims>(m);
  const side re = real<rims>(pair, slot), im = imaginary<rims>(pair, slot);
  grhip_complex v[16];
#pragma unroll
  for (unsigned k = 0; k < 16; k++) {
    unsigned y = at(b, m.n, k);
    v[k] = {0.0, 0.0};
    if (y < m.rows && x < m.cols) v[k] = {value<rims>(m, re, kind, y, x), value<rims>(m, im, kind, y, x)};
  }
  forward(v, part, b, m.twiddles);
  if (x < m.cols) {
    grhip_complex *mid = m.mid + ((size_t)(pair * slots + slot) * kinds<rims>(m) + kind) * m.n * m.cols + x;
#pragma unroll
    for (unsigned k = 0; k < 16; k++) mid[(size_t)at(b, 16, k) * m.cols] = v[k];
  }
  mark(a);
}

// multiply transforms rows of the half-transformed planes, multiplies them by the kernel spectra, sums over the kinds and
// transforms the rows back. A block takes neighbouring rows of one slot and pair.
template <bool rims> static __device__ inline void multiply(const grhip_args &a) {
  __shared__ double part[GRHIP_POINTS];
  const grhip_mesh &m = a.mesh;
  berth b = rowwise(m.n);
  const unsigned lines = GRHIP_POINTS / m.n, across = (m.n + lines - 1) / lines, slots = shape<rims>::slots;
  const unsigned y = blockIdx.x % across * lines + b.line, slot = blockIdx.x / across % slots, pair = blockIdx.x / across / slots;
  const grhip_complex *spectra = rims ? m.rim_spectra : m.spectra;
  const bool inside = y < m.n; // a block may have more lines than there are
  grhip_complex sum[16], v[16];
#pragma unroll
  for (unsigned k = 0; k < 16; k++) sum[k] = {0.0, 0.0};
  for (unsigned kind = 0; kind < kinds<rims>(m); kind++) {
    GRHIP_ANEW(b.lane);
    const grhip_complex *row = m.mid + (((size_t)(pair * slots + slot) * kinds<rims>(m) + kind) * m.n + y) * m.cols;
#pragma unroll
    for (unsigned k = 0; k < 16; k++) {
      unsigned x = at(b, m.n, k);
      v[k] = {0.0, 0.0};
      if (x < m.cols && inside) v[k] = row[x];
    }
    forward(v, part, b, m.twiddles);
    const grhip_complex *spectrum = spectra + ((size_t)kind * m.n + (inside ? y : 0)) * m.n + b.lane;
#pragma unroll
    for (unsigned k = 0; k < 16; k++) {
      grhip_complex s = spectrum[k * (m.n / 16)];
      sum[k] = {fma(-v[k].y, s.y, fma(v[k].x, s.x, sum[k].x)), fma(v[k].y, s.x, fma(v[k].x, s.y, sum[k].y))};
      pause(k);
    }
  }
  inverse(sum, part, b, m.twiddles);
  if (inside) {
    grhip_complex *row = m.sums + ((size_t)(pair * slots + slot) * m.n + y) * m.n;
#pragma unroll
    for (unsigned k = 0; k < 16; k++) row[at(b, m.n, k)] = sum[k];
  }
  mark(a);
}

// raise notes the largest modulus of a block of the group, over the threads of this block. They order as their bits do.
static __device__ inline void raise(const grhip_mesh &m, double *part, unsigned block, bool rims, double mine) {
  const unsigned t = threadIdx.x;
  __syncthreads();
  part[t] = mine;
  for (unsigned step = GRHIP_BLOCK / 2; step > 0; step /= 2) {
    __syncthreads();
    if (t < step) part[t] = fmax(part[t], part[t + step]);
  }
  if (t != 0 || block >= m.blocks) return;
  union {
    double modulus;
    grhip_u64 bits;
  } u = {part[0]};
  atomicMax(&m.peaks[2 * (m.first + block) + (rims ? 1 : 0)], u.bits);
}

// back transforms the columns back, which makes two real results, each a colour of a block, and notes their largest moduli, of
// the rims nothing else. A block takes neighbouring columns of one slot and pair.
template <bool rims> static __device__ inline void back(const grhip_args &a) {
  __shared__ double part[GRHIP_POINTS];
  const grhip_mesh &m = a.mesh;
  const berth b = columnwise(m.n);
  const unsigned lines = GRHIP_POINTS / m.n, across = (m.n + lines - 1) / lines, slots = shape<rims>::slots;
  const unsigned x = blockIdx.x % across * lines + b.line, slot = blockIdx.x / across % slots, pair = blockIdx.x / across / slots;
  const size_t square = (size_t)m.n * m.n;
  const grhip_complex *sums = m.sums + (pair * slots + slot) * square + x;
  const bool inside = x < m.n;
  grhip_complex v[16];
#pragma unroll
  for (unsigned k = 0; k < 16; k++) {
    v[k] = {0.0, 0.0};
    if (inside) v[k] = sums[(size_t)at(b, 16, k) * m.n];
  }
  inverse(v, part, b, m.twiddles);
  const side re = real<rims>(pair, slot), im = imaginary<rims>(pair, slot);
  double most[2] = {0.0, 0.0};
#pragma unroll
  for (unsigned k = 0; k < 16; k++) {
    most[0] = fmax(most[0], fabs(v[k].x));
    most[1] = fmax(most[1], fabs(v[k].y));
    const size_t y = (size_t)at(b, m.n, k) * m.n;
    if (!rims && inside && re.block < m.blocks) m.results[(re.block * 3 + re.colour) * square + y + x] = v[k].x;
    if (!rims && inside && im.block < m.blocks) m.results[(im.block * 3 + im.colour) * square + y + x] = v[k].y;
  }
  raise(m, part, re.block, rims, most[0]);
  raise(m, part, im.block, rims, most[1]);
  mark(a);
}

extern "C" __global__ void __launch_bounds__(GRHIP_BLOCK) grhip_mesh_forward(grhip_args a) { columns<false>(a); }
extern "C" __global__ void __launch_bounds__(GRHIP_BLOCK) grhip_mesh_multiply(grhip_args a) { multiply<false>(a); }
extern "C" __global__ void __launch_bounds__(GRHIP_BLOCK) grhip_mesh_inverse(grhip_args a) { back<false>(a); }
extern "C" __global__ void __launch_bounds__(GRHIP_BLOCK) grhip_rims_forward(grhip_args a) { columns<true>(a); }
extern "C" __global__ void __launch_bounds__(GRHIP_BLOCK) grhip_rims_multiply(grhip_args a) { multiply<true>(a); }
extern "C" __global__ void __launch_bounds__(GRHIP_BLOCK) grhip_rims_inverse(grhip_args a) { back<true>(a); }
