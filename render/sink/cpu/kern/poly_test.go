package kern_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"grsplat/render/sink/cpu/kern"
)

// Poly gives plain Go's bits for every length and degree; AddRow its values, and touches nothing beyond the row.
func TestPolyAndAddRow(t *testing.T) {
	t.Parallel()
	plain, _ := kern.Pick("generic")
	r := rand.New(rand.NewPCG(8, 9))
	coef := make([]float64, 30)
	for i := range coef {
		coef[i] = r.NormFloat64()
	}
	f := [3]float64{1.5, -0.25, 3}
	for _, set := range kern.Available() {
		for n := range 70 {
			terms := 1 + n%len(coef)
			got, want := make([]float64, n, n+kern.PolyBlock), make([]float64, n, n+kern.PolyBlock)
			set.Poly(got, coef[:terms], -1, 2/float64(n+1))
			plain.Poly(want, coef[:terms], -1, 2/float64(n+1))
			for i := range want {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
					t.Fatalf("%s: value %d of %d, %d terms: got %v, want %v", set.Name, i, n, terms, got[i], want[i])
				}
			}
			rows := guarded(t, 512)
			rows = rows[len(rows)-3*n:] // the last ends at a guard page
			set.AddRow([3][]float64{rows[:n], rows[n : 2*n], rows[2*n:]}, want, &f)
			for i := range rows {
				if w := f[i/max(n, 1)] * want[i%max(n, 1)]; !(math.Abs(rows[i]-w) <= 1e-15*math.Abs(w)) {
					t.Fatalf("%s: element %d of rows of %d: got %v, want %v", set.Name, i, n, rows[i], w)
				}
			}
		}
	}
}
