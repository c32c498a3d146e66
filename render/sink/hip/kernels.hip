// The kernels of the HIP backend. One source for every route: AMD code objects (device.h), a CPU and CUDA (tools/hipcpu).
// Built without contraction: each operation of a contribution is rounded, in the order of spec section 7, as in Go and
// GLSL, and what is fused is written so: the float64 sums of lists that were cut, which keep no order anyway. The double atomic
// add of the target is a compare-and-swap loop, so float64 sums are owned by the thread of a pixel, and only integers are added
// atomically. On consumer GPUs a float64 operation costs 16 to 32 float32 ones, so that a pixel costs as few as may be.
#include <hip/hip_runtime.h>

#include "args.h"

typedef unsigned long long grhip_u64;
typedef struct {
  grhip_u64 word[2];
} __attribute__((aligned(16), may_alias)) sixteen; // bytes of a star

static __device__ inline int smaller(int a, int b) { return a < b ? a : b; }
static __device__ inline int larger(int a, int b) { return a > b ? a : b; }

// phase splits a coordinate into pixel, phase and remainder: psf.Kernel's phase.
static __device__ inline double phase(double x, int phases, int *pixel, int *p) {
  double whole = floor(x);
  double scaled = (double)phases * (x - whole);
  double at = floor(scaled);
  if (at >= (double)phases) at = (double)(phases - 1); // x a rounding below the next integer
  *pixel = (int)whole;
  *p = (int)at;
  return scaled - at;
}

// finish counts a block's work, by one of the counters; every thread calls it once.
static __device__ inline void finish(const grhip_args &a, unsigned mine, int counter = GRHIP_PAIRS) {
  __shared__ unsigned pairs;
  if (threadIdx.x == 0) pairs = 0;
  __syncthreads();
  if (mine) atomicAdd(&pairs, mine);
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (pairs) atomicAdd(&a.counters[counter], (grhip_u64)pairs);
  atomicAdd(&a.counters[GRHIP_DONE], 1ull);
}

// grhip_prepare computes once what depends on the event alone: one thread an event.
extern "C" __global__ void __launch_bounds__(GRHIP_BLOCK) grhip_prepare(grhip_args a) {
  unsigned i = blockIdx.x * GRHIP_BLOCK + threadIdx.x;
  if (i < a.n) {
    const double *e = a.events + (size_t)i * GRHIP_EVENT;
    double support = e[6] < (double)a.radius ? e[6] : (double)a.radius;
    int px, py;
    grhip_star s;
    s.x = e[0];
    s.y = e[1];
    s.s2 = support * support;
    double tx = phase(s.x, a.phases, &s.ix, &px);
    double ty = phase(s.y, a.phases, &s.iy, &py);
    double ux = 1.0 - tx, uy = 1.0 - ty;
    s.b00 = ux * uy;
    s.b10 = tx * uy;
    s.b01 = ux * ty;
    s.b11 = tx * ty;
    double most = 0.0;
    for (int c = 0; c < 3; c++) {
      s.f[c] = e[5] * e[2 + c] * a.scale;
      most = fmax(most, fabs(s.f[c]));
    }
    s.far = !(most * a.peak < 0x1p50);
    s.at = (py * (a.phases + 1) + px) * a.grid + (a.radius - s.iy) * a.stride + a.radius - s.ix;
    a.stars[i] = s;
  }
  finish(a, 0);
}

// lit is the one footprint: (i-x)^2 + (j-y)^2 <= s^2, each operation rounded.
static __device__ inline bool lit(const grhip_star &s, int i, int j) {
  double dx = (double)i - s.x, dy = (double)j - s.y;
  double dx2 = dx * dx, dy2 = dy * dy;
  return dx2 + dy2 <= s.s2;
}

// margin bounds the error of `over`, whose coordinates are relative to a tile's corner or a pixel near by, none beyond
// d = radius + tile: each rounding moves one by less than 2^-24 d, the squares by less than 6 2^-24 d^2 each, and they, the
// support's and the sums' rounding by less than 2^-20 d^2 together. Where it is nearer to zero, float64 decides.
static __device__ inline float margin(const grhip_args &a) {
  float d = (float)(a.radius + GRHIP_TILE_H);
  return d * d * 0x1p-20f;
}

// over is (dx^2 + dy^2) - s^2 in float32.
static __device__ inline float over(float dx, float dy, float s2) { return fmaf(dy, dy, fmaf(dx, dx, -s2)); }

// weight is the bilinear mix of the four nearest phases for the pixel at index q of the first one's grid.
template <bool fused> static __device__ inline double weight(const grhip_args &a, const grhip_star &s, unsigned q) {
  const double *__restrict__ k = a.weights;
  const unsigned right = (unsigned)a.grid, below = (unsigned)(a.phases + 1) * right;
  double k00 = k[q], k10 = k[q + right], k01 = k[q + below], k11 = k[q + below + right];
  if (fused) return fma(s.b11, k11, fma(s.b01, k01, fma(s.b10, k10, s.b00 * k00)));
  double w0 = s.b00 * k00, w1 = s.b10 * k10, w2 = s.b01 * k01, w3 = s.b11 * k11;
  double w = w0 + w1;
  w = w + w2;
  return w + w3;
}

// quanta rounds to the nearest integer, ties to even. Stars come in quanta; a power of two moves no rounding. Below 2^51 one
// addition does it: x + 1.5*2^52, whose unit is 1, has the integer in its lower bits.
template <bool far> static __device__ inline long long quanta(double x) {
  if (far) return __double2ll_rn(x);
  union {
    double sum;
    long long bits;
  } u = {x + 0x1.8p52};
  return u.bits - 0x4338000000000000ll;
}

// add adds the contributions of a star to the sums of two pixels of those weights.
template <bool fused> static __device__ inline void add(double sum[2][3], const double w[2], const grhip_star &s) {
  for (int p = 0; p < 2; p++)
    for (int c = 0; c < 3; c++) {
      double product = w[p] * s.f[c];
      sum[p][c] = fused ? fma(w[p], s.f[c], sum[p][c]) : sum[p][c] + product;
    }
}
template <bool> static __device__ inline void add(long long sum[2][3], const double w[2], const grhip_star &s) {
  if (s.far) {
    for (int p = 0; p < 2; p++)
      for (int c = 0; c < 3; c++) sum[p][c] += quanta<true>(w[p] * s.f[c]);
  } else {
    for (int p = 0; p < 2; p++)
      for (int c = 0; c < 3; c++) sum[p][c] += quanta<false>(w[p] * s.f[c]);
  }
}

// splat walks the rows of one star and adds quanta to the frame; it returns the pixels that it lit. The run of a row is guessed
// generously, and starts on a multiple of four pixels, so that neighbours add to whole memory sectors.
template <bool far> static __device__ inline unsigned splat(const grhip_args &a, const grhip_star &s, int lane) {
  grhip_u64 *frame = (grhip_u64 *)a.frame;
  const size_t plane = (size_t)a.w * a.h;
  const int y1 = smaller(s.iy + a.radius + 1, a.h - 1);
  const float across = (float)(s.x - (double)s.ix), s2 = (float)s.s2, rim = margin(a);
  unsigned mine = 0;
  for (int y = larger(s.iy - a.radius, 0); y <= y1; y++) {
    float down = (float)((double)y - s.y), h = rim - over(0.0f, down, s2);
    if (!(h >= 0.0f)) continue;
    h = sqrtf(h) + 0.01f;
    int x0 = larger(s.ix + (int)floorf(across - h), 0) & ~3, x1 = smaller(s.ix + (int)ceilf(across + h), a.w - 1);
    int at = s.at + y * a.stride;
    for (int x = x0 + lane; x <= x1; x += GRHIP_LANES) {
      float o = over((float)(x - s.ix) - across, down, s2);
      if (o > rim || (o >= -rim && !lit(s, x, y))) continue;
      double w = weight<false>(a, s, (unsigned)(at + x));
      grhip_u64 *pixel = frame + (size_t)y * a.w + x;
      for (int c = 0; c < 3; c++) atomicAdd(pixel + c * plane, (grhip_u64)quanta<far>(w * s.f[c]));
      mine++;
    }
  }
  return mine;
}

// grhip_atomic_i64: 32 neighbouring threads take a star.
extern "C" __global__ void __launch_bounds__(GRHIP_BLOCK) grhip_atomic_i64(grhip_args a) {
  unsigned star = blockIdx.x * (GRHIP_BLOCK / GRHIP_LANES) + threadIdx.x / GRHIP_LANES, mine = 0;
  if (star < a.n) {
    const grhip_star s = a.stars[star];
    const int lane = threadIdx.x % GRHIP_LANES;
    mine = s.far ? splat<true>(a, s, lane) : splat<false>(a, s, lane);
  }
  finish(a, mine);
}

// beyond is the distance of v from the run of n pixels that starts at v0, 0 inside.
static __device__ inline double beyond(double v, int v0, int n) {
  double low = (double)v0, high = (double)(v0 + n - 1);
  return v < low ? low - v : v > high ? v - high : 0.0;
}

// reaches says whether a star may light a pixel of the tile at (x0,y0). Rounding is monotone, so that no pixel of the tile is
// nearer than what is tested here: no lit one escapes.
static __device__ inline bool reaches(const grhip_star &s, int x0, int y0) {
  double dx = beyond(s.x, x0, GRHIP_TILE_W), dy = beyond(s.y, y0, GRHIP_TILE_H);
  double dx2 = dx * dx, dy2 = dy * dy;
  return dx2 + dy2 <= s.s2;
}

// A star in shared memory, and before it what says in float32 where it shines: its position from the tile's corner.
struct __attribute__((aligned(16))) staged {
  float x, y, s2;
  int at;
  grhip_star star;
};

// tile sums the stars of an item over one tile, in the order of the list. The block looks at 256 stars at a time and keeps those
// that reach its tile; every thread adds them to the sums of its two pixels, one below the other, in registers.
template <class Sum, bool fused> static __device__ inline void tile(const grhip_args &a) {
  __shared__ staged stage[GRHIP_STAGE];
  __shared__ unsigned hits[GRHIP_BLOCK], mask[GRHIP_BLOCK / 32];
  const grhip_item item = a.items[blockIdx.x / GRHIP_TILES];
  const unsigned t = threadIdx.x, square = blockIdx.x % GRHIP_TILES;
  const int x0 = (int)(item.cell % a.cells) * GRHIP_CELL + (int)(square % GRHIP_SIDE) * GRHIP_TILE_W;
  const int y0 = (int)(item.cell / a.cells) * GRHIP_CELL + (int)(square / GRHIP_SIDE) * GRHIP_TILE_H;
  const int tx = (int)(t % GRHIP_TILE_W), ty = (int)(t / GRHIP_TILE_W) * 2;
  const int x = x0 + tx, y = y0 + ty;
  const bool whole = item.slot == GRHIP_WHOLE, upper = x < a.w && y < a.h, lower = x < a.w && y + 1 < a.h;
  const size_t plane = (size_t)a.w * a.h;
  Sum *pixel = (Sum *)a.frame + (size_t)y * a.w + x;
  Sum sum[2][3] = {};
  if (whole)
    for (int c = 0; c < 3; c++) {
      if (upper) sum[0][c] = pixel[c * plane];
      if (lower) sum[1][c] = pixel[c * plane + a.w];
    }
  const float fx = (float)tx, fy = (float)ty, rim = margin(a);
  const float rim0 = upper ? rim : -3e38f, rim1 = lower ? rim : -3e38f; // no star covers what is off the frame
  const int q = y * a.stride + x;
  unsigned mine = 0;
  const unsigned count = x0 < a.w && y0 < a.h ? item.count : 0;
  for (unsigned base = 0; base < count; base += GRHIP_BLOCK) {
    if (t < GRHIP_BLOCK / 32) mask[t] = 0;
    __syncthreads();
    unsigned id = 0;
    bool hit = false;
    if (base + t < count) {
      id = a.lists[item.first + base + t];
      hit = reaches(a.stars[id], x0, y0);
      if (hit) atomicOr(&mask[t / 32], 1u << (t % 32));
    }
    __syncthreads();
    unsigned total = 0, rank = 0;
    for (unsigned k = 0; k < GRHIP_BLOCK / 32; k++) {
      if (k == t / 32) rank = total + __popc(mask[k] & ((1u << (t % 32)) - 1));
      total += __popc(mask[k]);
    }
    if (hit) hits[rank] = id;
    __syncthreads();
    for (unsigned from = 0; from < total; from += GRHIP_STAGE) {
      const unsigned n = total - from < GRHIP_STAGE ? total - from : GRHIP_STAGE;
      for (unsigned k = t; k < n * 6; k += GRHIP_BLOCK) // sixteen bytes a thread
        ((sixteen *)&stage[k / 6].star)[k % 6] = ((const sixteen *)(a.stars + hits[from + k / 6]))[k % 6];
      if (t < n) {
        const grhip_star &s = a.stars[hits[from + t]];
        stage[t].x = (float)(s.x - (double)x0);
        stage[t].y = (float)(s.y - (double)y0);
        stage[t].s2 = (float)s.s2;
        stage[t].at = s.at;
      }
      __syncthreads();
      for (const staged *now = stage, *end = stage + n; now != end; now++) {
        const float dx = fx - now->x, dy = fy - now->y;
        const float over0 = over(dx, dy, now->s2), over1 = over(dx, dy + 1.0f, now->s2);
        const unsigned at0 = (unsigned)(now->at + q), at1 = at0 + (unsigned)a.stride;
        bool in0 = over0 <= rim0, in1 = over1 <= rim1;
        if (!in0 && !in1) continue;
        const grhip_star &s = now->star;
        if ((in0 && over0 >= -rim) || (in1 && over1 >= -rim)) { // float32 leaves it open
          in0 = in0 && lit(s, x, y);
          in1 = in1 && lit(s, x, y + 1);
          if (!in0 && !in1) continue;
        }
        // Where one of the two is unlit, its weight is read at the other and not used: adding zero changes no sum.
        double w[2] = {weight<fused>(a, s, in0 ? at0 : at1), weight<fused>(a, s, in1 ? at1 : at0)};
        if (!in0) w[0] = 0.0;
        if (!in1) w[1] = 0.0;
        add<fused>(sum, w, s);
        mine += (unsigned)in0 + (unsigned)in1;
      }
      __syncthreads();
    }
  }
  if (!whole) {
    Sum *slot = (Sum *)a.partials + (size_t)(item.slot + square) * 3 * GRHIP_PIXELS + ty * GRHIP_TILE_W + tx;
    for (int c = 0; c < 3; c++) {
      slot[c * GRHIP_PIXELS] = sum[0][c];
      slot[c * GRHIP_PIXELS + GRHIP_TILE_W] = sum[1][c];
    }
  } else {
    for (int c = 0; c < 3; c++) {
      if (upper) pixel[c * plane] = sum[0][c];
      if (lower) pixel[c * plane + a.w] = sum[1][c];
    }
  }
  finish(a, mine);
}

extern "C" __global__ void __launch_bounds__(GRHIP_BLOCK, 3) grhip_tile16_f64(grhip_args a) { tile<double, false>(a); }
extern "C" __global__ void __launch_bounds__(GRHIP_BLOCK, 3) grhip_pieces_f64(grhip_args a) { tile<double, true>(a); }
extern "C" __global__ void __launch_bounds__(GRHIP_BLOCK, 3) grhip_tile16_i64(grhip_args a) { tile<long long, false>(a); }

// merge adds the partial sums of one tile, slot by slot in order, then once to the frame.
template <class Sum> static __device__ inline void merge(const grhip_args &a) {
  const grhip_merge m = a.merges[blockIdx.x / GRHIP_TILES];
  const unsigned square = blockIdx.x % GRHIP_TILES;
  for (unsigned t = threadIdx.x; t < GRHIP_PIXELS; t += GRHIP_BLOCK) {
    const int x = (int)(m.cell % a.cells) * GRHIP_CELL + (int)(square % GRHIP_SIDE * GRHIP_TILE_W + t % GRHIP_TILE_W);
    const int y = (int)(m.cell / a.cells) * GRHIP_CELL + (int)(square / GRHIP_SIDE * GRHIP_TILE_H + t / GRHIP_TILE_W);
    for (int c = 0; x < a.w && y < a.h && c < 3; c++) {
      const Sum *slot = (const Sum *)a.partials + (size_t)(m.first + square) * 3 * GRHIP_PIXELS + c * GRHIP_PIXELS + t;
      Sum sum = 0;
      for (unsigned k = 0; k < m.count; k++) sum = sum + slot[(size_t)k * GRHIP_TILES * 3 * GRHIP_PIXELS];
      Sum *pixel = (Sum *)a.frame + (size_t)c * a.w * a.h + (size_t)y * a.w + x;
      *pixel = *pixel + sum;
    }
  }
  finish(a, 0);
}

extern "C" __global__ void __launch_bounds__(GRHIP_BLOCK) grhip_merge_f64(grhip_args a) { merge<double>(a); }
extern "C" __global__ void __launch_bounds__(GRHIP_BLOCK) grhip_merge_i64(grhip_args a) { merge<long long>(a); }

// grhip_carry moves the high part of every exact sum into its second word: value = high * 2^32 + low, 0 <= low < 2^32
// afterwards.
extern "C" __global__ void __launch_bounds__(GRHIP_BLOCK) grhip_carry(grhip_args a) {
  unsigned i = blockIdx.x * GRHIP_BLOCK + threadIdx.x;
  if (i < a.n) {
    long long *low = (long long *)a.frame;
    long long v = low[i];
    a.high[i] += v >> 32;
    low[i] = v & 0xffffffffll;
  }
  finish(a, 0);
}

#include "mesh.hip"
#include "mesh_lattice.hip"
