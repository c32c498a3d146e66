package render

import (
	"slices"
	"testing"

	"grsplat/render/catalog"
)

// Every star belongs to exactly one shard, whatever the batches that it comes in, and no shard holds more than a run above its share.
func TestShardsPartition(t *testing.T) {
	t.Parallel()
	stars := make([]catalog.Star, 10*shardRun+7)
	for i := range stars {
		stars[i].V = float64(i)
	}
	for _, n := range []int{1, 2, 3, 64} {
		var all []float64
		for k := 1; k <= n; k++ {
			var mine []catalog.Star
			first := int64(0)
			for batch := range slices.Chunk(stars, 100+k) {
				mine = Shard{k, n}.pick(mine, batch, first)
				first += int64(len(batch))
			}
			if most := len(stars)/n + shardRun; len(mine) > most {
				t.Errorf("shard %d/%d holds %d stars, more than %d", k, n, len(mine), most)
			}
			for _, s := range mine {
				all = append(all, s.V)
			}
		}
		slices.Sort(all)
		if len(all) != len(stars) || len(slices.Compact(all)) != len(stars) {
			t.Errorf("%d shards hold %d stars of %d", n, len(all), len(stars))
		}
	}
}
