// The accumulation as a careful programmer writes it in plain CUDA: 32 neighbouring threads walk the rows of one star and add
// to the frame by atomics, no sorting, one launch. It is what `grsplat bench gpu --cuda` runs beside the Vulkan paths.
//
//     nvcc -O3 -arch=sm_90 psf_bench.cu -o psf_bench && ./psf_bench
//
// Each line of the output is input;variant;median milliseconds of the kernel. Inputs, generator and PSF are those of
// render/replay: FWHM 2.7 px, beta 4.5, tail 1e-8, 8 x 8 phases, R = 47.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>

#define CHECK(call)                                                              \
  do {                                                                           \
    cudaError_t status = (call);                                                 \
    if (status != cudaSuccess) {                                                 \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));       \
      std::exit(1);                                                              \
    }                                                                            \
  } while (0)

namespace {

constexpr int width = 3840, height = 2160;
constexpr int phases = 8, radius = 47, stride = 2 * radius + 2, grid = stride * stride;
constexpr double fwhm = 2.7, beta = 4.5, tail = 1e-8;
constexpr double quantum = 17592186044416.0; // 2^44
constexpr int runs = 7;

struct Event { double x, y, r, g, b, flux, support; };

__device__ void add(double *p, double v) { atomicAdd(p, v); }
__device__ void add(float *p, double v) { atomicAdd(p, static_cast<float>(v)); }
__device__ void add(unsigned long long *p, double v) {
  atomicAdd(p, static_cast<unsigned long long>(__double2ll_rn(v * quantum)));
}

// splat adds every event to three planes of the frame.
template <typename Sum>
__global__ void splat(const Event *events, int n, const double *kernel, Sum *frame) {
  int lane = threadIdx.x % 32;
  long long i = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  if (i >= n) return;
  Event e = events[i];
  double fx = floor(e.x), fy = floor(e.y);
  int ix = static_cast<int>(fx), iy = static_cast<int>(fy);
  double ux = (e.x - fx) * phases, uy = (e.y - fy) * phases;
  int px = min(static_cast<int>(ux), phases - 1), py = min(static_cast<int>(uy), phases - 1);
  double tx = ux - px, ty = uy - py;
  double b00 = (1 - tx) * (1 - ty), b10 = tx * (1 - ty), b01 = (1 - tx) * ty, b11 = tx * ty;
  const double *k00 = kernel + static_cast<size_t>(py * (phases + 1) + px) * grid, *k10 = k00 + grid;
  const double *k01 = k00 + static_cast<size_t>(phases + 1) * grid, *k11 = k01 + grid;
  double fr = e.flux * e.r, fg = e.flux * e.g, fb = e.flux * e.b, s2 = e.support * e.support;
  for (int y = max(iy - radius, 0); y <= min(iy + radius + 1, height - 1); y++) {
    double rest = s2 - (y - e.y) * (y - e.y);
    if (rest < 0) continue;
    double half = sqrt(rest);
    int x0 = max(static_cast<int>(ceil(e.x - half)), 0), x1 = min(static_cast<int>(floor(e.x + half)), width - 1);
    for (int x = x0 + lane; x <= x1; x += 32) {
      int q = (y - iy + radius) * stride + x - ix + radius;
      double w = b00 * k00[q] + b10 * k10[q] + b01 * k01[q] + b11 * k11[q];
      size_t o = static_cast<size_t>(y) * width + x;
      add(frame + o, w * fr);
      add(frame + o + static_cast<size_t>(width) * height, w * fg);
      add(frame + o + 2 * static_cast<size_t>(width) * height, w * fb);
    }
  }
}

// draw is the generator of render/replay: x <- 6364136223846793005 x + 1442695040888963407, top 53 bits.
double draw(uint64_t &state) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return static_cast<double>(state >> 11) / 9007199254740992.0;
}

std::vector<Event> synthetic(int n, double spread, double support) {
  uint64_t state = 12345;
  double sx = std::min(spread, double(width)), sy = std::min(spread, double(height));
  std::vector<Event> events(n);
  for (Event &e : events) {
    e.x = (width - sx) / 2 + draw(state) * sx;
    e.y = (height - sy) / 2 + draw(state) * sy;
    e.r = 0.5 + draw(state);
    e.g = 0.5 + draw(state);
    e.b = 0.5 + draw(state);
    e.flux = 1 + draw(state);
    e.support = support;
  }
  return events;
}

std::vector<double> kernels(double alpha) {
  std::vector<double> k(static_cast<size_t>(phases + 1) * (phases + 1) * grid);
  size_t at = 0;
  for (int py = 0; py <= phases; py++)
    for (int px = 0; px <= phases; px++)
      for (int j = -radius; j <= radius + 1; j++)
        for (int i = -radius; i <= radius + 1; i++) {
          double x = i - px / double(phases), y = j - py / double(phases);
          k[at++] = (beta - 1) / (M_PI * alpha * alpha) * std::pow(1 + (x * x + y * y) / (alpha * alpha), -beta);
        }
  return k;
}

template <typename Sum>
void measure(const char *input, const char *variant, const Event *events, int n, const double *kernel, void *frame) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int run = 0; run <= runs; run++) { // the first warms up
    CHECK(cudaMemset(frame, 0, sizeof(Sum) * 3 * width * height));
    CHECK(cudaEventRecord(begin));
    splat<Sum><<<static_cast<unsigned>((static_cast<long long>(n) * 32 + 255) / 256), 256>>>(events, n, kernel, static_cast<Sum *>(frame));
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (run > 0) times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  std::printf("%s;%s;%.3f\n", input, variant, times[times.size() / 2]);
  std::fflush(stdout);
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
}

} // namespace

int main() {
  struct Input { const char *name; int n; double spread; };
  const Input inputs[] = {{"65,536 in 16 px", 65536, 16}, {"1,048,576 in 16 px", 1 << 20, 16}, {"16,384 in 1 px", 16384, 1},
                          {"16,384 over the frame", 16384, 3840}, {"1,048,576 over the frame", 1 << 20, 3840}, {"1,048,576 in 400 px", 1 << 20, 400}};
  double alpha = fwhm / (2 * std::sqrt(std::exp2(1 / beta) - 1));
  double support = alpha * std::sqrt(std::pow(tail, 1 / (1 - beta)) - 1);
  std::vector<double> k = kernels(alpha);
  double *kernel;
  void *frame;
  CHECK(cudaMalloc(&kernel, k.size() * sizeof(double)));
  CHECK(cudaMemcpy(kernel, k.data(), k.size() * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(cudaMalloc(&frame, sizeof(double) * 3 * width * height));
  for (const Input &in : inputs) {
    std::vector<Event> host = synthetic(in.n, in.spread, support);
    Event *events;
    CHECK(cudaMalloc(&events, host.size() * sizeof(Event)));
    CHECK(cudaMemcpy(events, host.data(), host.size() * sizeof(Event), cudaMemcpyHostToDevice));
    measure<double>(in.name, "atomic-f64", events, in.n, kernel, frame);
    measure<unsigned long long>(in.name, "atomic-i64", events, in.n, kernel, frame);
    measure<float>(in.name, "atomic-f32", events, in.n, kernel, frame);
    CHECK(cudaFree(events));
  }
  CHECK(cudaFree(kernel));
  CHECK(cudaFree(frame));
  return 0;
}
