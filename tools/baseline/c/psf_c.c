// The accumulation in C, the anchor of `grsplat bench cpu`. Part of grsplat, under its licence (MIT, see LICENSE).
//
// The accumulation as a careful C programmer writes it: planar frame, row limits hoisted, four phase rows mixed in the inner
// loop, OpenMP over bands of 32 rows (which also keep the kernel rows in cache). The anchor of the CPU sink; the events are those of `grsplat replay gen`.
//   gcc -O3 -march=native -fopenmp psf_c.c -o psf_c -lm ;  ./psf_c EVENTS SPREAD_PX [THREADS]   -> contributions per second
// With - for SPREAD_PX, EVENTS is a file of bare 56-byte events of a 3840x2160 frame.
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { P = 8, R = 47, KW = 2 * R + 2, W = 3840, H = 2160, BAND = 32 };
typedef struct { double x, y, r, g, b, flux, support; } Event;

static uint64_t state = 12345;
static double draw(void) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(state >> 11) * (1.0 / 9007199254740992.0);
}

static long row(double *restrict fr, double *restrict fg, double *restrict fb, const double *restrict k0, const double *restrict k1,
                const double *restrict k2, const double *restrict k3, long n, double a, double b, double c, double d, double cr,
                double cg, double cb) {
  for (long i = 0; i < n; i++) {
    double w = a * k0[i] + b * k1[i] + c * k2[i] + d * k3[i];
    fr[i] += cr * w;
    fg[i] += cg * w;
    fb[i] += cb * w;
  }
  return n;
}

static long band(const Event *ev, long n, const double *K, double *F, int lo, int hi) {
  long done = 0, plane = (long)W * H, size = (long)KW * KW;
  for (long e = 0; e < n; e++) {
    double X = ev[e].x, Y = ev[e].y, r2 = ev[e].support * ev[e].support;
    int ix = (int)floor(X), iy = (int)floor(Y), px = (int)((X - ix) * P), py = (int)((Y - iy) * P);
    double tx = (X - ix) * P - px, ty = (Y - iy) * P - py;
    const double *k = K + (py * (P + 1) + px) * size;
    double cr = ev[e].flux * ev[e].r, cg = ev[e].flux * ev[e].g, cb = ev[e].flux * ev[e].b;
    int y0 = (int)ceil(Y - ev[e].support), y1 = (int)floor(Y + ev[e].support);
    if (y0 < lo) y0 = lo;
    if (y1 >= hi) y1 = hi - 1;
    for (int y = y0; y <= y1; y++) {
      double dy = y - Y, h = r2 - dy * dy;
      if (h < 0) continue;
      h = sqrt(h);
      int x0 = (int)ceil(X - h), x1 = (int)floor(X + h);
      if (x0 < 0) x0 = 0;
      if (x1 >= W) x1 = W - 1;
      if (x1 < x0) continue;
      long q = (long)(y - iy + R) * KW + (x0 - ix + R), f = (long)y * W + x0;
      done += row(F + f, F + plane + f, F + 2 * plane + f, k + q, k + size + q, k + (P + 1) * size + q, k + (P + 2) * size + q, x1 - x0 + 1,
                  (1 - tx) * (1 - ty), tx * (1 - ty), (1 - tx) * ty, tx * ty, cr, cg, cb);
    }
  }
  return done;
}

int main(int argc, char **argv) {
  if (argc < 3) return fprintf(stderr, "usage: psf_c EVENTS SPREAD_PX [THREADS]\n"), 2;
  long n = atol(argv[1]);
  double spread = atof(argv[2]), beta = 4.5, a = 2.7 / (2 * sqrt(pow(2, 1 / beta) - 1)), support = a * sqrt(pow(1e-8, 1 / (1 - beta)) - 1);
  int threads = argc > 3 ? atoi(argv[3]) : 1;
  double *K = malloc(sizeof(double) * (P + 1) * (P + 1) * KW * KW), *F = calloc((size_t)W * H * 3, sizeof(double)), *k = K;
  for (int py = 0; py <= P; py++)
    for (int px = 0; px <= P; px++)
      for (int j = -R; j <= R + 1; j++)
        for (int i = -R; i <= R + 1; i++) {
          double dx = i - px / (double)P, dy = j - py / (double)P;
          *k++ = (beta - 1) / (M_PI * a * a) * pow(1 + (dx * dx + dy * dy) / (a * a), -beta);
        }
  FILE *file = strcmp(argv[2], "-") ? NULL : fopen(argv[1], "rb");
  if (file) fseek(file, 0, SEEK_END), n = ftell(file) / (long)sizeof(Event), rewind(file);
  Event *ev = malloc(sizeof(Event) * n);
  if (file && fread(ev, sizeof(Event), n, file) != (size_t)n) return 1;
  double sx = spread > W ? W : spread, sy = spread > H ? H : spread;
  for (long i = 0; i < n && !file; i++) {
    ev[i].x = (W - sx) / 2 + draw() * sx;
    ev[i].y = (H - sy) / 2 + draw() * sy;
    ev[i].r = 0.5 + draw(), ev[i].g = 0.5 + draw(), ev[i].b = 0.5 + draw(), ev[i].flux = 1 + draw(), ev[i].support = support;
  }
  double best = 1e30;
  long done = 0;
  for (int rep = 0; rep < 3; rep++) {
    double t = omp_get_wtime();
    done = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) reduction(+ : done)
    for (int y = 0; y < H; y += BAND) done += band(ev, n, K, F, y, y + BAND < H ? y + BAND : H);
    t = omp_get_wtime() - t;
    if (t < best) best = t;
  }
  printf("%.6g\n", done / best);
  return F[(long)(H / 2) * W + W / 2] < 0;
}
