package kern_test

import (
	"testing"
	"unsafe"

	"grsplat/render/psf"
	"grsplat/render/sink/cpu/kern"
)

// Every phase reads its four grids, straight or mirrored, bit by bit, from cache lines on.
func TestTablePhases(t *testing.T) {
	t.Parallel()
	for _, phases := range []int{1, 2, 5, 8} {
		p := psf.Defaults()
		p.Phases, p.CacheRadius = phases, 10
		f, err := psf.New(p)
		if err != nil {
			t.Fatal(err)
		}
		k, table := f.Kernel, kern.NewTable(f.Kernel)
		for py := range phases {
			for px := range phases {
				phase := table.Phase(px, py)
				var want [4][]float64
				want[0], want[1], want[2], want[3] = k.Grids(&psf.Mix{PX: px, PY: py})
				for g, w := range want {
					if uintptr(unsafe.Pointer(phase.K[g]))%64 != 0 || phase.Stride%8 != 0 {
						t.Fatalf("%d phases, (%d,%d): grid %d is not aligned", phases, px, py, g)
					}
					for i, v := range w {
						at := phase.First + i/k.Stride*phase.Stride + i%k.Stride
						if got := *(*float64)(unsafe.Add(unsafe.Pointer(phase.K[g]), 8*at)); got != v {
							t.Fatalf("%d phases, (%d,%d): grid %d, element %d: %v, want %v", phases, px, py, g, i, got, v)
						}
					}
				}
				same := phase.K[0] // of the first row that reads the same grids
				if table.Mirrored(py) {
					same = phase.K[2]
				}
				if row := table.Row(int16(py)); table.Mirrored(int(row)) || table.Phase(px, int(row)).K[0] != same {
					t.Errorf("%d phases: row %d stands for %d, which reads other grids", phases, row, py)
				}
			}
		}
	}
}
