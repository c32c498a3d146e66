// The kernels of the mesh path around its transforms: from events to lattices, to planes, and from results to the frame.

// A point of a lattice along one axis, and how far beyond it an event lies.
struct axis {
  unsigned point;
  double beyond;
};

static __device__ inline axis along(const grhip_mesh &m, double x, int first) {
  int pixel, p;
  double t = phase(x, (int)m.p, &pixel, &p);
  return {(unsigned)((pixel - first) * (int)m.p + p), t};
}

static __device__ inline void count(int64_t *sum, double units) { atomicAdd((grhip_u64 *)sum, (grhip_u64)__double2ll_rn(units)); }

// spread adds an event to the nodes around its lattice point, for the bound at the rims: upwards to whole units.
static __device__ inline void spread(const grhip_mesh &m, unsigned block, const axis &x, const axis &y, double most) {
  const unsigned per = m.p / m.nodes_along;
  const double fx = ((double)(x.point % per) + x.beyond) * m.node, fy = ((double)(y.point % per) + y.beyond) * m.node;
  const double wx[2] = {1.0 - fx, fx}, wy[2] = {1.0 - fy, fy};
  const size_t plane = (size_t)m.rows * m.cols;
  for (unsigned j = 0; j < 2; j++)
    for (unsigned i = 0; i < 2; i++) {
      double up = -floor(-(most * wx[i] * wy[j]));
      if (up == 0.0) continue;
      unsigned nx = x.point / per + i, ny = y.point / per + j;
      unsigned kind = ny % m.nodes_along * m.nodes_along + nx % m.nodes_along;
      size_t row = ny / m.nodes_along + (unsigned)m.margin, column = nx / m.nodes_along + (unsigned)m.margin;
      count(m.nodes + ((size_t)block * m.nodes_along * m.nodes_along + kind) * plane + row * m.cols + column, up);
    }
}

// grhip_mesh_deposit puts the events of the group's blocks on their lattices: one thread an event. The four points' weights are
// those of psf.Kernel.Mix.
extern "C" __global__ void __launch_bounds__(GRHIP_BLOCK) grhip_mesh_deposit(grhip_args a) {
  const grhip_mesh &m = a.mesh;
  const unsigned i = blockIdx.x * GRHIP_BLOCK + threadIdx.x;
  const unsigned block = i < a.n ? m.slots[i] - m.first : GRHIP_UNMESHED; // one before the group's wraps around
  const bool mine = block < m.blocks;
  if (mine) {
    const double *e = a.events + (size_t)i * GRHIP_EVENT;
    const grhip_place place = m.places[m.first + block];
    const axis x = along(m, e[0], place.x), y = along(m, e[1], place.y);
    const double ux = 1.0 - x.beyond, uy = 1.0 - y.beyond, flux = e[5] * place.scale;
    const size_t edge = (size_t)m.edge;
    int64_t *point = m.lattice + (size_t)block * 3 * edge * edge + y.point * edge + x.point;
    double most = 0.0;
    for (int c = 0; c < 3; c++, point += edge * edge) {
      const double f = flux * e[2 + c], left = f * ux, right = f * x.beyond;
      count(point, left * uy);
      count(point + 1, right * uy);
      count(point + edge, left * y.beyond);
      count(point + edge + 1, right * y.beyond);
      most = fmax(most, fabs(f));
    }
    spread(m, block, x, y, most);
  }
  finish(a, mine, GRHIP_MESHED);
}

// grhip_mesh_filter filters a lattice of P points a pixel to Q a pixel, down its columns and then along its rows, and deals the
// values out to the phase planes. A block makes GRHIP_WIDE neighbouring columns of `high` rows of filtered points.
extern "C" __global__ void __launch_bounds__(GRHIP_BLOCK) grhip_mesh_filter(grhip_args a) {
  __shared__ double tile[GRHIP_FILTERED], taps[GRHIP_TAPS + 2 * (GRHIP_EACH - 1) * GRHIP_RATIO];
  const grhip_mesh &m = a.mesh;
  const int t = (int)threadIdx.x, d = (int)(m.p / m.q), taken = (int)m.count, high = (int)m.high;
  const unsigned wide = (m.q * m.cols + GRHIP_WIDE - 1) / GRHIP_WIDE, tall = (m.q * m.rows + m.high - 1) / m.high;
  const unsigned x0 = blockIdx.x % wide * GRHIP_WIDE, y0 = blockIdx.x / wide % tall * m.high, plane = blockIdx.x / wide / tall;
  const int u0 = ((int)x0 - m.margin * (int)m.q) * d - taken / 2, v0 = ((int)y0 - m.margin * (int)m.q) * d - taken / 2;
  const int reach = (GRHIP_WIDE - 1) * d + taken, stride = reach | 1; // odd, so that rows lie in different banks
  const int64_t *lattice = m.lattice + (size_t)plane * m.edge * m.edge;
  const double unit = m.places[m.first + plane / 3].unit;
  // zeros around the taps, where neighbouring values that are made together do not share a point
  const int apart = (GRHIP_EACH - 1) * GRHIP_RATIO;
  if (t < GRHIP_TAPS + 2 * apart) taps[t] = t >= apart && t < apart + taken ? m.taps[t - apart] : 0.0;
  __syncthreads();
  for (int i = t; i < reach * high / GRHIP_ROWS; i += GRHIP_BLOCK) {
    const int c = i % reach, r0 = i / reach * GRHIP_ROWS, u = u0 + c;
    double sum[GRHIP_ROWS] = {};
    for (int v = 0; v < (GRHIP_ROWS - 1) * d + taken; v++) {
      const int y = v0 + r0 * d + v;
      const bool inside = u >= 0 && u < m.edge && y >= 0 && y < m.edge;
      const double x = inside ? (double)lattice[(size_t)y * m.edge + u] : 0.0;
#pragma unroll
      for (int r = 0; r < GRHIP_ROWS; r++) sum[r] = fma(taps[apart + v - r * d], x, sum[r]);
    }
#pragma unroll
    for (int r = 0; r < GRHIP_ROWS; r++) tile[(r0 + r) * stride + c] = sum[r] * unit;
  }
  __syncthreads();
  // a thread makes GRHIP_EACH neighbouring values of a row
  const int row = t % high, from = t / high * GRHIP_EACH;
  double sum[GRHIP_EACH] = {};
  if (from < GRHIP_WIDE)
    for (int u = 0; u < (GRHIP_EACH - 1) * d + taken; u++) {
      const double x = tile[row * stride + from * d + u];
#pragma unroll
      for (int r = 0; r < GRHIP_EACH; r++) sum[r] = fma(taps[apart + u - r * d], x, sum[r]);
    }
  __syncthreads();
  const int filtered = GRHIP_WIDE + 1; // row length from now on, odd again
  if (from < GRHIP_WIDE)
#pragma unroll
    for (int r = 0; r < GRHIP_EACH; r++) tile[row * filtered + from + r] = sum[r];
  __syncthreads();
  // neighbouring threads write one plane, where the planes divide the tile
  const unsigned several = GRHIP_WIDE % m.q == 0 ? m.q : 1, each = GRHIP_WIDE / several;
  for (unsigned k = (unsigned)t; k < GRHIP_WIDE * m.high; k += GRHIP_BLOCK) {
    const unsigned r = k / GRHIP_WIDE, c = k % GRHIP_WIDE % each * several + k % GRHIP_WIDE / each, x = x0 + c, y = y0 + r;
    if (x >= m.q * m.cols || y >= m.q * m.rows) continue;
    const unsigned kind = y % m.q * m.q + x % m.q;
    const size_t to = ((size_t)(plane / 3) * m.q * m.q + kind) * 3 + plane % 3;
    m.planes[to * m.rows * m.cols + (size_t)(y / m.q) * m.cols + x / m.q] = tile[r * (unsigned)filtered + c];
  }
  mark(a);
}

// grhip_mesh_paste adds a block's result to the frame, unless its bound is above the limit: a thread a pixel, n^2 in all,
// which is whole blocks.
extern "C" __global__ void __launch_bounds__(GRHIP_BLOCK) grhip_mesh_paste(grhip_args a) {
  const grhip_mesh &m = a.mesh;
  const unsigned i = blockIdx.x * GRHIP_BLOCK + threadIdx.x, at = m.first + m.block;
  const double *peaks = (const double *)(m.peaks + 2 * at);
  const bool keep = peaks[0] == 0.0 || peaks[1] <= m.room * peaks[0];
  const int x = m.places[at].x - a.radius + (int)(i % m.n), y = m.places[at].y - a.radius + (int)(i / m.n);
  if (keep && x >= 0 && y >= 0 && x < a.w && y < a.h)
    for (unsigned c = 0; c < 3; c++) {
      double *pixel = (double *)a.frame + (size_t)c * a.w * a.h + (size_t)y * a.w + x;
      *pixel = *pixel + m.results[(size_t)(m.block * 3 + c) * m.n * m.n + i];
    }
  mark(a);
}
