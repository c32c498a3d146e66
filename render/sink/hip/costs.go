package hip

import "math"

// retryBatches is how often auto tries the path that was dearer.
const retryBatches = 64

// costs is what auto knows of each path.
type costs map[string]*cost

type cost struct {
	chosen  int     // batches; of the mesh, those before it was last tried out
	seconds float64 // for each star-pixel pair, of the mesh for each block, of the last batch
}

// choose returns of paths that give equal bits, so that only time counts, a path not yet tried, now and then the one that lost, else the cheapest.
func (c costs) choose(paths []string) string {
	best, total := paths[0], 0
	for _, p := range paths {
		if c[p] == nil {
			c[p] = &cost{}
		}
		if c[p].chosen == 0 {
			c[p].chosen++
			return p
		}
		total += c[p].chosen
		if c[p].seconds < c[best].seconds {
			best = p
		}
	}
	if total%retryBatches == 0 {
		for _, p := range paths {
			if p != best {
				best = p
				break
			}
		}
	}
	c[best].chosen++
	return best
}

// add keeps what a batch took.
func (c costs) add(path string, seconds float64, pairs uint64) {
	if c[path] == nil {
		c[path] = &cost{}
	}
	if pairs > 0 {
		c[path].seconds = seconds / float64(pairs)
	}
}

// trial stands for the events of the fullest block.
const trial = -1

// worth returns the events from which a block costs less by the mesh than by tiles, where a star covers a circle of that radius; trial,
// now and then, where the mesh is to be timed, and 0 while the tiles have not been.
func (c costs) worth(radius float64) int {
	tile, m := c["tile16"], c["mesh"]
	if tile == nil || tile.seconds == 0 {
		return 0
	}
	if m == nil {
		m = &cost{chosen: -retryBatches}
		c["mesh"] = m
	}
	if tile.chosen-m.chosen >= retryBatches {
		m.chosen = tile.chosen
		return trial
	}
	return int(min(math.Ceil(m.seconds/(tile.seconds*math.Pi*radius*radius)), math.MaxInt32))
}
