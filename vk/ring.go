package vk

import "fmt"

// Ring is a set of equal upload buffers used in turn, mapped for their whole life. It belongs to one goroutine.
type Ring struct {
	slots []*Buffer
	next  int
}

// NewRing makes slots upload buffers of size bytes each; two let the host fill one while the device reads the other.
func (d *Device) NewRing(name string, slots int, size uint64) (*Ring, error) {
	r := &Ring{}
	for range slots {
		b, err := d.NewBuffer(name, size, Upload)
		if err != nil {
			r.Free()
			return nil, err
		}
		r.slots = append(r.slots, b)
	}
	return r, nil
}

// Next returns the next slot once the device has finished reading it; its contents may then be overwritten. A slot that
// is part of a recording not yet submitted is an error, because overwriting it would change what the device reads.
func (r *Ring) Next() (*Buffer, error) {
	b := r.slots[r.next]
	b.device.mu.Lock()
	pending := b.pending
	b.device.mu.Unlock()
	if pending > 0 {
		return nil, fmt.Errorf("%s: slot %d is recorded and not yet submitted", b.name, r.next)
	}
	if err := b.Wait(); err != nil {
		return nil, err
	}
	r.next = (r.next + 1) % len(r.slots)
	return b, nil
}

// Free waits for the device and frees the slots.
func (r *Ring) Free() {
	if r == nil {
		return
	}
	for _, b := range r.slots {
		b.Free()
	}
	r.slots = nil
}
