package vk

import (
	"encoding/binary"
	"fmt"
)

// The operations of native.h.
const (
	opDispatch = 1 + iota
	opIndirect
	opFill
	opCopy
	opBarrier
	opStamp
)

// Batch records operations in Go memory; Submit turns them into one command buffer by one call into C. Operations run in
// order where a Barrier stands between them; those without one may overlap. A whole batch runs after every batch
// submitted before it. The first mistake in a recording is kept and returned by Submit. A Batch belongs to one goroutine.
type Batch struct {
	device   *Device
	stage    string
	ops      []uint64
	buffers  map[*Buffer]struct{}
	stamps   int
	sets     int
	bindings int
	err      error
}

// Batch starts a recording; stage names it in errors.
func (d *Device) Batch(stage string) *Batch {
	return &Batch{device: d, stage: stage, buffers: make(map[*Buffer]struct{})}
}

func (b *Batch) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(b.stage+": record: "+format, args...)
	}
}

// use checks a range and notes its buffer.
func (b *Batch) use(s Slice) bool {
	if err := s.check(); err != nil {
		b.fail("%w", err)
		return false
	}
	if _, seen := b.buffers[s.Buffer]; !seen {
		b.buffers[s.Buffer] = struct{}{}
		b.device.mu.Lock()
		s.Buffer.pending++
		b.device.mu.Unlock()
	}
	return true
}

// Dispatch runs x*y*z work groups of p with buffers bound in order and push as its push constants.
func (b *Batch) Dispatch(p *Pipeline, push []byte, x, y, z uint32, bind ...Slice) {
	for axis, n := range [3]uint32{x, y, z} {
		if limit := b.device.info.Limits.MaxComputeWorkGroupCount[axis]; n == 0 || n > limit {
			b.fail("%s: %d groups on axis %d, the device allows 1 to %d", p.name, n, axis, limit)
			return
		}
	}
	b.dispatch(opDispatch, p, push, [3]uint64{uint64(x), uint64(y), uint64(z)}, bind)
}

// DispatchIndirect runs the work groups whose three 32-bit counts lie in at.
func (b *Batch) DispatchIndirect(p *Pipeline, push []byte, at Slice, bind ...Slice) {
	switch {
	case !b.use(at):
	case at.Bytes < 12 || at.Offset%4 != 0:
		b.fail("%s: counts at %d+%d", p.name, at.Offset, at.Bytes)
	default:
		b.dispatch(opIndirect, p, push, [3]uint64{at.Buffer.buffer, at.Offset, 0}, bind)
	}
}

func (b *Batch) dispatch(op uint64, p *Pipeline, push []byte, args [3]uint64, bind []Slice) {
	if len(bind) != p.bindings || len(push) != p.push || p.freed {
		b.fail("%s: %d buffers and %d bytes of constants, its layout has %d and %d", p.name, len(bind), len(push), p.bindings, p.push)
		return
	}
	words := (len(push) + 7) / 8
	b.ops = append(b.ops, op, p.address(), args[0], args[1], args[2], uint64(words), uint64(len(bind)))
	var tail [8]byte
	for i := 0; i < len(push); i += 8 {
		chunk := push[i:]
		if len(chunk) < 8 {
			copy(tail[:], chunk)
			chunk = tail[:]
		}
		b.ops = append(b.ops, binary.NativeEndian.Uint64(chunk))
	}
	l := b.device.info.Limits
	for _, s := range bind {
		if !b.use(s) {
			return
		}
		if s.Bytes > l.MaxStorageBufferRange || l.MinStorageBufferOffsetAlignment > 0 && s.Offset%l.MinStorageBufferOffsetAlignment != 0 {
			b.fail("%s: binding %s+%d of %d bytes, the device allows %d at multiples of %d", p.name, s.Buffer.name, s.Offset, s.Bytes,
				l.MaxStorageBufferRange, l.MinStorageBufferOffsetAlignment)
			return
		}
		b.ops = append(b.ops, s.Buffer.buffer, s.Offset, s.Bytes)
	}
	b.sets++
	b.bindings += len(bind)
}

// Fill sets every 32-bit word of a range whose offset and length are multiples of 4.
func (b *Batch) Fill(s Slice, word uint32) {
	switch {
	case !b.use(s):
	case (s.Offset|s.Bytes)%4 != 0:
		b.fail("fill %s: %d+%d", s.Buffer.name, s.Offset, s.Bytes)
	default:
		b.ops = append(b.ops, opFill, s.Buffer.buffer, s.Offset, s.Bytes, uint64(word))
	}
}

// Copy copies from into to, which have one length.
func (b *Batch) Copy(to, from Slice) {
	switch {
	case !b.use(to) || !b.use(from):
	case to.Bytes != from.Bytes:
		b.fail("copy %s to %s: %d and %d bytes", from.Buffer.name, to.Buffer.name, from.Bytes, to.Bytes)
	default:
		b.ops = append(b.ops, opCopy, from.Buffer.buffer, from.Offset, to.Buffer.buffer, to.Offset, to.Bytes)
	}
}

// Barrier makes what earlier operations wrote visible to later ones, and later writes wait for earlier reads.
func (b *Batch) Barrier() { b.ops = append(b.ops, opBarrier) }

// Stamp takes the device's time when every earlier operation has finished, and returns the stamp's index in what Wait
// returns. Stages that a stamp separates also need a Barrier there, or they overlap.
func (b *Batch) Stamp() int {
	if b.device.info.Limits.TimestampValidBits > 0 {
		b.ops = append(b.ops, opStamp, uint64(b.stamps))
	}
	b.stamps++
	return b.stamps - 1
}

// Discard drops a recording that will not be submitted.
func (b *Batch) Discard() {
	b.device.mu.Lock()
	defer b.device.mu.Unlock()
	b.settle(nil)
}

// settle ends the recording: its buffers belong to s from here on. d.mu is held.
func (b *Batch) settle(s *Submission) {
	for buffer := range b.buffers {
		buffer.pending--
		if s != nil {
			buffer.last = s
		}
	}
	clear(b.buffers)
	b.ops = nil
}
