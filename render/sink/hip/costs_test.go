package hip

import "testing"

// auto tries every path once, then keeps the cheapest and looks at the other now and then.
func TestCosts(t *testing.T) {
	t.Parallel()
	c := costs{}
	paths := []string{"tile16", "atomic"}
	taken := map[string]int{}
	for i := range 10 * retryBatches {
		p := c.choose(paths)
		if i < 2 && p != paths[i] {
			t.Errorf("batch %d takes %s", i, p)
		}
		taken[p]++
		c.add(p, map[string]float64{"tile16": 3, "atomic": 1}[p], 1000)
		c.add(p, 9, 0) // a batch that lit nothing says nothing
	}
	if n := taken["tile16"]; n < 5 || n > 15 {
		t.Errorf("the dearer path took %d of %d batches", n, 10*retryBatches)
	}
	only := costs{}
	for range 2 * retryBatches {
		if p := only.choose([]string{"tile16"}); p != "tile16" {
			t.Fatalf("the only path is tile16, taken is %s", p)
		}
	}
}
