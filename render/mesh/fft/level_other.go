//go:build !amd64

package fft

// For returns the kernels of a level: plain Go here.
func For(Level) Kernels { return generic }
