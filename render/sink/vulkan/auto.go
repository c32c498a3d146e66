package vulkan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"grsplat/render/event"
	"grsplat/render/sink"
	"grsplat/vk"
)

// What a contribution costs depends on how events crowd: atomics on few pixels queue up, tile lists in few tiles are cut and
// merged, weights are read from near or far memory. auto measures every path at three spreads on the device itself and
// interpolates in the logarithm of the area that the stamps cover; what batches then take corrects the figures.

// spreads of the measured inputs, px: edge of the square that holds the events' centres.
var spreads = [3]float64{1, 100, math.MaxInt32}

const (
	gpuSample = 65536 // events of a measured input
	cpuSample = 64    // on a software device
	fewEvents = 16    // of the input that measures what a batch costs at least
)

// A cost is one path's measured times.
type cost struct {
	batch  float64    // s, of a batch of next to nothing
	area   [3]float64 // px that the stamps of an input cover, ascending
	single [3]float64 // s of a contribution at that area
}

// seconds predicts a batch of so many contributions over an area, px.
func (t *cost) seconds(contributions, area float64) float64 {
	x := math.Log(max(area, 1))
	i := 0
	if area > t.area[1] {
		i = 1
	}
	a, b := math.Log(t.area[i]), math.Log(t.area[i+1])
	u := min(max((x-a)/max(b-a, 1e-9), 0), 1)
	return t.batch + contributions*math.Exp((1-u)*math.Log(t.single[i])+u*math.Log(t.single[i+1]))
}

// correct moves the nearest figure half the way, in the logarithm, to what a batch took.
func (t *cost) correct(contributions, area, took float64) {
	if took <= 2*t.batch || contributions <= 0 {
		return
	}
	near := 0
	for i := range t.area {
		if math.Abs(math.Log(t.area[i]/area)) < math.Abs(math.Log(t.area[near]/area)) {
			near = i
		}
	}
	ratio := (took - t.batch) / (t.seconds(contributions, area) - t.batch)
	t.single[near] *= math.Sqrt(min(max(ratio, 0.25), 4))
}

// covered is the area that the batch's stamps cover, px, and contributions their pixels.
func (d *density) covered(w, h int) (contributions, area float64) {
	mean, _ := d.overlap()
	return d.area, min(max(d.area/max(mean, 1), 1), float64(w)*float64(h))
}

// choose returns the path that takes the batch.
func (c *Canvas) choose() (candidate, error) {
	if len(c.paths) == 1 {
		return c.paths[0], nil
	}
	if err := c.engine.measure(c.cfg); err != nil {
		return candidate{}, err
	}
	contributions, area := c.pending.covered(c.cfg.W, c.cfg.H)
	c.engine.mu.Lock()
	defer c.engine.mu.Unlock()
	best, least := c.paths[0], math.Inf(1)
	for _, p := range c.paths {
		t := c.engine.costs[p.path]
		s := t.seconds(contributions, area)
		if p.path == "mesh" {
			s, t = c.predictMesh(), cost{}
		}
		if s < least {
			best, least = p, s
		}
		for i, v := range t.single {
			c.stats.Costs[fmt.Sprintf("%s: ns a contribution over %.3g px", p.path, t.area[i])] = v * 1e9
		}
	}
	c.engine.log.Debug("path chosen", "path", best.path, "events", c.pending.n, "predicted_ms", least*1e3)
	return best, nil
}

// learn corrects the costs by what the batch took on the device.
func (c *Canvas) learn(path candidate, seconds float64) {
	c.engine.mu.Lock()
	defer c.engine.mu.Unlock()
	if path.path == "mesh" && len(c.paths) > 1 {
		c.learnMesh(seconds)
		return
	}
	if t, ok := c.engine.costs[path.path]; ok && len(c.paths) > 1 {
		contributions, area := c.pending.covered(c.cfg.W, c.cfg.H)
		t.correct(contributions, area, seconds)
		c.engine.costs[path.path] = t
	}
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
	n := gpuSample
	if e.info.Type == vk.CPU {
		n = cpuSample
	}
	if e.device.Memory().Free < 2<<30 {
		cfg.W, cfg.H = min(cfg.W, 1280), min(cfg.H, 720)
	}
	costs := map[string]cost{}
	for _, p := range e.paths {
		if p.path == "mesh" {
			continue
		}
		t, err := e.measurePath(cfg, p, n)
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

func (e *Engine) measurePath(cfg sink.Config, p candidate, n int) (t cost, err error) {
	few := scatter(cfg, fewEvents, 1)
	if t.batch, err = e.time(cfg, p, few); err != nil {
		return t, err
	}
	for i, spread := range spreads {
		events := scatter(cfg, n, spread)
		d := newDensity(cfg.W, cfg.H)
		for k := range events {
			d.add(&events[k], events[k].Support, cfg.W, cfg.H)
		}
		contributions, area := d.covered(cfg.W, cfg.H)
		seconds, err := e.time(cfg, p, events)
		if err != nil {
			return t, err
		}
		t.area[i], t.single[i] = area, max(seconds-t.batch, seconds/8)/max(contributions, 1)
	}
	return t, nil
}

// time draws the events three times and returns the least device seconds.
func (e *Engine) time(cfg sink.Config, p candidate, events []event.Event) (float64, error) {
	c, err := e.newCanvas(cfg, []candidate{p}, Tuning{})
	if err != nil {
		return 0, err
	}
	defer c.Close()
	least, before := math.Inf(1), 0.0
	for range 3 {
		for chunk := range slices.Chunk(events, event.ChunkLen) {
			err = errors.Join(err, c.Deposit(context.Background(), chunk))
		}
		c.front.flush()
		if err = errors.Join(err, c.ask(context.Background(), c.runPending)); err != nil {
			return 0, err
		}
		total := c.busy()
		least, before = min(least, total-before), total
	}
	return max(least, 1e-9), nil
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
