#!/bin/sh
# Builds libamdhip64.so on CUDA, and the replay program linked with the same, into the folder $1 (default out/hipcuda). Needs
# nvcc. As everywhere, no product is fused into a sum.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=${1:-$root/out/hipcuda}
mkdir -p "$out"
flags="-std=c++17 -O3 -arch=${CUDA_ARCH:-sm_90} -fmad=false -lineinfo -cudart static -I$root/tools/hipcuda -I$root/tools/hipcpu/src -I$root/render/sink/hip"
cd "$root/tools/hipcuda"
${NVCC:-nvcc} $flags -shared -Xcompiler -fPIC library.cu ../hipcpu/src/object.cc -o "$out/libamdhip64.so"
${NVCC:-nvcc} $flags library.cu ../hipcpu/src/object.cc ../hipcpu/src/replay.cc -o "$out/replay"
