// Package hip accumulates star images on AMD GPUs through the HIP runtime. It is compiled with `-tags hip`; without the tag
// New says so. The runtime, libamdhip64, is opened when a device is asked for (GRSPLAT_HIP_LIBRARY names another file), and
// the code objects of kernels.hip for gfx803, gfx900, gfx1030, gfx1100 and gfx1201 are embedded, so that the binary needs no
// ROCm to be built. `-tags hip,hiplink` links an installed ROCm instead.
//
// Paths: tile16 owns pixels and sums in registers, in float64 or exactly; atomic adds 64-bit integers and so is exact only:
// on these devices a float64 atomic add is a compare-and-swap loop. auto takes tile16 for float64, and for exact sums times
// both on the first batches and keeps the cheaper. Precision f32 is summed in float64, within its tolerance.
//
// The host prepares a batch of up to 65,536 events in pinned memory: events, and for each cell of 128 px the list of the stars
// that reach it. While the device works on one such slot the other fills; a slot is written again only after its completion
// event. A tile's block walks its cell's list in order, so the float64 sums of a batch do not depend on timing.
//
// The kernels run on the CPU (tools/hipcpu) in every test run. What only a Radeon RX 9070 can show, to be run once per
// release on such a machine:
//
//	./build.sh hip                                    # objects come out as committed, disassembly asserted
//	go build -tags hip -o grsplat ./cmd/grsplat
//	./grsplat probe                                   # lists the device, eligible, gfx1201
//	export GRSPLAT_HIP_LIBRARY=libamdhip64.so         # for the tests, instead of the stand-in
//	GRSPLAT_LONG=1 go test -tags hip -v -run 'Conformance|Unsplit' ./render/sink/hip
//	go test -tags hip -run '^$' -bench Device ./render/sink/hip
//	./grsplat render --backend hip --precision exact --hdr-output=a.fits -o a.png --report a.json
//	./grsplat render --backend cpu --precision exact --hdr-output=b.fits -o b.png --report b.json
//	./grsplat compare a.fits b.fits --max-rel 0       # and equal sums_sha256 in both reports
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
