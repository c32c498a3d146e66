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
	const parts, part = 8, kern.TileLen / 8
	var firsts []int
	for i := range segments {
		g := &segments[i]
		if g.buffer == nil {
			continue
		}
		if s.isExact() {
			s.reserve(g.tile, s.sumOf(g.items))
		}
		if segments[i-1].buffer == nil {
			firsts = append(firsts, i)
		}
	}
	s.parallel(len(firsts)*parts, func(_ *worker, n int) {
		from := n % parts * part
		for i := firsts[n/parts]; i < len(segments) && segments[i].buffer != nil; i++ {
			tile, buffer := s.tiles[segments[i].tile][from:from+part], segments[i].buffer[from:from+part]
			if s.isExact() {
				add(ints(tile), ints(buffer))
			} else {
				add(tile, buffer)
			}
		}
	})
}

func add[T int64 | float64](dst, src []T) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] += src[i]
	}
}
