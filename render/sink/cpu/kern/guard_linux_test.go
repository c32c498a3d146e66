package kern_test

import (
	"syscall"
	"testing"
	"unsafe"
)

// guarded returns n float64, a multiple of a page, between two pages that may not be touched.
func guarded(t testing.TB, n int) []float64 {
	t.Helper()
	page := syscall.Getpagesize()
	size := 8 * n
	if size%page != 0 {
		t.Fatalf("%d float64 are not whole pages", n)
	}
	m, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(m); err != nil {
			t.Error(err)
		}
	})
	for _, guard := range [][]byte{m[:page], m[page+size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return unsafe.Slice((*float64)(unsafe.Pointer(&m[page])), n)
}
