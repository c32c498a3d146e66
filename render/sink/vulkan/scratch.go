package vulkan

import (
	"math/bits"

	"grsplat/shaders"
	"grsplat/vk"
)

// The buffers of a batch. They grow to the largest batch seen and are otherwise reused, since a batch has left the device
// before the next begins.
type scratch struct {
	device *vk.Device
	limit  uint64 // bytes that one binding holds
	all    map[string]*vk.Buffer
}

func newScratch(d *vk.Device) *scratch {
	return &scratch{device: d, limit: d.Info().Limits.MaxStorageBufferRange, all: map[string]*vk.Buffer{}}
}

// get returns the named buffer with room for bytes. What it held is lost when it grows.
func (s *scratch) get(name string, bytes uint64, use vk.Use) (*vk.Buffer, error) {
	b := s.all[name]
	if b != nil && b.Size() >= bytes {
		return b, nil
	}
	size := max(bytes, 4096)
	if grown := uint64(1) << bits.Len64(size-1); grown <= s.limit && grown <= size+size/4 {
		size = grown
	}
	b.Free()
	delete(s.all, name)
	b, err := s.device.NewBuffer(name, (size+15)/16*16, use)
	if err != nil {
		return nil, err
	}
	s.all[name] = b
	return b, nil
}

func (s *scratch) free() {
	for _, b := range s.all {
		b.Free()
	}
	clear(s.all)
}

// room is the bytes of device memory that a batch takes for each event, staging aside.
func room(record int, perTile, perCell float64) float64 {
	event := 56.0
	if record == shaders.RecordF32 {
		event = 0
	}
	lists := 4*perTile + 2*4*perCell
	counters := 64 * 4 / float64(shaders.Segment) * (1 + perCell)
	return event + float64(record) + 16 + 4 + lists + counters
}
