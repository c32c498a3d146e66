//go:build hip && !hiplink

// Opens the HIP runtime at run time, so that one binary runs with any ROCm and without one.
#include "api.h"

#include <dlfcn.h>
#include <stdio.h>

static void *open_library(const char *path, char *reason, size_t capacity) {
  const char *usual[] = {"libamdhip64.so.7", "libamdhip64.so.6",           "libamdhip64.so.5",
                         "libamdhip64.so",   "/opt/rocm/lib/libamdhip64.so", NULL};
  const char *given[] = {path, NULL};
  for (const char **name = *path ? given : usual; *name; name++) {
    void *library = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
    const char *why = dlerror();
    if (name == (*path ? given : usual)) snprintf(reason, capacity, "%s", why);
  }
  return NULL;
}

int grhip_load(grhip_api *api, const char *path, char *reason, size_t capacity) {
  void *library = open_library(path, reason, capacity);
  if (!library) return 1;
#define X(result, name, arguments)                              \
  if (!(*(void **)&api->name = dlsym(library, #name))) {        \
    snprintf(reason, capacity, "the library has no %s", #name); \
    dlclose(library);                                           \
    return 1;                                                   \
  }
  GRHIP_CALLS(X)
#undef X
  return 0;
}
