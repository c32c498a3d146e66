package vk

import (
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

// budgeted says whether VK_EXT_memory_budget's figures for the heap can be believed.
func budgeted(h Heap) bool {
	return h.Budget > h.Bytes/64 && h.Budget/4 <= h.Bytes && h.Usage <= h.Bytes
}

// free returns how much of a heap may still be allocated, when this device holds own bytes of it: a budget clamped to the
// heap, less what this process uses; else 70 % of the heap, or 50 % of one under 4 GiB, because an over-committed
// allocation succeeds and loses the device at submission.
func free(h Heap, own uint64) uint64 {
	all, used := h.Bytes/10*7, own
	switch {
	case budgeted(h):
		all, used = min(h.Budget, h.Bytes), max(own, h.Usage)
	case h.Bytes < 4<<30:
		all = h.Bytes / 2
	}
	return all - min(all, used)
}

// MemoryError says that a buffer does not fit; it is an ErrOutOfMemory. Limit is the largest single allocation, 0 if
// that was not what it broke.
type MemoryError struct {
	Name                    string // the buffer
	Want, Free, Heap, Limit uint64 // bytes
}

func (e *MemoryError) Error() string {
	if e.Limit > 0 {
		return fmt.Sprintf("%s: %v: %s wanted, one allocation may have %s", e.Name, ErrOutOfMemory, size(e.Want), size(e.Limit))
	}
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

// Memory is an account of what a device's buffers hold, in bytes.
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

// heaps reads the heaps as they are now. d.mu is held.
func (d *Device) heaps() []Heap {
	h := d.nativeHeaps()
	if n := d.faults.MemoryBytes; n > 0 {
		for i := range h {
			h[i] = Heap{Bytes: n, Budget: n, DeviceLocal: h[i].DeviceLocal}
		}
	}
	return h
}
