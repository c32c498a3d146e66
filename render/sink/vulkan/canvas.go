package vulkan

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/hdr"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
	"grsplat/render/sink/direct"
	"grsplat/shaders"
	"grsplat/vk"
)

// A Canvas is one frame on an engine's device. Workers fill slots; one goroutine drives the device.
type Canvas struct {
	engine *Engine
	owned  bool // the engine is closed with the canvas
	cfg    sink.Config
	tuning Tuning
	paths  []candidate // that this canvas may use; more than one leaves the choice to auto
	record int         // bytes of a prepared event
	peak   float64     // largest kernel weight

	frame   *frame
	kernel  *vk.Buffer
	mesh    *blockMesh // nil until the mesh path is first used
	noMesh  bool       // the mesh cannot be had
	scratch *scratch
	direct  *direct.Adder

	brightMu sync.Mutex
	bright   *cpu.Reference // events beyond 64-bit words

	warm       time.Duration // of untimed work before each batch, for measurements
	slotEvents int
	front      *front
	work       chan parcel
	stopped    chan struct{}

	mu    sync.Mutex
	err   error // the first failure; afterwards only Close does anything
	slots []*slot

	// Of the device's goroutine.
	pending density // the batch being gathered
	limit   int     // events of a batch
	batches int
	lose    int     // the batch that a test makes lose an event
	inWord  float64 // quanta that a first word may hold
	carried bool    // second words may be other than zero
	total   float64 // quanta that a sum may hold
	stats   sink.Stats
	sums    *hdr.Sums
}

// A parcel is work for the device's goroutine: a full slot, or a request answered through done.
type parcel struct {
	slot *slot
	do   func() error
	done chan error
}

var (
	errTotal = errors.New("the sums may have passed 2^93 quanta")
	errLost  = errors.New("the device lost events")
)

// Open opens a device and one canvas on it.
func Open(cfg sink.Config, o Options) (*Canvas, error) {
	e, err := OpenEngine(cfg, o)
	if err != nil {
		return nil, err
	}
	c, err := e.Canvas(cfg)
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	c.owned = true
	return c, nil
}

// Canvas returns a black canvas for cfg, whose path is one of the engine's.
func (e *Engine) Canvas(cfg sink.Config) (*Canvas, error) {
	paths := e.paths
	if cfg.Path != "" && cfg.Path != "auto" {
		p, ok := e.find(cfg.Path)
		if !ok {
			return nil, fail.Backend("vulkan: %s: path %s of precision %v is not open", e.info.Name, cfg.Path, e.precision)
		}
		paths = []candidate{p}
	}
	c, err := e.newCanvas(cfg, paths, e.options.Tuning)
	if err != nil {
		return nil, err
	}
	c.lose = e.options.Faults.LoseEvent
	return c, nil
}

func (e *Engine) newCanvas(cfg sink.Config, paths []candidate, tuning Tuning) (*Canvas, error) {
	c := &Canvas{engine: e, cfg: cfg, tuning: tuning, paths: paths, peak: cfg.PSF.Kernel.Peak(), record: shaders.RecordF64, direct: direct.New(cfg),
		warm: e.options.Warm, scratch: newScratch(e.device), work: make(chan parcel), stopped: make(chan struct{}), pending: newDensity(cfg.W, cfg.H)}
	if e.precision == sink.F32 {
		c.record = shaders.RecordF32
	}
	c.stats = sink.Stats{Backend: "vulkan", Device: e.info.Name, Driver: fmt.Sprintf("%s %s", e.info.Driver.Name, e.info.Driver.Info),
		Path: "auto", PathChunks: map[string]int64{}, PathEvents: map[string]int64{}, Costs: map[string]float64{}}
	if len(paths) == 1 {
		c.stats.Path = paths[0].path
	}
	if err := c.allocate(); err != nil {
		c.free()
		return nil, err
	}
	c.front = c.newFront()
	go c.pump()
	return c, nil
}

func (c *Canvas) allocate() (err error) {
	if c.frame, err = c.engine.newFrame(c.cfg.W, c.cfg.H, c.tuning.BandRows); err != nil {
		return err
	}
	if err = c.uploadKernel(); err != nil {
		return err
	}
	if c.limit, err = c.batchLimit(); err != nil {
		return err
	}
	c.slotEvents = min(slotEvents, c.limit)
	if n := c.tuning.SlotEvents; n > 0 {
		c.slotEvents = min(c.slotEvents, n)
	}
	return nil
}

// pump drives the device until the canvas is closed. After a failure it only hands slots back.
func (c *Canvas) pump() {
	defer close(c.stopped)
	for p := range c.work {
		err := c.failed()
		if p.slot != nil {
			if err == nil {
				err = c.take(p.slot)
			}
			p.slot.reset()
			p.slot.free <- p.slot
		} else if err == nil {
			err = p.do()
		}
		c.latch(err)
		if p.done != nil {
			p.done <- err
		}
	}
}

func (c *Canvas) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *Canvas) latch(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
}

// ask runs do on the device's goroutine.
func (c *Canvas) ask(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	select {
	case c.work <- parcel{do: do, done: done}:
	case <-ctx.Done():
		return fmt.Errorf("vulkan: %w", ctx.Err())
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("vulkan: %w", ctx.Err())
	}
}

// Deposit sums a chunk through the canvas's own front.
func (c *Canvas) Deposit(ctx context.Context, chunk []event.Event) error {
	return c.front.Deposit(ctx, chunk)
}

func (c *Canvas) newSlot(free chan<- *slot) (*slot, error) {
	size := uint64(c.record)
	if c.record == shaders.RecordF64 {
		size = 56
	}
	b, err := c.engine.device.NewBuffer("staging", size*uint64(c.slotEvents), vk.Upload)
	if err != nil {
		return nil, deviceError("staging", err)
	}
	s := &slot{buffer: b, free: free, density: newDensity(c.cfg.W, c.cfg.H)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slots = append(c.slots, s)
	return s, nil
}

// Close stops the device's goroutine and frees everything, the engine too when Open made it.
func (c *Canvas) Close() error {
	close(c.work)
	<-c.stopped
	c.free()
	if c.owned {
		return c.engine.Close()
	}
	return nil
}

func (c *Canvas) free() {
	for _, s := range c.slots {
		s.buffer.Free()
	}
	c.scratch.free()
	c.mesh.free()
	c.kernel.Free()
	c.frame.free()
}

// deviceError is a failure of a running device.
func deviceError(stage string, err error) error { return fail.Device("vulkan: %s: %w", stage, err) }
