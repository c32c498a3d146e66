//go:build !linux

package kern_test

import "testing"

// guarded returns n float64; there are no guard pages on this system.
func guarded(_ testing.TB, n int) []float64 { return make([]float64, n) }
