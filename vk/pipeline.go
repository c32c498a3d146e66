package vk

import (
	"encoding/binary"
	"fmt"
)

// Spec is a specialization constant: a 32-bit value by its constant_id.
type Spec struct{ ID, Value uint32 }

// PipelineConfig describes a compute pipeline with entry point main. Its bindings are storage buffers 0..Bindings-1 of
// descriptor set 0.
type PipelineConfig struct {
	Name     string
	Code     []byte // SPIR-V
	Bindings int
	Push     int // bytes of push constants, a multiple of 4
	Spec     []Spec
}

// Pipeline is a compiled shader.
type Pipeline struct {
	device   *Device
	handle   pipelineHandle
	name     string
	bindings int
	push     int
	freed    bool
}

// maxBindings is what one dispatch may bind; the C side's arrays have this length.
const maxBindings = 32

// NewPipeline compiles a shader, or takes it from the pipeline cache.
func (d *Device) NewPipeline(c PipelineConfig) (*Pipeline, error) {
	l := d.info.Limits
	switch {
	case len(c.Code) == 0 || len(c.Code)%4 != 0:
		return nil, fmt.Errorf("%s: spir-v of %d bytes", c.Name, len(c.Code))
	case c.Bindings > maxBindings || uint64(c.Bindings) > l.MaxPerStageDescriptorStorageBuffers:
		return nil, fmt.Errorf("%s: %d bindings, the device allows %d", c.Name, c.Bindings, min(maxBindings, l.MaxPerStageDescriptorStorageBuffers))
	case c.Push%4 != 0 || uint64(c.Push) > l.MaxPushConstantsSize:
		return nil, fmt.Errorf("%s: %d bytes of push constants, the device allows %d", c.Name, c.Push, l.MaxPushConstantsSize)
	}
	code := make([]uint32, len(c.Code)/4)
	for i := range code {
		code[i] = binary.LittleEndian.Uint32(c.Code[4*i:])
	}
	var ids, values []uint32
	for _, s := range c.Spec {
		ids, values = append(ids, s.ID), append(values, s.Value)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost != nil {
		return nil, d.lost
	}
	h, s := d.nativePipeline(code, c.Bindings, c.Push, ids, values)
	if err := d.check(s, c.Name); err != nil {
		return nil, err
	}
	p := &Pipeline{device: d, handle: h, name: c.Name, bindings: c.Bindings, push: c.Push}
	d.pipelines[p] = struct{}{}
	return p, nil
}

// Free waits for the device and frees the pipeline; a second call does nothing. A nil pipeline is allowed.
func (p *Pipeline) Free() {
	if p == nil {
		return
	}
	p.device.Wait()
	p.device.mu.Lock()
	defer p.device.mu.Unlock()
	p.release()
}

func (p *Pipeline) release() {
	if p.freed {
		return
	}
	p.freed = true
	p.nativeFree()
	delete(p.device.pipelines, p)
}
