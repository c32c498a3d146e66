//go:build hip && hiplink

// Links the installed ROCm's libamdhip64; its header checks the constants, and that every call is there.
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__
#endif
#include <hip/hip_runtime_api.h>

#include "api.h"

_Static_assert((int)hipErrorNoDevice == GRHIP_NO_DEVICE && (int)hipErrorNoBinaryForGpu == GRHIP_NO_BINARY && (int)hipErrorInvalidImage == GRHIP_BAD_IMAGE &&
                   (int)hipMemcpyHostToDevice == GRHIP_TO_DEVICE && (int)hipMemcpyDeviceToHost == GRHIP_TO_HOST &&
                   hipStreamNonBlocking == GRHIP_NON_BLOCKING,
               "constants of the HIP runtime have changed");

int grhip_load(grhip_api *api, const char *path, char *reason, size_t capacity) {
  (void)path, (void)reason, (void)capacity;
#define X(result, name, arguments) api->name = (result(*) arguments)(void (*)(void))name;
  GRHIP_CALLS(X)
#undef X
  return 0;
}
