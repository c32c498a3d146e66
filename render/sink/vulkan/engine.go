package vulkan

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"grsplat/render/fail"
	"grsplat/render/sink"
	"grsplat/shaders"
	"grsplat/vk"
)

// Options are what only this backend has. The zero value is right for a render.
type Options struct {
	Library    string        // of the Vulkan loader; "" finds it as usual
	Validation bool          // the validation layer with synchronization checks, for tests
	CacheFile  string        // pipeline cache; "" keeps none
	Budget     time.Duration // of one submission; 0 is 100 ms
	Warm       time.Duration // work on the device before each batch, untimed, for measurements: the clocks of an idle device are low
	Tuning     Tuning
	Faults     Faults
}

// Tuning forces sizes that otherwise follow from the device, so that small tests reach every branch. Zero means derived.
type Tuning struct {
	BatchEvents int    // events of a device batch, at most
	SlotEvents  int    // events of a staging slot
	ListEntries uint64 // entries of a tile list buffer
	SplitMin    uint32 // list entries that one partial sum takes, at least
	SplitTarget uint32 // partial sums of a batch, about
	BandRows    int    // rows of the frame bound at once
	MeshEvents  int    // events of a batch from which auto weighs the mesh
}

// Faults are injected by tests.
type Faults struct {
	Device    vk.Faults
	LoseEvent int    // this batch, counted from 1, prepares one event less than it was given
	SelfTest  string // this variant's self-test reads a wrong pixel
}

// An Engine is an open device with the kernels of one precision, each proved on it. Canvases of any size and PSF share it.
type Engine struct {
	instance  *vk.Instance
	device    *vk.Device
	info      vk.Info
	precision sink.Precision
	paths     []candidate
	manifest  shaders.Manifest
	options   Options
	log       *slog.Logger

	measuring sync.Mutex // held while auto measures

	mu    sync.Mutex
	pipes map[string]*vk.Pipeline
	costs map[string]cost // measured by auto, by path
	rates map[string]rate // by variant, and of binning
	mesh  meshCost        // measured by auto
}

// OpenEngine opens the device that cfg names with the paths that it names, and proves each on the device.
func OpenEngine(cfg sink.Config, o Options) (*Engine, error) {
	if err := possible(cfg); err != nil {
		return nil, err
	}
	in, err := vk.Open(vk.Options{Library: o.Library, Validation: o.Validation})
	if err != nil {
		return nil, fail.Backend("%w", err)
	}
	e, err := newEngine(in, cfg, o)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return e, nil
}

func newEngine(in *vk.Instance, cfg sink.Config, o Options) (*Engine, error) {
	info, err := vk.Select(in.Devices(), cfg.Device)
	if err != nil {
		return nil, fail.Backend("%w", err)
	}
	found, err := candidates(info, cfg)
	if err != nil {
		return nil, err
	}
	manifest, err := shaders.Committed()
	if err != nil {
		return nil, err
	}
	device, err := in.NewDevice(info, vk.DeviceOptions{Features: features(found, cfg.Precision), CacheFile: o.CacheFile, CacheKey: manifest.Key(), Faults: o.Faults.Device})
	if err != nil {
		return nil, fail.Backend("%w", err)
	}
	if o.Budget == 0 {
		o.Budget = 100 * time.Millisecond
	}
	e := &Engine{instance: in, device: device, info: device.Info(), precision: cfg.Precision, paths: found, manifest: manifest, options: o,
		log: cfg.Log, pipes: map[string]*vk.Pipeline{}, costs: map[string]cost{}, rates: map[string]rate{}}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if err := e.prove(cfg); err != nil {
		return nil, errors.Join(err, e.release())
	}
	return e, nil
}

// prove runs the self-test of every candidate and keeps those that pass. A path that the user named must pass.
func (e *Engine) prove(cfg sink.Config) error {
	tried := e.paths
	var reasons []string
	e.paths = nil
	for _, c := range tried {
		err := e.selfTest(c)
		switch {
		case err == nil:
			e.paths = append(e.paths, c)
		case e.device.Lost() != nil || errors.Is(err, vk.ErrOutOfMemory):
			return err
		default:
			reasons = append(reasons, err.Error())
			e.log.Warn("path refused", "device", e.info.Name, "reason", err.Error())
		}
	}
	if len(e.paths) == 0 {
		return fail.Backend("vulkan: %s: %s", e.info.Name, strings.Join(reasons, "; "))
	}
	return nil
}

// pipeline returns a compiled kernel, made at its first use.
func (e *Engine) pipeline(name string) (*vk.Pipeline, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p := e.pipes[name]; p != nil {
		return p, nil
	}
	v, ok := shaders.Lookup(name)
	if !ok {
		return nil, fail.Backend("vulkan: no kernel %s", name)
	}
	code, err := v.Code()
	if err != nil {
		return nil, err
	}
	n, err := e.manifest.Bindings(name)
	if err != nil {
		return nil, err
	}
	p, err := e.device.NewPipeline(vk.PipelineConfig{Name: name, Code: code, Bindings: n, Push: shaders.PushBytes})
	if err != nil {
		return nil, fail.Device("vulkan: pipeline: %w", err)
	}
	e.pipes[name] = p
	return p, nil
}

// Paths are the names of the paths that passed.
func (e *Engine) Paths() []string {
	var names []string
	for _, c := range e.paths {
		names = append(names, c.path)
	}
	return names
}

// Info describes the device.
func (e *Engine) Info() vk.Info { return e.info }

// Messages are the validation layer's findings.
func (e *Engine) Messages() []vk.Message { return e.instance.Messages() }

func (e *Engine) find(path string) (candidate, bool) {
	i := slices.IndexFunc(e.paths, func(c candidate) bool { return c.path == path })
	if i < 0 {
		return candidate{}, false
	}
	return e.paths[i], true
}

// release frees the kernels and the device.
func (e *Engine) release() error {
	if e.options.CacheFile != "" && e.device.Lost() == nil {
		if err := e.device.SaveCache(); err != nil {
			e.log.Debug("pipeline cache not written", "reason", err.Error())
		}
	}
	for _, p := range e.pipes {
		p.Free()
	}
	return e.device.Close()
}

// Close frees the device and the instance. Its canvases are closed before.
func (e *Engine) Close() error { return errors.Join(e.release(), e.instance.Close()) }
