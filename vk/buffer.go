package vk

import (
	"fmt"
	"unsafe"
)

// Buffer is a storage buffer with memory of its own.
type Buffer struct {
	device  *Device
	name    string
	size    uint64 // bytes
	buffer  uint64 // VkBuffer
	memory  uint64 // VkDeviceMemory
	need    uint64 // bytes of memory
	heap    int
	data    unsafe.Pointer // C memory, nil when not mapped
	last    *Submission    // the latest that uses it
	pending int            // recordings that use it and are not submitted
	freed   bool
}

// NewBuffer allocates size bytes. It fails with a MemoryError before the device is over-committed.
func (d *Device) NewBuffer(name string, size uint64, use Use) (*Buffer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost != nil {
		return nil, d.lost
	}
	if size == 0 {
		return nil, fmt.Errorf("%s: buffer of 0 bytes", name)
	}
	b := &Buffer{device: d, name: name, size: size}
	handle, need, allowed, s := d.nativeBuffer(size)
	if err := d.check(s, name); err != nil {
		return nil, err
	}
	b.buffer, b.need = handle, need
	if err := d.allocate(b, allowed, use); err != nil {
		d.nativeFree(b.buffer, b.memory)
		return nil, err
	}
	d.buffers[b] = struct{}{}
	d.used[b.heap] += need
	var sum uint64
	for _, n := range d.used {
		sum += n
	}
	d.peak = max(d.peak, sum)
	return b, nil
}

func (d *Device) allocate(b *Buffer, allowed uint32, use Use) error {
	t := chooseType(d.info.Types, allowed, wishes[use])
	if t < 0 {
		return fmt.Errorf("%s: no memory type for this use", b.name)
	}
	b.heap = d.info.Types[t].Heap
	h := d.heaps()[b.heap]
	d.allocated++
	full := &MemoryError{Name: b.name, Want: b.need, Free: free(h, d.used[b.heap]), Heap: h.Bytes}
	if limit := d.info.Limits.MaxMemoryAllocationSize; limit > 0 && b.need > limit {
		full.Limit = limit
		return full
	}
	if b.need > full.Free || d.allocated == d.faults.NoMemoryAtAllocate {
		return full
	}
	var s status
	b.memory, b.data, s = d.nativeBind(b.buffer, b.need, t, use != OnDevice)
	if s.code == codeOutOfMemory || s.code == codeOutOfHostMemory {
		return full
	}
	return d.check(s, b.name)
}

// Size is the buffer's length in bytes.
func (b *Buffer) Size() uint64 { return b.size }

// View is the mapped memory of an upload or readback buffer as a slice of T, which holds no pointers, valid until Free; nil
// for a device buffer.
func View[T any](b *Buffer) []T {
	if b.data == nil {
		return nil
	}
	var zero T
	return unsafe.Slice((*T)(b.data), b.size/uint64(unsafe.Sizeof(zero)))
}

// Wait returns when the device has finished every submission that uses b.
func (b *Buffer) Wait() error {
	b.device.mu.Lock()
	last := b.last
	b.device.mu.Unlock()
	if last == nil {
		return nil
	}
	_, err := last.Wait()
	return err
}

// Free waits for the device and frees the buffer; a second call does nothing. A nil buffer is allowed.
func (b *Buffer) Free() {
	if b == nil {
		return
	}
	b.Wait() // a loss was reported where it happened
	b.device.mu.Lock()
	defer b.device.mu.Unlock()
	b.release()
}

func (b *Buffer) release() {
	if b.freed {
		return
	}
	b.freed = true
	b.device.nativeFree(b.buffer, b.memory)
	b.device.used[b.heap] -= b.need
	b.data = nil
	delete(b.device.buffers, b)
}

// Slice is a range of a buffer, in bytes.
type Slice struct {
	Buffer        *Buffer
	Offset, Bytes uint64
}

// All is the whole buffer.
func (b *Buffer) All() Slice { return Slice{b, 0, b.size} }

// At is n bytes of the buffer from offset.
func (b *Buffer) At(offset, n uint64) Slice { return Slice{b, offset, n} }

func (s Slice) check() error {
	switch b := s.Buffer; {
	case b == nil || b.freed:
		return fmt.Errorf("buffer is freed or nil")
	case s.Bytes == 0 || s.Offset > b.size || s.Bytes > b.size-s.Offset:
		return fmt.Errorf("%s: range %d+%d outside its %d bytes", b.name, s.Offset, s.Bytes, b.size)
	}
	return nil
}
