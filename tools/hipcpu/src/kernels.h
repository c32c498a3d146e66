// The kernels by name, as the stand-ins' module calls look them up.
#pragma once

#include <cstddef>

// Every kernel of render/sink/hip takes one grhip_args.
#define HIPCPU_KERNELS(X)                                                                                       \
  X(grhip_prepare) X(grhip_atomic_i64) X(grhip_tile16_f64) X(grhip_pieces_f64) X(grhip_tile16_i64) X(grhip_merge_f64) X(grhip_merge_i64) \
  X(grhip_carry) X(grhip_mesh_deposit) X(grhip_mesh_filter) X(grhip_mesh_forward) X(grhip_mesh_multiply) X(grhip_mesh_inverse)            \
  X(grhip_rims_forward) X(grhip_rims_multiply) X(grhip_rims_inverse) X(grhip_mesh_paste)

namespace hipcpu {
struct kernel {
  const char *name;
  void (*call)(const void *args); // one thread's part
  size_t argsBytes;
};
const kernel *find(const char *name); // or null
} // namespace hipcpu
