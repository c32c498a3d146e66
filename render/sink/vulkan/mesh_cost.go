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

// runMesh takes the batch by the mesh, as far as it holds it and, where auto chose it, within the error limit; the tiles take the
// rest.
func (c *Canvas) runMesh(n int) error {
	left := n
	if c.meshHolds() {
		limit := 0.0
		if len(c.paths) > 1 {
			limit = c.cfg.MeshError
		}
		var err error
		if left, err = c.convolve(n, limit); err != nil {
			return err
		}
		c.tally("mesh", n-left)
	}
	if left == 0 {
		return nil
	}
	p, err := c.leftTo()
	if err != nil {
		return err
	}
	c.tally(p.path, left)
	return c.accumulateAll(p, n)
}

// leftTo returns the tile path that takes what the mesh leaves.
func (c *Canvas) leftTo() (candidate, error) {
	for _, p := range append(slices.Clone(c.paths), c.engine.paths...) {
		if tiles[p.path] > 0 {
			return p, nil
		}
	}
	v, ok := shaders.Find("tile16", c.engine.precision.String())
	if !ok || Missing(c.engine.info, v) != "" {
		return candidate{}, fail.Backend("vulkan: %s: path mesh: no tiles for events of other supports", c.engine.info.Name)
	}
	return candidate{"tile16", v}, nil
}

func (c *Canvas) tally(path string, n int) {
	if n > 0 {
		c.stats.PathChunks[path] += int64((n + event.ChunkLen - 1) / event.ChunkLen)
		c.stats.PathEvents[path] += int64(n)
	}
}

// meshEvents is where auto begins to weigh the mesh. Sums of fewer events cost milliseconds by any path, too little to give the
// 1e-12 of a pixel's own value for the mesh's 1e-9 of its block's peak.
const meshEvents = 32768

// predictMesh returns what the mesh would take for the batch, s; infinite when it may not.
func (c *Canvas) predictMesh() float64 {
	if c.pending.n < cmp.Or(c.tuning.MeshEvents, meshEvents) {
		return math.Inf(1)
	}
	if !(c.cfg.MeshError > 0) || !c.meshHolds() || c.noMesh {
		return math.Inf(1)
	}
	if err := c.openMesh(); err != nil {
		c.engine.log.Info("mesh not available", "reason", err.Error())
		c.noMesh = true
		return math.Inf(1)
	}
	t := c.engine.mesh
	return t.batch + t.block*float64(c.blocksTouched())
}

// blocksTouched estimates the blocks that hold the batch's events.
func (c *Canvas) blocksTouched() int {
	m, d := c.mesh, &c.pending
	seen := map[int]bool{}
	for i, k := range d.cells {
		if k == 0 {
			continue
		}
		x, y := (i%d.across)*d.edge+d.edge/2, (i/d.across)*d.edge+d.edge/2
		seen[(y-m.First)/m.Pitch*m.bx+(x-m.First)/m.Pitch] = true
	}
	return len(seen)
}

// measureMesh times the mesh on a few events, and on a real device over several blocks.
func (e *Engine) measureMesh(cfg sink.Config, p candidate) (t meshCost, err error) {
	c, err := e.newCanvas(cfg, []candidate{p}, Tuning{})
	if err != nil {
		return t, err
	}
	defer c.Close()
	var blocks int
	run := func(events []event.Event) (seconds float64) {
		if err == nil {
			_, _, seconds, err = c.time(events, func(n int) error {
				if err := c.runMesh(n); err != nil {
					return err
				}
				blocks = c.blocksTouched()
				return nil
			})
		}
		return seconds
	}
	one := run(scatter(cfg, fewEvents, 1))
	t.block = one
	if few := blocks; err == nil && e.info.Type != vk.CPU {
		many := run(scatter(cfg, min(gpuSample, c.limit), measuredSpread))
		if blocks > few {
			t.block = max(many-one, many/4) / float64(blocks-few)
			t.batch = max(one-t.block*float64(few), 0)
		}
	}
	return t, err
}
