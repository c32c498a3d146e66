package vk

import (
	"fmt"
	"slices"
	"sync"
)

// Submission is a batch that the device has been given.
type Submission struct {
	device *Device
	stage  string
	slot   slotHandle
	stamps int

	mu    sync.Mutex
	done  bool
	times []float64
	err   error
}

// Submit hands the recording to the device. When the device already has as many submissions as may be in flight, it
// waits for the oldest. The batch is spent.
func (b *Batch) Submit() (*Submission, error) {
	d := b.device
	d.mu.Lock()
	defer d.mu.Unlock()
	s, err := b.submit()
	b.settle(s)
	return s, err
}

// submit runs with d.mu held, but for its wait.
func (b *Batch) submit() (*Submission, error) {
	d := b.device
	if b.err != nil {
		return nil, b.err
	}
	slot, err := d.slot(b.stage)
	if err != nil {
		return nil, err
	}
	d.submitted++
	r := status{code: codeLost, call: "vkQueueSubmit"}
	if d.submitted != d.faults.LostAtSubmit {
		queries := b.stamps
		if d.info.Limits.TimestampValidBits == 0 {
			queries = 0
		}
		r = d.nativeSubmit(slot, b.ops, queries, b.sets, b.bindings)
	}
	if err := d.check(r, b.stage); err != nil {
		d.idle = append(d.idle, slot)
		return nil, err
	}
	s := &Submission{device: d, stage: b.stage, slot: slot, stamps: b.stamps}
	d.running = append(d.running, s)
	return s, nil
}

// Run submits the recording and waits for it.
func (b *Batch) Run() ([]float64, error) {
	s, err := b.Submit()
	if err != nil {
		return nil, err
	}
	return s.Wait()
}

// slot returns an idle slot, a new one while fewer exist than may be in flight, or that of the oldest submission. d.mu is
// held, and let go during a wait; a slot is always idle or running when it is not.
func (d *Device) slot(stage string) (slotHandle, error) {
	for len(d.idle) == 0 && len(d.running) == inFlight && d.lost == nil {
		oldest := d.running[0]
		d.mu.Unlock()
		oldest.Wait() // its own caller, or the latch, reports its error
		d.mu.Lock()
	}
	if d.lost != nil {
		return nil, d.lost
	}
	if n := len(d.idle); n > 0 {
		s := d.idle[n-1]
		d.idle = d.idle[:n-1]
		return s, nil
	}
	s, r := d.nativeSlot()
	if err := d.check(r, stage); err != nil {
		if s != nil {
			d.nativeSlotFree(s)
		}
		return nil, err
	}
	return s, nil
}

// Wait returns when the device has finished, with the time of each stamp in nanoseconds after the first; on a device
// without timestamps they are nil. Every call returns the same.
func (s *Submission) Wait() ([]float64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return s.times, s.err
	}
	d := s.device
	var ticks []uint64
	if d.info.Limits.TimestampValidBits > 0 {
		ticks = make([]uint64, s.stamps)
	}
	r := d.nativeFence(s.slot, uint64(d.hang), ticks)
	d.mu.Lock()
	defer d.mu.Unlock()
	s.done = true
	d.running = slices.DeleteFunc(d.running, func(o *Submission) bool { return o == s })
	d.idle = append(d.idle, s.slot)
	switch s.err = d.check(r, s.stage); {
	case r.code == codeTimeout:
		s.err = fmt.Errorf("%s: vkWaitForFences: %w: not finished after %v", s.stage, ErrLost, d.hang)
		d.hung = true
		if d.lost == nil {
			d.lost = s.err
		}
	case s.err == nil:
		s.times = nanoseconds(ticks, d.info.Limits)
	}
	return s.times, s.err
}

// nanoseconds turns ticks, which wrap at the queue's number of valid bits, into times after the first.
func nanoseconds(ticks []uint64, l Limits) []float64 {
	var times []float64
	mask := uint64(1)<<l.TimestampValidBits - 1
	for _, t := range ticks {
		times = append(times, float64((t-ticks[0])&mask)*l.TimestampPeriod)
	}
	return times
}

// Wait returns when everything submitted so far has finished.
func (d *Device) Wait() error {
	d.mu.Lock()
	running := slices.Clone(d.running)
	d.mu.Unlock()
	for _, s := range running {
		if _, err := s.Wait(); err != nil {
			return err
		}
	}
	return d.Lost()
}
