package search

// classed is a batch sorted by class: order holds input indexes; runs of equal class are classes, and one or two classes,
// a class and its mirror, share a generator.
type classed struct {
	order      []uint32
	classes    []classRun
	generators []Class
}

// classRun is one class of a batch: its positions are order[first:first+count], its roots those of a generator plus shift.
type classRun struct {
	generator, shift, first, count uint32
}

// byClass sorts a batch by class, mirror classes next to each other and equal x together. Up to 65,536 positions.
func (s Shape) byClass(in []Pos) classed {
	const indexBits, zBits = 16, 17
	keys := make([]uint64, len(in))
	mx, mz := s.Moduli()
	turn := -kappa() - uint32(s.L-1)
	for i, p := range in {
		x, z := uint32(p.X)&(mx-1), uint32(p.Z)&(mz-1)
		mirrored := uint32(0)
		if other := (turn - z) & (mz - 1); other < z {
			z, mirrored = other, 1
		}
		keys[i] = (uint64(x)<<(zBits+1)|uint64(z)<<1|uint64(mirrored))<<indexBits | uint64(i)
	}
	keys = radixSort(keys, indexBits, 16+zBits+1)

	out := classed{order: make([]uint32, len(in))}
	last := ^uint64(0)
	for i, key := range keys {
		out.order[i] = uint32(key & (1<<indexBits - 1))
		class := key >> indexBits
		if class == last {
			out.classes[len(out.classes)-1].count++
			continue
		}
		g := Class{uint32(class >> (zBits + 1)), uint32(class>>1) & (1<<zBits - 1)}
		if class>>1 != last>>1 || len(out.generators) == 0 {
			out.generators = append(out.generators, g)
		}
		run := classRun{generator: uint32(len(out.generators) - 1), first: uint32(i), count: 1}
		if class&1 == 1 {
			run.shift = s.mirrorShift(g.Z)
		}
		out.classes = append(out.classes, run)
		last = class
	}
	return out
}

// perPosition is the arrangement of modes 0 and 1: every position is a class and a generator of its own, in input order.
func (s Shape) perPosition(in []Pos) classed {
	out := classed{order: make([]uint32, len(in)), classes: make([]classRun, len(in)), generators: make([]Class, len(in))}
	mx, mz := s.Moduli()
	for i, p := range in {
		out.order[i] = uint32(i)
		out.classes[i] = classRun{generator: uint32(i), first: uint32(i), count: 1}
		out.generators[i] = Class{uint32(p.X) & (mx - 1), uint32(p.Z) & (mz - 1)}
	}
	return out
}

// radixSort sorts keys by the given field, 12 bits a pass, keeping the order of equals; it may return a new slice.
func radixSort(keys []uint64, shift, width int) []uint64 {
	const digit = 12
	spare := make([]uint64, len(keys))
	for done := 0; done < width; done += digit {
		var start [1 << digit]uint32
		at := shift + done
		for _, k := range keys {
			start[k>>at&(1<<digit-1)]++
		}
		sum := uint32(0)
		for i, n := range start {
			start[i] = sum
			sum += n
		}
		for _, k := range keys {
			d := k >> at & (1<<digit - 1)
			spare[start[d]] = k
			start[d]++
		}
		keys, spare = spare, keys
	}
	return keys
}
