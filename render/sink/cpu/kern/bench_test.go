package kern_test

import (
	"testing"

	"grsplat/render/sink/cpu/kern"
)

// BenchmarkRows reports pixels a second of each kernel with everything in the first-level cache.
func BenchmarkRows(b *testing.B) {
	table := kern.NewTable(smallPSF(b).Kernel)
	for _, set := range kern.Available() {
		for name, op := range operations(&set) {
			b.Run(set.Name+"/"+name, func(b *testing.B) {
				const rows, length = 8, 38
				s := newScene(alignedTile(), table, func(y int) int { return 20 + y }, func(int) int { return length }, rows)
				for b.Loop() {
					op(s.spans, &s.args)
				}
				b.ReportMetric(float64(b.N)*rows*length/b.Elapsed().Seconds()/1e9, "Gpx/s")
			})
		}
	}
}
