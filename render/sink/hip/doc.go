// Package hip accumulates star images on AMD GPUs through the HIP runtime. It is compiled with `-tags hip`; without the tag
// New says so. The runtime, libamdhip64, is opened when a device is asked for (GRSPLAT_HIP_LIBRARY names another file), and
// the code objects of kernels.hip for gfx803, gfx900, gfx1030, gfx1100 and gfx1201 are embedded, so that the binary needs no
// ROCm to be built. `-tags hip,hiplink` links an installed ROCm instead.
//
// Paths: tile16 owns pixels and sums in registers, in float64 or exactly; atomic adds 64-bit integers and so is exact only:
// on these devices a float64 atomic add is a compare-and-swap loop; mesh convolves blocks of the frame, in float64, and leaves to tiles
// what it cannot take. auto times both paths of exact sums on the first batches and keeps the cheaper. For float64 it takes tile16, and
// once that has taken a tenth of a second, which the making of the mesh may repay, times the mesh on the fullest block of a crowded
// batch; from then on the mesh takes the blocks whose events cost more by tiles, as far as their error bound is below the limit.
// Precision f32 is summed in float64, within its tolerance.
//
// The host prepares a batch of up to 65,536 events in pinned memory: events, and for each cell of 128 px the list of the stars
// that reach it. While the device works on one such slot the other fills; a slot is written again only after its completion
// event. A block of 256 threads sums an item of a list over a tile of 16 x 32 px, each thread two pixels, one below the other, in
// the order of the list, so that the float64 sums of a batch do not depend on timing. A short list is summed whole, in the order of
// deposits: the sequential sum's own bits. A long one is sorted by phase, so that a tile reads the weights of one phase for many
// stars, and cut; its pieces are summed with fused multiply-adds, into slots that a merge adds in order. Consumer GPUs do one
// float64 operation for 16 to 32 in float32: float32 decides which pixels a star lights where it safely can, an exact
// contribution is rounded by one addition, and a star costs a pixel 7 (fused) or 13 float64 operations.
//
// The mesh's blocks are chosen by the host, which counts a batch's events by block (mesh_census.go); their bounds come back with the
// batch, and the events of refused blocks go through tiles before their slot is filled again. Its transforms hold 16 points a
// thread in registers, 4096 a block of threads, and hand them over through 32 KiB of shared memory.
//
// The kernels run on the CPU (tools/hipcpu) in every test run. What only a Radeon RX 9070 can show, to be run once per
// release on such a machine:
//
//	./build.sh hip                                    # objects come out as committed, disassembly asserted
//	go build -tags hip -o grsplat ./cmd/grsplat
//	./grsplat probe                                   # lists the device, eligible, gfx1201
//	export GRSPLAT_HIP_LIBRARY=libamdhip64.so         # for the tests, instead of the stand-in
//	GRSPLAT_LONG=1 go test -tags hip -v -run 'Conform|Unsplit|Mesh' ./render/sink/hip
//	go test -tags hip -run '^$' -bench Device ./render/sink/hip
//	for scene in "--fov 60" "--spacetime schwarzschild --radius 30 --fov 75" "--projection zea --size 1280x1280"; do
//	  ./grsplat render $scene --backend hip --precision exact --hdr-output=a.fits -o a.png --report a.json --force
//	  ./grsplat render $scene --backend cpu --precision exact --hdr-output=b.fits -o b.png --report b.json --force
//	  ./grsplat compare a.fits b.fits --max-rel 0     # identical
//	  grep sums_sha256 a.json b.json                  # equal
//	done
//	go build -tags hip,hiplink ./cmd/grsplat          # against that machine's ROCm
//	journalctl -k | grep -i amdgpu                    # no reset, no page fault
//
// On an NVIDIA GPU the same suite runs through tools/hipcuda/check.sh.
package hip

// A Device is one GPU that the runtime lists.
type Device struct {
	Index   int
	Name    string
	Runtime string // version of the HIP runtime
	Target  string // code object that it takes, such as gfx1201; empty if none
	Reason  string // why it cannot be used; empty if it can
}
