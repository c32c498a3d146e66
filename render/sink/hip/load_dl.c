//go:build hip && !hiplink

// Opens the HIP runtime at run time, so that one binary runs with any ROCm and without one.
#include "api.h"

#include <dlfcn.h>
#include <stdio.h>

int grhip_load(grhip_api *api, const char *path, char *reason, size_t capacity) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(reason, capacity, "%s", dlerror());
    return 1;
  }
#define X(result, name, arguments)                                     \
  if (!(*(void **)&api->name = dlsym(library, #name))) {               \
    snprintf(reason, capacity, "%s: the library has no " #name, path); \
    dlclose(library);                                                  \
    return 1;                                                          \
  }
  GRHIP_CALLS(X)
#undef X
  return 0;
}
