package search

import (
	"encoding/binary"
	"fmt"
	"slices"

	"grsplat/render/fail"
	"grsplat/shaders"
	"grsplat/vk"
)

// vulkanEngine runs batches on a Vulkan device. A batch is three submissions: roots, expansion, search; the last is cut into
// several only where the device would work on it longer than a watchdog allows. Buffers grow and are kept.
type vulkanEngine struct {
	instance  *vk.Instance
	device    *vk.Device
	shape     Shape
	pipelines map[string]*vk.Pipeline
	buffers   map[string]*vk.Buffer
	pace      map[filter]*vk.Pacer
	plan      *plan
}

// VulkanOptions choose the device, and how its kernels are cut.
type VulkanOptions struct {
	Device     string    // index, or part of a name or UUID; "" is the first GPU
	Validation bool      // with the validation layer, whose findings end Close with an error
	Workgroup  int       // invocations that share a task; 0 is 64
	Faults     vk.Faults // make a test's device fail
}

// The state words of search_common.glsl.
const (
	wordRoots = iota
	wordListed
	wordExpanded
	wordSearched
	wordClusters
	stateWords = 8
)

// Prefixes of the device's lists that are read back with their counters; longer lists take a second copy.
const (
	rootsPrefix    = 16_384
	clustersPrefix = 4_096
)

// deviceCluster is a record of search_terms.glsl.
type deviceCluster struct{ pos, root, m, solution uint32 }

// NewVulkan starts the device engine. A missing device or driver is a backend error (exit status 4).
func NewVulkan(s Shape, l Limits, o VulkanOptions) (*Searcher, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := l.Validate(); err != nil {
		return nil, err
	}
	if o.Workgroup == 0 {
		o.Workgroup = 64
	}
	if o.Workgroup < 8 || o.Workgroup > 256 || o.Workgroup&(o.Workgroup-1) != 0 {
		return nil, fail.Usage("search: workgroup %d: want a power of two from 8 to 256", o.Workgroup)
	}
	in, err := vk.Open(vk.Options{Validation: o.Validation})
	if err != nil {
		return nil, fail.Backend("search: %w", err)
	}
	e := &vulkanEngine{instance: in, shape: s, pipelines: map[string]*vk.Pipeline{}, buffers: map[string]*vk.Buffer{}, pace: map[filter]*vk.Pacer{}}
	if err := e.start(o); err != nil {
		_ = e.close() // the first error is the one to tell
		return nil, fail.Backend("search: %w", err)
	}
	return &Searcher{shape: s, limits: l, engine: e}, nil
}

func (e *vulkanEngine) start(o VulkanOptions) error {
	info, err := vk.Select(e.instance.Devices(), o.Device)
	if err != nil {
		return err
	}
	if e.device, err = e.instance.NewDevice(info, vk.DeviceOptions{Faults: o.Faults}); err != nil {
		return err
	}
	shape := []vk.Spec{{ID: 0, Value: uint32(e.shape.K)}, {ID: 1, Value: uint32(e.shape.L)}}
	task := append(slices.Clip(shape), vk.Spec{ID: 2, Value: uint32(o.Workgroup)})
	for _, p := range []struct {
		name, variant string
		push          int
		spec          []vk.Spec
	}{
		{"roots", "search-roots", 8, shape},
		{"expand", "search-expand", 8, shape},
		{"each", "search-each", 12, task},
		{"sieve-13", "search-sieve", 12, append(slices.Clip(task), vk.Spec{ID: 3, Value: groupBits})},
		{"sieve-12", "search-sieve", 12, append(slices.Clip(task), vk.Spec{ID: 3, Value: groupBits - 1})},
	} {
		if e.pipelines[p.name], err = pipeline(e.device, p.variant, p.push, p.spec); err != nil {
			return err
		}
	}
	return e.uploadEven()
}

func pipeline(d *vk.Device, name string, push int, spec []vk.Spec) (*vk.Pipeline, error) {
	variant, ok := shaders.Lookup(name)
	if !ok {
		return nil, fmt.Errorf("shaders: no variant %s", name)
	}
	code, err := variant.Code()
	if err != nil {
		return nil, err
	}
	manifest, err := shaders.Committed()
	if err != nil {
		return nil, err
	}
	bindings, err := manifest.Bindings(name)
	if err != nil {
		return nil, err
	}
	return d.NewPipeline(vk.PipelineConfig{Name: name, Code: code, Bindings: bindings, Push: push, Spec: spec})
}

// uploadEven puts the set of even states on the device, once, and makes the state words.
func (e *vulkanEngine) uploadEven() error {
	set := evenStates()
	up, err := e.room("upload", lowSize/8, vk.Upload)
	if err != nil {
		return err
	}
	even, err := e.room("even", lowSize/8, vk.OnDevice)
	if err != nil {
		return err
	}
	copy(vk.View[uint64](up), set[:rootWords])
	b := e.device.Batch("even states")
	b.Copy(even.At(0, lowSize/8), up.At(0, lowSize/8))
	_, err = b.Run()
	return err
}

// room returns the buffer of a name with at least size bytes, a new and larger one where the old is too small. What the old
// one held is lost.
func (e *vulkanEngine) room(name string, size int, use vk.Use) (*vk.Buffer, error) {
	old := e.buffers[name]
	if old != nil && old.Size() >= uint64(size) {
		return old, nil
	}
	old.Free()
	delete(e.buffers, name)
	grown := max(uint64(size), 4096)
	grown += grown / 4 &^ 15
	b, err := e.device.NewBuffer("search "+name, grown, use)
	if err != nil {
		return nil, err
	}
	e.buffers[name] = b
	return b, nil
}

// rooms makes room on the device for lists of these sizes in bytes, and returns what to bind for each.
func (e *vulkanEngine) rooms(sizes map[string]int) (func(name string) vk.Slice, error) {
	for name, size := range sizes {
		if _, err := e.room(name, size, vk.OnDevice); err != nil {
			return nil, fail.Device("%w", err)
		}
	}
	return func(name string) vk.Slice { return e.buffers[name].At(0, uint64(sizes[name])) }, nil
}

func (e *vulkanEngine) name() string {
	info := e.device.Info()
	return fmt.Sprintf("vulkan, %s (%s)", info.Name, info.Driver.Name)
}

// close frees everything and reports what the validation layer found.
func (e *vulkanEngine) close() error {
	var first error
	if e.device != nil {
		for _, p := range e.pipelines {
			p.Free()
		}
		for _, b := range e.buffers {
			b.Free()
		}
		first = e.device.Close()
	}
	for _, m := range e.instance.Messages() {
		if m.Validation && first == nil {
			first = fmt.Errorf("search: validation: %s", m)
		}
	}
	if err := e.instance.Close(); first == nil {
		first = err
	}
	if first != nil {
		return fail.Device("%w", first)
	}
	return nil
}

func words(values ...uint32) []byte {
	var out []byte
	for _, v := range values {
		out = binary.NativeEndian.AppendUint32(out, v)
	}
	return out
}

func (e *vulkanEngine) tasks() ([]Task, error) {
	n := e.plan.taskCount()
	if n == 0 {
		return nil, nil
	}
	down, err := e.room("tasks readback", n*8, vk.Readback)
	if err != nil {
		return nil, fail.Device("search: %w", err)
	}
	b := e.device.Batch("search: tasks")
	b.Copy(down.At(0, uint64(n)*8), e.buffers["tasks"].At(0, uint64(n)*8))
	if _, err := b.Run(); err != nil {
		return nil, fail.Device("%w", err)
	}
	return slices.Clone(vk.View[Task](down)[:n]), nil
}
