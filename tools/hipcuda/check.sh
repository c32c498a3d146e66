#!/bin/sh
# Runs the HIP backend on an NVIDIA GPU through the CUDA stand-in.
#
#   tools/hipcuda/check.sh pack   where Go is: builds the test program and records a trace, into out/hipcuda
#   tools/hipcuda/check.sh run    where nvcc and the GPU are: conformance suite, replays under compute-sanitizer, timings
#
# One machine may do both. The trace is of the CPU stand-in, so the replays also compare the bits of CPU and GPU.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$root/out/hipcuda
mkdir -p "$out"

case "${1:-}" in
pack)
  cd "$root"
  go test -c -tags hip -o "$out/hip.test" ./render/sink/hip
  GRSPLAT_HIP_TRACE=$out/trace go test -count=1 -tags hip -run 'TestReplay/plain' ./render/sink/hip
  ;;
run)
  "$root/tools/hipcuda/build.sh" "$out"
  cd "$root/render/sink/hip"
  object=co/grsplat_gfx1201.hsaco
  "$out/replay" "$out/trace" "$object"
  for tool in memcheck racecheck synccheck initcheck; do
    if command -v compute-sanitizer >/dev/null; then
      compute-sanitizer --tool "$tool" --error-exitcode 9 "$out/replay" "$out/trace" "$object"
    fi
  done
  export GRSPLAT_HIP_LIBRARY="$out/libamdhip64.so" GRSPLAT_LONG=1
  "$out/hip.test" -test.v -test.run 'TestConformance|TestUnsplit|Mesh' >"$out/conformance.log" || failed=1
  grep -v -e '=== ' -e '^        --- PASS' "$out/conformance.log"
  "$out/hip.test" -test.run '^$' -test.bench Device -test.benchtime 100x
  exit "${failed:-0}"
  ;;
*)
  echo "usage: $0 pack|run" >&2
  exit 2
  ;;
esac
