package vk

import (
	"errors"
	"fmt"
	"math/bits"
)

// MemoryFlags are VkMemoryPropertyFlagBits.
type MemoryFlags uint32

// The bits that a choice of memory looks at; the rest need features that this package never enables.
const (
	DeviceLocal  MemoryFlags = 1
	HostVisible  MemoryFlags = 2
	HostCoherent MemoryFlags = 4
	HostCached   MemoryFlags = 8
	usableFlags              = DeviceLocal | HostVisible | HostCoherent | HostCached
)

// Use says how a buffer is reached, and so which memory holds it.
type Use int

// A device buffer is never mapped. Upload and readback memory is mapped for its whole life and coherent: what the host
// writes before Submit the device sees, and what the device wrote the host sees after Wait.
const (
	OnDevice Use = iota
	Upload
	Readback
)

// wish orders memory types. Avoiding host-visible device memory keeps large buffers out of the 256 MiB window of a card
// without resizable BAR, and avoiding device memory keeps staging out of it; where every type is both, as on an
// integrated GPU, avoiding changes nothing.
type wish struct{ required, preferred, avoided MemoryFlags }

var wishes = map[Use]wish{
	OnDevice: {preferred: DeviceLocal, avoided: HostVisible},
	Upload:   {required: HostVisible | HostCoherent, avoided: DeviceLocal | HostCached},
	Readback: {required: HostVisible | HostCoherent, preferred: HostCached, avoided: DeviceLocal},
}

// chooseType returns the index of the allowed type with every required bit, then most preferred and fewest avoided bits;
// -1 if there is none. Of equals the first wins, as the specification orders types by speed.
func chooseType(types []MemoryType, allowed uint32, w wish) int {
	choice, score := -1, 0
	for i, t := range types {
		if allowed>>i&1 == 0 || t.Flags&w.required != w.required || t.Flags&^usableFlags != 0 {
			continue
		}
		s := 8*bits.OnesCount32(uint32(t.Flags&w.preferred)) - bits.OnesCount32(uint32(t.Flags&w.avoided))
		if choice < 0 || s > score {
			choice, score = i, s
		}
	}
	return choice
}

// available returns the bytes of a heap that may be allocated in all. A budget of VK_EXT_memory_budget counts when it is
// between 1/64 of the heap and any multiple, clamped to the heap; otherwise 70 % of the heap may be used, or 50 % of one
// under 4 GiB, because an over-committed allocation succeeds and loses the device at submission.
func available(h Heap) uint64 {
	if h.Budget >= h.Bytes/64 && h.Budget > 0 && h.Usage <= h.Bytes {
		return min(h.Budget, h.Bytes)
	}
	if h.Bytes < 4<<30 {
		return h.Bytes / 2
	}
	return h.Bytes / 10 * 7
}

// free returns what is left of a heap of which this device holds own bytes.
func free(h Heap, own uint64) uint64 {
	all, used := available(h), own
	if h.Budget > 0 {
		used = max(own, min(h.Usage, h.Bytes))
	}
	return all - min(all, used)
}

// MemoryError says that a buffer does not fit; it is an ErrOutOfMemory.
type MemoryError struct {
	Name             string // the buffer
	Want, Free, Heap uint64 // bytes
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%s: %v: %s wanted, %s of %s free", e.Name, ErrOutOfMemory, size(e.Want), size(e.Free), size(e.Heap))
}

func (e *MemoryError) Unwrap() error { return ErrOutOfMemory }

func size(n uint64) string {
	switch {
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

// Memory is the device's account of its largest device-local heap, in bytes.
type Memory struct {
	Used uint64 // held by buffers now, on every heap
	Peak uint64 // most ever held
	Free uint64 // what may still be allocated of device memory
}

// Memory reads the account; Free follows the other programs on the device where VK_EXT_memory_budget is there.
func (d *Device) Memory() Memory {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := Memory{Peak: d.peak}
	for _, n := range d.used {
		m.Used += n
	}
	if t := chooseType(d.info.Types, ^uint32(0), wishes[OnDevice]); t >= 0 {
		h := d.info.Types[t].Heap
		m.Free = free(d.heaps()[h], d.used[h])
	}
	return m
}

func (d *Device) heaps() []Heap {
	if d.faults.MemoryBytes == 0 {
		return d.nativeHeaps()
	}
	h := d.nativeHeaps()
	for i := range h {
		h[i].Budget, h[i].Usage = d.faults.MemoryBytes, 0
	}
	return h
}

// errInjected is the cause of a fault that a test asked for.
var errInjected = errors.New("injected fault")
