package cpu

import "grsplat/render/sink/cpu/kern"

// allocate gives every touched tile its sums and every further segment of a tile a buffer.
func (s *Stamp) allocate(segments []segment) {
	used := 0
	for i := range segments {
		g := &segments[i]
		if s.tiles[g.tile] == nil {
			s.tiles[g.tile] = make([]float64, kern.TileLen)
		}
		if i == 0 || segments[i-1].tile != g.tile {
			continue
		}
		if used == len(s.buffers) {
			s.buffers = append(s.buffers, make([]float64, kern.TileLen))
		}
		g.buffer = s.buffers[used]
		used++
	}
}

// merge adds the buffers to their tiles, in the order of the segments.
func (s *Stamp) merge(segments []segment) {
	var firsts []int
	for i := range segments {
		if segments[i].buffer != nil && segments[i-1].buffer == nil {
			firsts = append(firsts, i)
		}
	}
	s.parallel(len(firsts), func(_ *worker, n int) {
		for i := firsts[n]; i < len(segments) && segments[i].buffer != nil; i++ {
			g := &segments[i]
			if s.isExact() {
				s.mergeExact(g)
				continue
			}
			tile := s.tiles[g.tile]
			for j, v := range g.buffer {
				tile[j] += v
			}
		}
	})
}
