//go:build hip

package hip

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/hdr"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
	"grsplat/render/sink/direct"
	"grsplat/render/sink/quanta"
)

// A Canvas is one frame on a device. Workers' fronts copy events into the slot that is being filled, one at a time.
type Canvas struct {
	*device
	cfg    sink.Config
	paths  []string // that auto chooses from, or the one asked for; the mesh is none of them
	use    use      // of the mesh
	size   sizes
	peak   float64 // largest weight
	mem    memory
	direct *direct.Adder

	mu      sync.Mutex
	err     error // the first failure; afterwards only Close does anything
	slots   [2]slot
	filling int            // index of the slot that takes events
	inWord  float64        // quanta that a first word may hold now
	total   float64        // quanta that a sum may hold
	bright  *cpu.Reference // events beyond 64-bit words, made by the first of them
	costs   costs
	mesh    *blockMesh // once it is used
	weigh   weigh
	spent   float64 // s that tiles have taken
	stats   sink.Stats
	exact   *hdr.Sums // of the last Resolve
	logged  time.Time
}

var _ interface {
	sink.Exact
	sink.Parallel
	sink.Reporter
} = (*Canvas)(nil)

// New opens a canvas on the device that cfg names and proves its paths on it.
func New(cfg sink.Config) (sink.Canvas, error) { return newCanvas(cfg, usual) }

func newCanvas(cfg sink.Config, size sizes) (sink.Canvas, error) {
	paths, err := pathsOf(cfg)
	if err != nil {
		return nil, err
	}
	d, err := choose(cfg.Device)
	if err != nil {
		return nil, err
	}
	if err := d.selfTest(cfg, paths); err != nil {
		return nil, errors.Join(err, d.close())
	}
	c, err := d.canvas(cfg, paths, size)
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	if cfg.Precision == sink.F32 && cfg.Log != nil {
		cfg.Log.Info("hip: precision f32 is summed in float64")
	}
	return c, nil
}

// pathsOf returns the paths that cfg allows.
func pathsOf(cfg sink.Config) ([]string, error) {
	all := map[sink.Precision][]string{sink.F64: {"tile16", "mesh"}, sink.Exact128: {"tile16", "atomic"}, sink.F32: {"tile16"}}[cfg.Precision]
	switch {
	case cfg.Path == "" || cfg.Path == "auto":
		if !(cfg.MeshError > 0) {
			all = slices.DeleteFunc(all, func(p string) bool { return p == "mesh" })
		}
		return all, nil
	case slices.Contains(all, cfg.Path):
		return []string{cfg.Path}, nil
	}
	return nil, fail.Usage("hip: no path %s in precision %v; there is auto, %s", cfg.Path, cfg.Precision, strings.Join(all, ", "))
}

// canvas makes a black canvas on the device, with batches of that size.
func (d *device) canvas(cfg sink.Config, paths []string, size sizes) (*Canvas, error) {
	c := &Canvas{device: d, cfg: cfg, size: size, peak: cfg.PSF.Kernel.Peak(), direct: direct.New(cfg), costs: costs{}, weigh: usualWeigh, logged: time.Now()}
	c.paths, c.use = split(paths)
	c.stats = sink.Stats{Backend: "hip", Device: d.Name, Driver: d.Runtime + " " + d.Target, Path: "auto",
		PathChunks: map[string]int64{}, PathEvents: map[string]int64{}}
	if len(paths) == 1 {
		c.stats.Path = paths[0]
	}
	err := d.on(func() error {
		if err := c.allocate(); err != nil || c.use != alwaysMesh {
			return err
		}
		return c.openMesh()
	})
	if err != nil {
		return nil, errors.Join(err, c.discard())
	}
	return c, nil
}

// split tells the mesh from the other paths. What the mesh leaves, where it alone was asked for, goes to tiles.
func split(paths []string) ([]string, use) {
	i := slices.Index(paths, "mesh")
	switch {
	case i < 0:
		return paths, neverMesh
	case len(paths) == 1:
		return []string{"tile16"}, alwaysMesh
	}
	return slices.Delete(slices.Clone(paths), i, i+1), mayMesh
}

// Front returns a worker's way into the canvas, which needs nothing of its own.
func (c *Canvas) Front() (sink.Sink, error) { return front{c}, nil }

type front struct{ *Canvas }

// Close leaves the canvas open.
func (front) Close() error { return nil }

// Deposit sums a chunk: direct events and those beyond 64-bit words on the CPU, the others on the device.
func (c *Canvas) Deposit(ctx context.Context, chunk []event.Event) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("hip: deposit: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	for i := range chunk {
		if err := c.deposit(ctx, &chunk[i]); err != nil {
			return c.fail(err)
		}
	}
	c.progress()
	return nil
}

func (c *Canvas) deposit(ctx context.Context, e *event.Event) error {
	if c.cfg.PSF.IsDirect(e.Flux) {
		return c.direct.Add(ctx, e)
	}
	bound := 0.0
	if c.cfg.Precision == sink.Exact128 {
		if bound = quanta.Bound(e, c.peak, c.cfg.QuantumBits); !(bound <= quanta.Bright) {
			return c.addBright(ctx, e)
		}
	}
	c.stats.Events++
	s := &c.slots[c.filling]
	cells, touches := s.reach(e)
	if !touches {
		c.stats.PathEvents["off-frame"]++
		return nil
	}
	if s.full(cells.cells()) || s.bound+bound > quanta.Word-quanta.Carried {
		if err := c.submit(); err != nil {
			return err
		}
		s = &c.slots[c.filling]
	}
	s.add(e, cells)
	s.bound += bound
	return nil
}

func (c *Canvas) addBright(ctx context.Context, e *event.Event) error {
	if c.bright == nil {
		c.bright = cpu.NewReference(c.cfg)
	}
	return c.bright.Deposit(ctx, []event.Event{*e})
}

// fail drains the stream, so that nothing of the device's still reads or writes the canvas's memory, and keeps the error.
func (c *Canvas) fail(err error) error {
	if drain := c.finally(func() error { return c.wait(c.stream) }); drain != nil {
		err = fmt.Errorf("%w; then %w", err, drain)
	}
	c.err = err
	return err
}

// progress logs a line every five seconds.
func (c *Canvas) progress() {
	if c.cfg.Log != nil && time.Since(c.logged) > 5*time.Second {
		c.logged = time.Now()
		c.cfg.Log.Info("accumulating", "backend", "hip", "events", c.stats.Events, "contributions", c.stats.Contributions)
	}
}

// Close drains the stream and frees everything.
func (c *Canvas) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Join(c.discard(), c.device.close())
}

// discard drains the stream and frees what the canvas holds, but not its device.
func (c *Canvas) discard() error {
	return c.finally(func() error { return errors.Join(c.wait(c.stream), c.release()) })
}
