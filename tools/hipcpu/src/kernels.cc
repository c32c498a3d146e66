// Compiles the kernels for the CPU.
#include "kernels.h"

#include "kernels.hip"

namespace hipcpu {

#define X(name) {#name, [](const void *args) { name(*(const grhip_args *)args); }, sizeof(grhip_args)},
static const kernel all[] = {HIPCPU_KERNELS(X)};
#undef X

const kernel *find(const char *name) {
  for (auto &k : all)
    if (!strcmp(k.name, name)) return &k;
  return nullptr;
}

} // namespace hipcpu
