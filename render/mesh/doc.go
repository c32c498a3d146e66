// Package mesh accumulates star images at a cost that does not grow with their support and hardly with their number: events are
// deposited on the PSF's phase lattice, and blocks of the frame are convolved with the phase kernels by FFT.
//
// The cached PSF is bilinear in P x P sub-pixel phases, so the frame is the sum over phases of (kernel of the phase convolved with
// the deposits on it). One event takes this way:
//
//	store.go       a front keeps it in a page of its tile, or deposits it on the tile's lattice when the tile is hot
//	choose.go      a flush decides block by block what costs less: stamps, lattice points, or the mesh
//	lattice.go     a tile's events are deposited on its lattice, P points a pixel
//	filter.go      the lattice comes down to Q points a pixel where the PSF allows it
//	block.go       the Q x Q planes of a block are transformed, multiplied by the kernel spectra (spectra.go), summed, transformed back
//	convolve.go    blocks are shared out to threads, two at a time, and added to the frame
//	points.go      or the lattice's points are stamped, where they are few
//	rim.go         how a stamp ends at its circle
//	bound.go       the error that a block may have
//
// An event costs 12 additions, whatever the PSF; a block of 256 px the transforms of 16 planes of three colours, for the default PSF,
// where all 64 phases would take four times as many. Type-1 non-uniform transforms (Barnett, Magland and af Klinteberg 2019, SIAM
// J. Sci. Comput. 41, C479) reach so coarse a grid by spreading every event over a wide kernel, here 13^2 points; the
// lattice keeps deposits cheap and exact in the PSF's own phases, and a filter of the same length brings the lattice, not the event,
// down. tools/gridding compares the two: an event takes 90 to 150 ns spread and 10 to 20 ns deposited, and the filter, 0.2 to 0.5 ms
// a tile, is worth it from 2,000 to 4,000 events of a tile.
//
// Where events crowd in a few pixels, their lattice points are stamped instead (points.go). Cells, the events of one pixel and phase summed exactly by
// the CPU sink (render/sink/cpu/cells.go), take as many stamps, but an event costs a cell 130 ns, sorted and tested against the rim, and a lattice 20:
// 16,384 events in a pixel take 2.3 ms as 64 cells, 0.75 ms as 81 points, and 8 ms convolved (Zen 4, one core).
package mesh
