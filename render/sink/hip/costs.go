package hip

// retryBatches is how often auto tries the path that was dearer.
const retryBatches = 64

// costs is what auto knows of each path: both give equal bits, so only time counts.
type costs map[string]*cost

type cost struct {
	chosen  int     // batches
	seconds float64 // for each star-pixel pair, of the last batch
}

// choose returns a path not yet tried, now and then the one that lost, else the cheapest.
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
	if pairs > 0 {
		c[path].seconds = seconds / float64(pairs)
	}
}
