// Gridding against the phase lattice, for render/mesh: what does an event cost on its way to the convolved grid?
//
//     gcc -O3 -march=native -o gridding tools/gridding/c/gridding.c && ./gridding
//
// The mesh convolves a grid of Q = 4 points a pixel (render/mesh/filter.go). Two ways lead there, with equal results:
//
//   lattice  an event adds to the 4 points around it on the PSF's lattice of P = 8 points a pixel, 12 additions, and the tile's
//            lattice is filtered along rows and columns by 25 taps: a cost a tile, whatever the number of events;
//   gridding as type-1 non-uniform transforms do, an event spreads over all grid points within the filter's reach, 13 x 13
//            with three colours, 507 multiply-adds: its weights along an axis are the linear mix of the filter's taps
//            at the two lattice points beside it, so that the bilinear phases survive exactly.
//
// It prints the largest difference of the two, which is rounding, and nanoseconds an event for tiles of ever more events (up to
// the given number, a million by default); it fails when the two differ by more than rounding.
//
// Seen on one core of an AMD Zen 4, beside other work: an event costs 90 to 150 ns spread, 10 to 20 ns deposited; the filter as written
// here takes 2 ms a tile of 32 px, render/mesh's own 0.2 to 0.5 (BenchmarkBlock/avx512/tile). So gridding would win below some
// 2,000 to 4,000 events a tile. Ten million events over a 4K frame are 1,200 a tile: there it would save the filter's time,
// a sixth of the whole, less what spreading and sorting the grid into planes take; in fewer than 130 a tile stamps win. The mesh keeps
// the lattice, which is the faster the denser the field is. A wider window of another design gains nothing: 13 points an
// axis are what 1e-15 of the peak takes (render/mesh/filter.go).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TILE = 32, P = 8, Q = 4, D = P / Q, HALF = 12, TAPS = 2 * HALF + 1, NODES = 13 };
enum { POINTS = TILE * P + 1, HALO = HALF, ROWS = POINTS + 2 * HALO, STRIDE = (3 * ROWS + 5) & ~7 }; // of the lattice
enum { GRID = TILE * Q + 1 + 2 * (HALF / D), PITCH = (3 * GRID + 13) & ~7 };

typedef struct { double x, y, rgb[3]; } event;

static double taps[TAPS];
static double nodes[2][2][NODES]; // taps on the grid of a lattice point of a parity, and of the next point, from the same node on

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

// tap is the weight of lattice point u at grid point g, which lie D g - u lattice points apart.
static double tap(int u, int g) {
  int k = D * g - u;
  return abs(k) <= HALF ? taps[k + HALF] : 0;
}

static void prepare(void) {
  for (int k = 0; k < TAPS; k++) taps[k] = exp(-0.05 * (k - HALF) * (k - HALF));
  for (int odd = 0; odd < 2; odd++)
    for (int next = 0; next < 2; next++)
      for (int k = 0; k < NODES; k++) nodes[odd][next][k] = tap(odd + next, k - HALF / D + odd);
}

static void spread(double *restrict grid, const event *e, int n) {
  for (int i = 0; i < n; i++) {
    double u = e[i].x * P, v = e[i].y * P, wx[NODES], wy[NODES], row[3 * NODES];
    int iu = (int)u, iv = (int)v;
    double tx = u - iu, ty = v - iv;
    for (int k = 0; k < NODES; k++) {
      wx[k] = (1 - tx) * nodes[iu & 1][0][k] + tx * nodes[iu & 1][1][k];
      wy[k] = (1 - ty) * nodes[iv & 1][0][k] + ty * nodes[iv & 1][1][k];
    }
    for (int k = 0; k < NODES; k++)
      for (int c = 0; c < 3; c++) row[3 * k + c] = wx[k] * e[i].rgb[c];
    double *p = grid + (size_t)((iv + 1) / D) * PITCH + 3 * ((iu + 1) / D); // node -HALF/D lies at element 0
    for (int j = 0; j < NODES; j++, p += PITCH)
      for (int k = 0; k < 3 * NODES; k++) p[k] += wy[j] * row[k];
  }
}

static void deposit(double *restrict lattice, const event *e, int n) {
  for (int i = 0; i < n; i++) {
    double u = e[i].x * P, v = e[i].y * P;
    int iu = (int)u, iv = (int)v;
    double tx = u - iu, ty = v - iv;
    double *p = lattice + (size_t)(iv + HALO) * STRIDE + 3 * (iu + HALO), *q = p + STRIDE;
    for (int c = 0; c < 3; c++) {
      double f = e[i].rgb[c];
      p[c] += (1 - tx) * (1 - ty) * f;
      p[c + 3] += tx * (1 - ty) * f;
      q[c] += (1 - tx) * ty * f;
      q[c + 3] += tx * ty * f;
    }
  }
}

// filter brings a lattice down to the grid, rows first. Colours are taken apart before the columns, so that both steps run along
// contiguous memory.
static void filter(double *restrict grid, const double *restrict lattice) {
  static double line[STRIDE], plane[3][D][ROWS];
  for (int g = 0; g < GRID; g++) {
    int v = D * (g - HALF / D); // lattice row of the grid row
    memset(line, 0, sizeof line);
    for (int k = -HALF; k <= HALF; k++) {
      if (v + k < 0 || v + k >= POINTS) continue;
      const double *src = lattice + (size_t)(v + k + HALO) * STRIDE;
      for (int i = 0; i < 3 * ROWS; i++) line[i] += taps[k + HALF] * src[i];
    }
    for (int u = 0; u < ROWS; u++)
      for (int c = 0; c < 3; c++) plane[c][u % D][u / D] = line[3 * u + c];
    for (int c = 0; c < 3; c++) {
      double out[GRID] = {0};
      for (int k = -HALF; k <= HALF; k++) { // grid column h reads lattice column D h + k, counted from the halo
        int first = (HALO - HALF + k + 4 * D * HALF) / D - 4 * HALF, odd = (k + HALO + 4 * D * HALF) % D;
        for (int h = first < 0 ? -first : 0; h < GRID && h + first < ROWS / D; h++) out[h] += taps[k + HALF] * plane[c][odd][h + first];
      }
      for (int h = 0; h < GRID; h++) grid[(size_t)g * PITCH + 3 * h + c] += out[h];
    }
  }
}

static event *scatter(int n) {
  event *e = malloc(n * sizeof *e);
  for (int i = 0; i < n; i++) {
    e[i].x = TILE * (rand() / (RAND_MAX + 1.0));
    e[i].y = TILE * (rand() / (RAND_MAX + 1.0));
    for (int c = 0; c < 3; c++) e[i].rgb[c] = rand() / (RAND_MAX + 1.0);
  }
  return e;
}

static int ascending(const void *a, const void *b) {
  double d = *(const double *)a - *(const double *)b;
  return (d > 0) - (d < 0);
}

int main(int argc, char **argv) {
  enum { ROUNDS = 9 };
  int most = argc > 1 ? atoi(argv[1]) : 1000000, failed = 0;
  const size_t gridBytes = (size_t)GRID * PITCH * 8, latticeBytes = (size_t)(ROWS + 1) * STRIDE * 8;
  double *a = aligned_alloc(64, gridBytes + 64), *b = aligned_alloc(64, gridBytes + 64), *lattice = aligned_alloc(64, latticeBytes + 64);
  prepare();
  printf("%9s %14s %14s %10s   %s\n", "events", "lattice ns/ev", "gridding ns/ev", "ratio", "largest difference");
  for (int n = 100; n <= most; n *= 10) {
    event *e = scatter(n);
    double byLattice[ROUNDS], byGrid[ROUNDS], worst = 0, peak = 0;
    for (int r = 0; r < ROUNDS; r++) {
      memset(a, 0, gridBytes);
      double t = now();
      memset(lattice, 0, latticeBytes);
      deposit(lattice, e, n);
      filter(a, lattice);
      byLattice[r] = now() - t;
      memset(b, 0, gridBytes);
      t = now();
      spread(b, e, n);
      byGrid[r] = now() - t;
    }
    for (size_t i = 0; i < gridBytes / 8; i++) {
      worst = fmax(worst, fabs(a[i] - b[i]));
      peak = fmax(peak, fabs(a[i]));
    }
    qsort(byLattice, ROUNDS, sizeof(double), ascending);
    qsort(byGrid, ROUNDS, sizeof(double), ascending);
    double l = byLattice[ROUNDS / 2] / n * 1e9, g = byGrid[ROUNDS / 2] / n * 1e9;
    printf("%9d %14.1f %14.1f %10.2f   %.1e of the peak\n", n, l, g, l / g, worst / peak);
    if (!(worst <= 1e-12 * peak)) failed = 1;
    free(e);
  }
  return failed;
}
