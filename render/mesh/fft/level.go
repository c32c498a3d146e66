// Package fft holds the mesh's vector kernels: batched power-of-two transforms, filters and deposits, in assembly written by
// gen and in Go.
//
// A transform works on eight columns at once: row i of a column block is eight float64, one a column, real and imaginary parts in
// two arrays of n*8. It is the radix-4 decimation in frequency (Cooley and Tukey 1965; Van Loan, Computational Frameworks for the
// Fast Fourier Transform, 1992, section 2.4), whose output stays in digit-reversed order (Order says which frequency lies
// where); the inverse takes that order, so that a convolution needs no reordering at all. It rounds within
// a few log2(n) 2^-53 of the root mean square of its input.
package fft

import "golang.org/x/sys/cpu"

//go:generate go run ./gen -out kernels_amd64.s -stubs kernels_amd64.go -pkg fft

// A Level names an instruction set.
type Level int

const (
	Generic Level = iota // plain Go
	AVX2                 // with FMA
	AVX512               // F, DQ and VL
)

func (l Level) String() string { return [...]string{"generic", "avx2", "avx512"}[l] }

// Best returns the widest level that this processor runs.
func Best() Level {
	switch {
	case cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasFMA:
		return AVX512
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasPOPCNT:
		return AVX2
	}
	return Generic
}

// Kernels are the functions of one level. Pointers name the first element; counts are at least 1.
type Kernels struct {
	Forward, Inverse func(re, im *float64, n int, tw *float64)
	// MultiplyAdd adds the complex products of n rows (re, im) with k to acc; rows of k and acc are eight real, then eight
	// imaginary parts.
	MultiplyAdd func(acc, k, re, im *float64, n int)
	// Combine sets (CombineAdd: adds to) rows of n float64, a multiple of eight, of dst the sum over k < taps of h[k] src[off[k]+i].
	Combine, CombineAdd func(dst, src *float64, off *int64, h *float64, taps, n, rows, dstStride, srcStride int)
	CopyRows            func(dst, src *float64, dstStride, srcStride, n int)
	// Transpose transposes n blocks of 8 x 8: row i lies i strides on, the next block a step on, in float64.
	Transpose func(dst, src *float64, dstStride, srcStride, dstStep, srcStep, n int)
	// Deposit adds n events, seven float64 each (x, y, r, g, b, flux, support), to a lattice of RGB triples with the bilinear weights
	// of psf.Kernel.Mix. par is P, P, P-1, P-1, 1, 1 and the lattice's first pixel x, y. Every event lies in the lattice.
	Deposit func(lattice, events *float64, n, stride int, par *float64)
}
