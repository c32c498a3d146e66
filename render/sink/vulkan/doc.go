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
// engine.go opens the device and its kernels, choose.go says which paths it can run, selftest.go proves them on it.
package vulkan
