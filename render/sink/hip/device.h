// The part of hip/hip_runtime.h that kernels.hip needs on the device, written with the compiler's own builtins, so that plain
// clang builds code objects without any file of ROCm. tools/hipbuild includes it as <hip/hip_runtime.h>.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n, ...) __attribute__((amdgpu_flat_work_group_size(n, n)))

typedef __SIZE_TYPE__ size_t;

struct grhip_index {
  unsigned x;
};
#define threadIdx (grhip_index{__builtin_amdgcn_workitem_id_x()})
#define blockIdx (grhip_index{__builtin_amdgcn_workgroup_id_x()})

static __device__ inline void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

template <class T> static __device__ inline T atomicAdd(T *p, T v) {
  return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T> static __device__ inline T atomicOr(T *p, T v) {
  return __hip_atomic_fetch_or(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

static __device__ inline double floor(double x) { return __builtin_floor(x); }
static __device__ inline float floorf(float x) { return __builtin_floorf(x); }
static __device__ inline float ceilf(float x) { return __builtin_ceilf(x); }
static __device__ inline float sqrtf(float x) { return __builtin_amdgcn_sqrtf(x); } // to 1 ulp, enough for a guess
static __device__ inline unsigned __popc(unsigned x) { return (unsigned)__builtin_popcount(x); }

static __device__ inline float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static __device__ inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }

// __double2ll_rn rounds to nearest even and converts, for |x| < 2^62. The hardware has no such conversion, and the compiler's own
// is eight float64 operations, some fused. Below 2^51 one does: x + 1.5*2^52, whose unit is 1, has the integer in its lower bits.
static __device__ inline long long __double2ll_rn(double x) {
  unsigned high = (unsigned)(__builtin_bit_cast(unsigned long long, x) >> 32) & 0x7fffffffu;
  if (high < (1023u + 51u) << 20) return __builtin_bit_cast(long long, x + 0x1.8p52) - 0x4338000000000000ll;
  __asm__ volatile("" : "+v"(x)); // or the compiler computes what follows in any case
  double whole = __builtin_rint(x);
  double upper = __builtin_floor(whole * 0x1p-32);
  double lower = whole - upper * 0x1p32;
  return ((long long)(int)upper << 32) + (long long)(unsigned)lower;
}
