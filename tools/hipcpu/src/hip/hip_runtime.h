// A stand-in for the device side of <hip/hip_runtime.h>: the same .hip source becomes CPU code. A block's threads run as fibers
// of one thread, in order, from barrier to barrier; with HIPCPU_THREADS they are real threads, for ThreadSanitizer.
// Test only. block.cc runs the blocks, runtime.cc is the runtime's C interface.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#define __global__
#define __device__
#define __launch_bounds__(...)
#define GRHIP_ANEW(x) // see device.h
// One block runs at a time on a thread (or, with HIPCPU_THREADS, in the process), so static memory is its shared memory.
#ifdef HIPCPU_THREADS
#define __shared__ static
#else
#define __shared__ static thread_local
#endif

namespace hipcpu {
struct index {
  unsigned x;
};
struct self {
  index thread, block;
};
extern thread_local self *current;
void barrier(int line); // every thread of the block must come to the same one
} // namespace hipcpu

#define threadIdx (hipcpu::current->thread)
#define blockIdx (hipcpu::current->block)
#define __syncthreads() hipcpu::barrier(__LINE__)

template <class T> inline T atomicAdd(T *p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
template <class T> inline T atomicOr(T *p, T v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }
template <class T> inline T atomicMax(T *p, T v) {
  T old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (old < v && !__atomic_compare_exchange_n(p, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return old;
}
inline unsigned __popc(unsigned x) { return (unsigned)__builtin_popcount(x); }
inline long long __double2ll_rn(double x) { return llrint(x); }
