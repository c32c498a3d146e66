package vk

import (
	"fmt"
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
	slot, err := d.slot(b.stage)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		err = b.err
	}
	if err != nil {
		b.settle(nil)
		d.giveBack(slot)
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
		b.settle(nil)
		d.giveBack(slot)
		return nil, err
	}
	s := &Submission{device: d, stage: b.stage, slot: slot, stamps: b.stamps}
	b.settle(s)
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

// slot returns an idle slot, made if fewer than may be in flight exist, else that of the oldest submission.
func (d *Device) slot(stage string) (slotHandle, error) {
	for {
		d.mu.Lock()
		if d.lost != nil {
			d.mu.Unlock()
			return nil, d.lost
		}
		if n := len(d.idle); n > 0 {
			s := d.idle[n-1]
			d.idle = d.idle[:n-1]
			d.mu.Unlock()
			return s, nil
		}
		if d.slots < d.inFlight {
			defer d.mu.Unlock()
			return d.makeSlot(stage)
		}
		var oldest *Submission
		if len(d.running) > 0 {
			oldest = d.running[0]
		}
		d.mu.Unlock()
		if oldest != nil {
			oldest.Wait() // its own caller, or the latch above, reports its error
		}
	}
}

func (d *Device) makeSlot(stage string) (slotHandle, error) {
	s, r := d.nativeSlot()
	if err := d.check(r, stage); err != nil {
		if s != nil {
			d.nativeSlotFree(s)
		}
		return nil, err
	}
	d.slots++
	return s, nil
}

func (d *Device) giveBack(s slotHandle) {
	if s != nil {
		d.idle = append(d.idle, s)
	}
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
	if r.code == codeTimeout {
		s.err = fmt.Errorf("%s: vkWaitForFences: %w: not finished after %v", s.stage, ErrLost, d.hang)
		if d.lost == nil {
			d.lost = s.err
		}
	} else {
		s.err = d.check(r, s.stage)
	}
	s.done = true
	if s.err == nil {
		s.times = nanoseconds(ticks, d.info.Limits)
	}
	for i, o := range d.running {
		if o == s {
			d.running = append(d.running[:i], d.running[i+1:]...)
			break
		}
	}
	d.giveBack(s.slot)
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
	running := append([]*Submission(nil), d.running...)
	d.mu.Unlock()
	for _, s := range running {
		if _, err := s.Wait(); err != nil {
			return err
		}
	}
	return d.Lost()
}
