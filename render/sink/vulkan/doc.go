// Package vulkan accumulates on any Vulkan device. One star takes this way:
//
//	front.go   a worker copies it into its own staging slot, with the statistics that the batch needs
//	canvas.go  the device's goroutine copies full slots into the batch
//	batch.go   a batch is prepared, binned and accumulated, band by band of the frame, in submissions of bounded time
//	tree.go    binning: events into cells of 8 x 8 cells, down to tiles
//	auto.go    which path takes the batch, or which blocks of it the mesh
//	mesh.go    blocks of the frame are convolved
//	exact.go   the bound that keeps 64-bit sums from overflowing, and what goes to the CPU
//	resolve.go the frame comes back and meets the direct events
//
// Events of one pixel and phase are summed before they are drawn, as render/sink/cpu/cells.go does, by the mesh's lattice alone. A
// pass that hands tiles such sums was left out: a sum's circle is exact only where all its events' circles are, and with a
// support of 46 px six in ten of the tiles that it touches hold a rim, where every event would be looked at again. That makes tiles
// less than twice as fast, where a block of the mesh takes an H200 0.30 ms for 16,384 events in one pixel, and tile16 0.58.
//
// engine.go opens the device and its kernels, choose.go says which paths it can run, selftest.go proves them on it.
package vulkan
