// Maps what kernels.hip uses of <hip/hip_runtime.h> to CUDA, whose device names are the same. Test only.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#define GRHIP_ANEW(x) // see device.h
