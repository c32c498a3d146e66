package search

import "slices"

// root is one root of a generator, as an engine lists it.
type root struct{ Generator, Value uint32 }

// plan is the search of a batch: positions to build, and groups that each pair one root with consecutive positions.
// tasks[i] of group j, starting at offsets[j], is (positions[first+i], root).
type plan struct {
	shape     Shape
	positions []Pos
	index     []uint32 // input index of each position
	groups    []group
	offsets   []uint32 // len(groups)+1, rising from 0 to the number of tasks
	filter    filter
}

type group struct{ Root, First, Count uint32 }

func (p *plan) taskCount() int { return int(p.offsets[len(p.groups)]) }

// arrange turns the listed roots into a plan. With rootedOnly, positions without a root are left out. It sorts roots.
func arrange(s Shape, in []Pos, c *classed, roots []root, rootedOnly bool, maxTasks int) (*plan, int, error) {
	starts := make([]uint32, len(c.generators)+1) // roots of generator g are sorted[starts[g]:starts[g+1]]
	for _, r := range roots {
		starts[r.Generator+1]++
	}
	for g := range c.generators {
		starts[g+1] += starts[g]
	}
	sorted := make([]uint32, len(roots))
	next := slices.Clone(starts)
	for _, r := range roots {
		sorted[next[r.Generator]] = r.Value
		next[r.Generator]++
	}

	tasks, groups, built, rooted := 0, 0, 0, 0
	for _, run := range c.classes {
		n := int(starts[run.generator+1] - starts[run.generator])
		tasks += n * int(run.count)
		groups += n
		if n > 0 {
			rooted++
			built += int(run.count)
		}
	}
	if err := within("tasks", tasks, maxTasks); err != nil {
		return nil, 0, err
	}
	if !rootedOnly {
		built = len(in)
	}

	p := &plan{shape: s, positions: make([]Pos, 0, built), index: make([]uint32, 0, built),
		groups: make([]group, 0, groups), offsets: make([]uint32, 1, groups+1)}
	total := uint32(0)
	for _, run := range c.classes {
		values := sorted[starts[run.generator]:starts[run.generator+1]]
		if rootedOnly && len(values) == 0 {
			continue
		}
		first := uint32(len(p.positions))
		for _, i := range c.order[run.first : run.first+run.count] {
			p.positions = append(p.positions, in[i])
			p.index = append(p.index, i)
		}
		for _, v := range values {
			p.groups = append(p.groups, group{(v + run.shift) & lowMask, first, run.count})
			total += run.count
			p.offsets = append(p.offsets, total)
		}
	}
	return p, rooted, nil
}
