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

// A block is worth the mesh from the events on that tiles take as long for; it is timed once they have been, and again after long.
func TestMeshWorth(t *testing.T) {
	t.Parallel()
	c := costs{}
	if w := c.worth(10); w != 0 {
		t.Errorf("nothing timed: %d", w)
	}
	c.choose([]string{"tile16"})
	c.add("tile16", 100, 100)
	if w := c.worth(10); w != trial {
		t.Errorf("tiles timed: %d", w)
	}
	c.add("mesh", 6283, 2)
	for range retryBatches {
		if w := c.worth(10); w != 10 { // 3141.5 s a block, 314.16 a star
			t.Errorf("both timed: %d", w)
		}
		c.choose([]string{"tile16"})
	}
	if w := c.worth(10); w != trial {
		t.Errorf("long after: %d", w)
	}
}
