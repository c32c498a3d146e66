package render

import (
	"fmt"

	"grsplat/render/catalog"
	"grsplat/render/fail"
)

// A Shard is the K-th of N parts of the stars, K from 1 on. Parts are rendered apart, on as many machines as there are, and their
// exact sums merged: the bits are those of one render.
type Shard struct{ K, N int }

// whole is every star.
var whole = Shard{1, 1}

// ParseShard reads K/N.
func ParseShard(text string) (s Shard, err error) {
	var rest string
	n, _ := fmt.Sscanf(text+" end", "%d/%d %s", &s.K, &s.N, &rest)
	if n != 3 || rest != "end" || !s.valid() {
		return s, fail.Usage("shard %s: must be K/N with K from 1 to N", text)
	}
	return s, nil
}

func (s Shard) valid() bool { return 1 <= s.K && s.K <= s.N }

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.K, s.N) }

// shardRun is how many stars in a row, in catalogue order, belong to one shard: few, so that shards of a small catalogue take
// equally long; enough, so that the stars of a tile stay together.
const shardRun = 256

// pick appends a shard's stars of a batch, the first of which is the catalogue's star number first.
func (s Shard) pick(to, batch []catalog.Star, first int64) []catalog.Star {
	if s.N == 1 {
		return append(to, batch...)
	}
	for len(batch) > 0 {
		n := min(int64(len(batch)), shardRun-first%shardRun)
		if first/shardRun%int64(s.N) == int64(s.K-1) {
			to = append(to, batch[:n]...)
		}
		batch, first = batch[n:], first+n
	}
	return to
}
