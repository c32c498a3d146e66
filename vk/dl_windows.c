#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <stdio.h>
#include "internal.h"

void *gv_dl_open(const char *library, char *text, size_t ntext) {
  const char *name = *library ? library : "vulkan-1.dll";
  HMODULE lib = LoadLibraryA(name);
  if (!lib) snprintf(text, ntext, "%s: windows error %lu", name, (unsigned long)GetLastError());
  return lib;
}
void *gv_dl_symbol(void *lib, const char *name) { return (void *)GetProcAddress(lib, name); }
void gv_dl_file(void *lib, void *symbol, char *text, size_t ntext) {
  (void)symbol;
  text[GetModuleFileNameA(lib, text, (DWORD)ntext - 1)] = 0;
}
void gv_dl_close(void *lib) { FreeLibrary(lib); }
