package vulkan

import (
	"context"
	"math"
	"slices"
	"time"

	"grsplat/render/event"
	"grsplat/render/sink"
	"grsplat/vk"
)

// What a contribution costs depends on how events crowd and on how many there are: atomics on few pixels queue up, tile lists in
// few tiles are cut and merged, weights are read from near or far memory, a small batch leaves a large device idle. auto times
// every path at three spreads and three numbers of events on the device itself, once, with its clocks up, and interpolates:
// linearly in the contributions, and in the logarithm of the area that the stamps cover. What batches take later does not
// change the figures, since the clocks of a device that waits for its host fall, and only the chosen path would look slower.

// spreads of the measured inputs, px: edge of the square that holds the events' centres.
var spreads = [3]float64{1, 100, math.MaxInt32}

// samples are the events of the measured inputs, ascending; the first measures what a batch costs at least.
type samples [3]int

var (
	gpuSamples = samples{fewEvents, 16384, 3 << 16}
	cpuSamples = samples{fewEvents, 64, 256} // on a software device
)

const (
	gpuSample = 65536                 // events by which a block of the mesh is timed
	fewEvents = 16                    // of the smallest input
	warming   = 20 * time.Millisecond // that a path is drawn over and over for a figure; the fastest drawing counts
)

// A cost is one path's measured times, by spread and by number of events.
type cost [len(spreads)]curve

// A curve is the device seconds of batches of ascending size whose stamps cover an area, px.
type curve struct {
	area                   float64
	contributions, seconds [len(samples{})]float64
}

// at returns the seconds of a batch, linear between the measured ones and beyond the last, constant before the first.
func (v *curve) at(contributions float64) float64 {
	i := 1
	if contributions > v.contributions[1] {
		i = 2
	}
	c0, c1, s0, s1 := v.contributions[i-1], v.contributions[i], v.seconds[i-1], v.seconds[i]
	slope := max(s1-s0, s1/16) / max(c1-c0, 1)
	return max(s1+slope*(contributions-c1), v.seconds[0])
}

// seconds predicts a batch of so many contributions over an area, px.
func (t *cost) seconds(contributions, area float64) float64 {
	x := math.Log(max(area, 1))
	i := 0
	if area > t[1].area {
		i = 1
	}
	a, b := math.Log(t[i].area), math.Log(t[i+1].area)
	u := min(max((x-a)/max(b-a, 1e-9), 0), 1)
	return math.Exp((1-u)*math.Log(t[i].at(contributions)) + u*math.Log(t[i+1].at(contributions)))
}

// covered is the area that the batch's stamps cover, px, and contributions their pixels.
func (d *density) covered(w, h int) (contributions, area float64) {
	mean, _ := d.overlap()
	return d.area, min(max(d.area/max(mean, 1), 1), float64(w)*float64(h))
}

// A plan is how a batch is summed: by one path, or by the mesh as far as that is worth it.
type plan struct {
	candidate
	limit float64   // of the mesh: the error bound above which a block is left to the rest; 0 for none
	worth int       // of the mesh: the events from which a block is worth it
	rest  candidate // of the mesh: the path of what is left; none lets the batch decide
}

// choose returns the plan for the batch.
func (c *Canvas) choose() (plan, error) {
	if len(c.paths) == 1 {
		return plan{candidate: c.paths[0]}, nil
	}
	if err := c.engine.measure(c.cfg); err != nil {
		return plan{}, err
	}
	c.engine.mu.Lock()
	defer c.engine.mu.Unlock()
	for _, p := range c.paths {
		if p.path != "mesh" {
			c.stats.Costs[p.path+": ms predicted"] = c.seconds(p, &c.pending) * 1e3
		}
	}
	one, least := c.cheapest(&c.pending)
	best := plan{candidate: one}
	if p, s := c.planMesh(least); !math.IsInf(s, 0) {
		c.stats.Costs["mesh: ms predicted"] = s * 1e3
		if s < least {
			best, least = p, s
		}
	}
	c.engine.log.Debug("path chosen", "path", best.path, "events", c.pending.n, "predicted_ms", least*1e3)
	return best, nil
}

// cheapest returns the path, the mesh aside, that takes the events of d in the fewest seconds. c.engine.mu is held.
func (c *Canvas) cheapest(d *density) (best candidate, least float64) {
	least = math.Inf(1)
	for _, p := range c.paths {
		if p.path == "mesh" {
			continue
		}
		if s := c.seconds(p, d); s < least {
			best, least = p, s
		}
	}
	return best, least
}

func (c *Canvas) seconds(p candidate, d *density) float64 {
	t := c.engine.costs[p.path]
	return t.seconds(d.covered(c.cfg.W, c.cfg.H))
}

// measure times every path of the engine once, on frames and with the PSF of cfg.
func (e *Engine) measure(cfg sink.Config) error {
	e.measuring.Lock()
	defer e.measuring.Unlock()
	e.mu.Lock()
	known := len(e.costs) > 0
	e.mu.Unlock()
	if known {
		return nil
	}
	sizes := gpuSamples
	if e.info.Type == vk.CPU {
		sizes = cpuSamples
	}
	if e.device.Memory().Free < 2<<30 {
		cfg.W, cfg.H = min(cfg.W, 1280), min(cfg.H, 720)
	}
	costs := map[string]cost{}
	for _, p := range e.paths {
		if p.path == "mesh" {
			continue
		}
		t, err := e.measurePath(cfg, p, sizes)
		if err != nil {
			return err
		}
		costs[p.path] = t
	}
	mesh := meshCost{}
	if p, ok := e.find("mesh"); ok && cfg.MeshError > 0 {
		var err error
		if mesh, err = e.measureMesh(cfg, p); err != nil {
			return err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.costs, e.mesh = costs, mesh
	return nil
}

func (e *Engine) measurePath(cfg sink.Config, p candidate, sizes samples) (t cost, err error) {
	c, err := e.newCanvas(cfg, []candidate{p}, Tuning{})
	if err != nil {
		return t, err
	}
	defer c.Close()
	for i, spread := range spreads {
		events := scatter(cfg, min(sizes[len(sizes)-1], c.limit), spread)
		for k, n := range sizes {
			some := events[:min(n, len(events))]
			if t[i].contributions[k], t[i].area, t[i].seconds[k], err = c.time(some, c.draw(p)); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// draw returns what draws the pending batch of n events by a path.
func (c *Canvas) draw(p candidate) func(n int) error {
	return func(n int) error { return c.accumulateAll(p, c.scratch.all["events"], n) }
}

// time draws one batch of events over and over and returns its contributions, the area of its stamps, px, and the device seconds
// of the fastest drawing.
func (c *Canvas) time(events []event.Event, draw func(n int) error) (contributions, area, least float64, err error) {
	for chunk := range slices.Chunk(events, event.ChunkLen) {
		if err := c.Deposit(context.Background(), chunk); err != nil {
			return 0, 0, 0, err
		}
	}
	c.front.flush()
	least = math.Inf(1)
	err = c.ask(context.Background(), func() error {
		contributions, area = c.pending.covered(c.cfg.W, c.cfg.H)
		for n, start := 0, time.Now(); n < 2 || c.engine.info.Type != vk.CPU && time.Since(start) < warming; n++ {
			if err := c.reserve(c.pending.bound); err != nil {
				return err
			}
			c.batches++
			before := c.busy()
			if err := draw(c.pending.n); err != nil {
				return err
			}
			least = min(least, c.busy()-before)
		}
		c.pending.reset()
		return nil
	})
	return contributions, area, max(least, 1e-9), err
}

// scatter returns n events of flux 1 in a square around the frame's centre, from a 64-bit linear congruential generator
// (Knuth, MMIX).
func scatter(cfg sink.Config, n int, spread float64) []event.Event {
	x := uint64(12345)
	along := func(size int) float64 {
		x = x*6364136223846793005 + 1442695040888963407
		u := float64(x>>11) / (1 << 53)
		return float64(size-1)/2 + (u-0.5)*min(spread, float64(size))
	}
	_, support := cfg.PSF.Classify(1)
	events := make([]event.Event, n)
	for i := range events {
		events[i] = event.Event{X: along(cfg.W), Y: along(cfg.H), R: 1, G: 1, B: 1, Flux: 1, Support: support}
	}
	return events
}
