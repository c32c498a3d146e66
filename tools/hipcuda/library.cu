// A stand-in for libamdhip64 on an NVIDIA GPU: the calls of render/sink/hip/api.h through CUDA, and the kernels compiled by
// nvcc, so that the backend and its whole test suite run there unchanged. build.sh compiles it.
#include <cstring>

#include "kernels.hip"

#include "kernels.h"
#include "object.h"

namespace {

// kernel is a compiled kernel by its name.
struct kernel {
  const char *name;
  const void *entry;
};
#define X(name) {#name, (const void *)name},
const kernel kernels[] = {HIPCPU_KERNELS(X)};
#undef X

const int notFound = 500, noBinary = 209;

cudaStream_t stream(void *s) { return (cudaStream_t)s; }
cudaEvent_t event(void *e) { return (cudaEvent_t)e; }

} // namespace

extern "C" {

const char *hipGetErrorName(int e) { return cudaGetErrorName((cudaError_t)e); }
int hipGetDeviceCount(int *n) { return cudaGetDeviceCount(n); }
int hipRuntimeGetVersion(int *v) {
  int cuda;
  int e = cudaRuntimeGetVersion(&cuda);
  *v = cuda / 1000 * 10000000 + cuda % 1000 / 10 * 100000;
  return e;
}
int hipDeviceGetName(char *s, int n, int d) {
  cudaDeviceProp p;
  cudaError_t e = cudaGetDeviceProperties(&p, d);
  if (!e) {
    strncpy(s, p.name, n - 1);
    s[n - 1] = 0;
  }
  return e;
}
int hipSetDevice(int d) { return cudaSetDevice(d); }
int hipMemGetInfo(size_t *available, size_t *total) { return cudaMemGetInfo(available, total); }
int hipMalloc(void **p, size_t n) { return cudaMalloc(p, n); }
int hipFree(void *p) { return cudaFree(p); }
int hipHostMalloc(void **p, size_t n, unsigned) { return cudaHostAlloc(p, n, cudaHostAllocDefault); }
int hipHostFree(void *p) { return cudaFreeHost(p); }
int hipMemcpyAsync(void *to, const void *from, size_t n, int kind, void *s) { return cudaMemcpyAsync(to, from, n, (cudaMemcpyKind)kind, stream(s)); }
int hipMemsetAsync(void *p, int value, size_t n, void *s) { return cudaMemsetAsync(p, value, n, stream(s)); }
int hipStreamCreateWithFlags(void **s, unsigned flags) { return cudaStreamCreateWithFlags((cudaStream_t *)s, flags); }
int hipStreamDestroy(void *s) { return cudaStreamDestroy(stream(s)); }
int hipStreamSynchronize(void *s) { return cudaStreamSynchronize(stream(s)); }
int hipEventCreate(void **e) { return cudaEventCreate((cudaEvent_t *)e); }
int hipEventDestroy(void *e) { return cudaEventDestroy(event(e)); }
int hipEventRecord(void *e, void *s) { return cudaEventRecord(event(e), stream(s)); }
int hipEventSynchronize(void *e) { return cudaEventSynchronize(event(e)); }
int hipEventElapsedTime(float *ms, void *from, void *to) { return cudaEventElapsedTime(ms, event(from), event(to)); }

int hipModuleLoadData(void **m, const void *image) {
  *m = (void *)image;
  return hipcpu::target(image) == "gfx1201" ? 0 : noBinary;
}
int hipModuleUnload(void *) { return 0; }
int hipModuleGetFunction(void **f, void *m, const char *name) {
  if (hipcpu::argumentBytes(m, name) != (int64_t)sizeof(grhip_args)) return notFound;
  for (auto &k : kernels)
    if (!strcmp(k.name, name)) {
      *f = (void *)k.entry;
      return 0;
    }
  return notFound;
}
int hipModuleLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *s,
                          void **params, void **) {
  return cudaLaunchKernel(f, dim3(gx, gy, gz), dim3(bx, by, bz), params, shared, stream(s));
}

} // extern "C"
