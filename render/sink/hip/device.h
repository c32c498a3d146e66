// The part of hip/hip_runtime.h that kernels.hip needs on the device, written with the compiler's own builtins, so that plain
// clang builds code objects without any file of ROCm. tools/hipbuild includes it as <hip/hip_runtime.h>.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n, ...) __attribute__((amdgpu_flat_work_group_size(n, n)))

// GRHIP_ANEW makes the compiler work out what depends on x from here on, instead of keeping it in registers that it lacks.
#define GRHIP_ANEW(x) asm volatile("" : "+v"(x))

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
template <class T> static __device__ inline T atomicMax(T *p, T v) {
  return __hip_atomic_fetch_max(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

static __device__ inline double floor(double x) { return __builtin_floor(x); }
static __device__ inline float floorf(float x) { return __builtin_floorf(x); }
static __device__ inline float ceilf(float x) { return __builtin_ceilf(x); }
static __device__ inline float sqrtf(float x) { return __builtin_amdgcn_sqrtf(x); } // to 1 ulp, enough for a guess
static __device__ inline unsigned __popc(unsigned x) { return (unsigned)__builtin_popcount(x); }

static __device__ inline double fabs(double x) { return __builtin_fabs(x); }
static __device__ inline double fmax(double x, double y) { return x < y ? y : x; }
static __device__ inline float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static __device__ inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }

// __double2ll_rn rounds to nearest even and converts. The hardware has no such conversion, and the compiler's own uses fused
// operations; here both halves are exact without them, for |x| < 2^62.
static __device__ inline long long __double2ll_rn(double x) {
  double whole = __builtin_rint(x);
  double high = __builtin_floor(whole * 0x1p-32);
  double low = whole - high * 0x1p32;
  return ((long long)(int)high << 32) + (long long)(unsigned)low;
}
