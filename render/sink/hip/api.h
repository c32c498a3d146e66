// The calls of the HIP runtime that the backend makes, as a table of pointers that is filled at run time (load_dl.c) or by
// the linker (load_link.c). Only calls and constants that are the same in the headers of ROCm 5.2 and 6.3 are used;
// hipDeviceProp_t is not one of them.
#ifndef GRSPLAT_HIP_API_H
#define GRSPLAT_HIP_API_H

#include <stddef.h>

#define GRHIP_CALLS(X)                                                                                              \
  X(int, hipGetDeviceCount, (int *))                                                                                \
  X(int, hipRuntimeGetVersion, (int *))                                                                             \
  X(int, hipDeviceGetName, (char *, int, int))                                                                      \
  X(int, hipSetDevice, (int))                                                                                       \
  X(int, hipMemGetInfo, (size_t *, size_t *))                                                                       \
  X(int, hipMalloc, (void **, size_t))                                                                          \
  X(int, hipFree, (void *))                                                                                      \
  X(int, hipHostMalloc, (void **, size_t, unsigned))                                                            \
  X(int, hipHostFree, (void *))                                                                                  \
  X(int, hipMemcpyAsync, (void *, const void *, size_t, int, void *))                                         \
  X(int, hipMemsetAsync, (void *, int, size_t, void *))                                                       \
  X(int, hipStreamCreateWithFlags, (void **, unsigned))                                                         \
  X(int, hipStreamDestroy, (void *))                                                                             \
  X(int, hipStreamSynchronize, (void *))                                                                         \
  X(int, hipEventCreate, (void **))                                                                             \
  X(int, hipEventDestroy, (void *))                                                                              \
  X(int, hipEventRecord, (void *, void *))                                                                    \
  X(int, hipEventSynchronize, (void *))                                                                          \
  X(int, hipEventElapsedTime, (float *, void *, void *))                                                      \
  X(int, hipModuleLoadData, (void **, const void *))                                                            \
  X(int, hipModuleUnload, (void *))                                                                              \
  X(int, hipModuleGetFunction, (void **, void *, const char *))                                              \
  X(int, hipModuleLaunchKernel,                                                                                     \
    (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **)) \
  X(const char *, hipGetErrorName, (int))

typedef struct {
#define X(result, name, arguments) result(*name) arguments;
  GRHIP_CALLS(X)
#undef X
} grhip_api;

// Constants of the runtime.
enum {
  GRHIP_NO_DEVICE = 100, // hipErrorNoDevice
  GRHIP_NO_BINARY = 209, // hipErrorNoBinaryForGpu
  GRHIP_BAD_IMAGE = 200, // hipErrorInvalidImage
  GRHIP_TO_DEVICE = 1,
  GRHIP_TO_HOST = 2,
  GRHIP_NON_BLOCKING = 1
};

// grhip_load fills the table from the library that path names, unless one is linked. It returns 0, or fills reason with a
// sentence that ends in NUL.
int grhip_load(grhip_api *api, const char *path, char *reason, size_t capacity);

#endif
