//go:build !windows

#define _GNU_SOURCE // dladdr
#include <dlfcn.h>
#include <stdio.h>
#include "internal.h"

#ifdef __APPLE__
#define LOADER "libvulkan.1.dylib"
#else
#define LOADER "libvulkan.so.1"
#endif

void *gv_dl_open(const char *library, char *text, size_t ntext) {
  void *lib = dlopen(*library ? library : LOADER, RTLD_NOW | RTLD_LOCAL);
  if (!lib) snprintf(text, ntext, "%s", dlerror());
  return lib;
}
void *gv_dl_symbol(void *lib, const char *name) { return dlsym(lib, name); }
void gv_dl_file(void *lib, void *symbol, char *text, size_t ntext) {
  Dl_info info;
  (void)lib;
  snprintf(text, ntext, "%s", dladdr(symbol, &info) && info.dli_fname ? info.dli_fname : "");
}
void gv_dl_close(void *lib) { dlclose(lib); }
