package vulkan

import (
	"cmp"
	"math"
	"slices"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/sink"
	"grsplat/shaders"
	"grsplat/vk"
)

// meshCost is what the mesh takes, s: a batch of few blocks, and each further block, its events included.
type meshCost struct{ batch, block float64 }

// measuredSpread, px, is the square whose blocks tell what a block costs beside others.
const measuredSpread = 400

// runMesh takes the batch by the mesh, as far as it holds it and the plan says; the plan's path for the rest takes what is left.
func (c *Canvas) runMesh(p plan, n int) error {
	rest, left := c.scratch.all["events"], n
	if c.meshHolds() {
		var err error
		if rest, left, err = c.convolve(n, p); err != nil {
			return err
		}
		c.tally("mesh", n-left)
	}
	if left == 0 {
		return nil
	}
	if p.rest.path == "" {
		var err error
		if p.rest, err = c.leftTo(); err != nil {
			return err
		}
	}
	c.tally(p.rest.path, left)
	return c.accumulateAll(p.rest, rest, left)
}

// leftTo returns the tile path that takes what the mesh leaves where the mesh alone was asked for.
func (c *Canvas) leftTo() (candidate, error) {
	for _, p := range append(slices.Clone(c.paths), c.engine.paths...) {
		if tiles[p.path] > 0 {
			return p, nil
		}
	}
	v, ok := shaders.Find("tile16", c.engine.precision.String())
	if !ok || Missing(c.engine.info, v) != "" {
		return candidate{}, fail.Backend("vulkan: %s: path mesh: no tiles for events that the mesh does not take", c.engine.info.Name)
	}
	return candidate{"tile16", v}, nil
}

// meshEvents is where auto begins to weigh the mesh. Sums of fewer events cost well below a millisecond by tiles, too little to give
// the 1e-12 of a pixel's own value for the mesh's 1e-9 of its block's peak.
const meshEvents = 8192

// mayMesh says whether auto may take the batch, or blocks of it, by the mesh.
func (c *Canvas) mayMesh() bool {
	if c.pending.n < cmp.Or(c.tuning.MeshEvents, meshEvents) || !(c.cfg.MeshError > 0) || !c.meshHolds() || c.noMesh {
		return false
	}
	if _, runs := c.engine.find("mesh"); !runs {
		return false
	}
	if err := c.openMesh(); err != nil {
		c.engine.log.Info("mesh not available", "reason", err.Error())
		c.noMesh = true
	}
	return !c.noMesh
}

// planMesh returns the plan that gives the mesh every block whose events take longer by the cheapest other path, which takes the whole
// batch in so many seconds, and what it would take; the seconds are infinite where no block is worth it. c.engine.mu is held.
func (c *Canvas) planMesh(other float64) (p plan, seconds float64) {
	if !c.mayMesh() {
		return p, math.Inf(1)
	}
	mesh, _ := c.engine.find("mesh")
	cost, d := c.engine.mesh, &c.pending
	p = plan{candidate: mesh, limit: c.cfg.MeshError, worth: int(min(math.Ceil(cost.block/other*float64(d.n)), math.MaxInt32))}
	rest, taken := newDensity(c.cfg.W, c.cfg.H), 0
	blocks := c.blocksTouched()
	for _, k := range blocks {
		if k >= float64(p.worth) {
			taken++
		}
	}
	for i := range d.cells {
		left := 0.0
		c.eachBlock(i, func(block int, events float64) {
			if blocks[block] < float64(p.worth) {
				left += events
			}
		})
		rest.cells[i] = uint32(math.Ceil(left))
		rest.n += int(rest.cells[i])
	}
	if taken == 0 {
		return p, math.Inf(1)
	}
	seconds = cost.batch + cost.block*float64(taken)
	rest.area = d.area * float64(rest.n) / float64(d.n)
	var left float64
	if p.rest, left = c.cheapest(&rest); rest.n > 0 {
		seconds += left
	}
	return p, seconds
}

// blocksTouched estimates how many events the blocks hold, those that hold any.
func (c *Canvas) blocksTouched() map[int]float64 {
	held := map[int]float64{}
	for i := range c.pending.cells {
		c.eachBlock(i, func(block int, events float64) { held[block] += events })
	}
	return held
}

// eachBlock shares the events of a cell of the density out to the blocks on which it lies, as if they were even within the cell.
func (c *Canvas) eachBlock(cell int, visit func(block int, events float64)) {
	m, d := c.mesh, &c.pending
	n := float64(d.cells[cell])
	if n == 0 {
		return
	}
	x0, y0 := cell%d.across*d.edge-m.First, cell/d.across*d.edge-m.First
	for y := y0; y < y0+d.edge; {
		end := min((y/m.Pitch+1)*m.Pitch, y0+d.edge)
		for x := x0; x < x0+d.edge; {
			right := min((x/m.Pitch+1)*m.Pitch, x0+d.edge)
			visit(y/m.Pitch*m.bx+x/m.Pitch, n*float64((right-x)*(end-y))/float64(d.edge*d.edge))
			x = right
		}
		y = end
	}
}

// measureMesh times the mesh on a few events, and on a real device over several blocks.
func (e *Engine) measureMesh(cfg sink.Config, p candidate) (t meshCost, err error) {
	c, err := e.newCanvas(cfg, []candidate{p}, Tuning{})
	if err != nil {
		return t, err
	}
	defer c.Close()
	run := func(events []event.Event) (blocks int, seconds float64) {
		if err == nil {
			_, _, seconds, err = c.time(events, func(n int) error { return c.runMesh(plan{candidate: p}, n) })
		}
		held := map[[2]int]bool{}
		for i := 0; i < len(events) && err == nil; i++ {
			held[[2]int{(int(events[i].X) - c.mesh.First) / c.mesh.Pitch, (int(events[i].Y) - c.mesh.First) / c.mesh.Pitch}] = true
		}
		return len(held), seconds
	}
	few, one := run(scatter(cfg, fewEvents, 1))
	t.block = one
	if err == nil && e.info.Type != vk.CPU {
		blocks, many := run(scatter(cfg, min(gpuSample, c.limit), measuredSpread))
		if blocks > few {
			t.block = max(many-one, many/4) / float64(blocks-few)
			t.batch = max(one-t.block*float64(few), 0)
		}
	}
	return t, err
}
