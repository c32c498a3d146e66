package vk

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"grsplat/tools/require"
)

// 213 uploads through a two-slot ring whose memory is overwritten as soon as Next allows: every one must arrive.
func TestRing(t *testing.T) {
	t.Parallel()
	const n, rounds = 256, 213
	d := device(t, DeviceOptions{})
	p := pipeline(t, d, 1)
	ring, err := d.NewRing("staging", 2, 4*n)
	if err != nil {
		t.Fatal(err)
	}
	defer ring.Free()
	all, down := buffer(t, d, 4*n*rounds, OnDevice), buffer(t, d, 4*n*rounds, Readback)
	for k := range uint64(rounds) {
		up, err := ring.Next()
		if err != nil {
			t.Fatal(err)
		}
		for i := range View[uint32](up) {
			View[uint32](up)[i] = uint32(k)<<16 + uint32(i)
		}
		b := d.Batch("ring")
		b.Dispatch(p, push(n, 0), n/64, 1, 1, up.All(), all.At(4*n*k, 4*n))
		if k == 0 {
			if _, err := ring.Next(); err != nil {
				t.Errorf("second slot: %v", err)
			}
			if _, err := ring.Next(); err == nil {
				t.Error("a recorded slot was given out")
			}
			ring.next = 1
		}
		if _, err := b.Submit(); err != nil {
			t.Fatal(err)
		}
	}
	b := d.Batch("read")
	b.Copy(down.All(), all.All())
	if _, err := b.Run(); err != nil {
		t.Fatal(err)
	}
	for i, v := range View[uint32](down) {
		if want := uint32(i/n)<<16 + uint32(i%n); v != want {
			t.Fatalf("word %d is %#x, want %#x", i, v, want)
		}
	}
}

// More groups than one axis holds, counts from a buffer, a fill, and a push of odd length.
func TestDispatches(t *testing.T) {
	t.Parallel()
	const n = 64 * 65537
	d := device(t, DeviceOptions{})
	p := pipeline(t, d, 1)
	x, y, down := buffer(t, d, 4*n, OnDevice), buffer(t, d, 4*n, OnDevice), buffer(t, d, 4*n, Readback)
	counts := buffer(t, d, 12, Upload)
	copy(View[uint32](counts), []uint32{2, 3, 1})
	gx, gy, err := d.Grid(n / 64)
	if err != nil {
		t.Fatal(err)
	}
	b := d.Batch("grid")
	b.Fill(x.All(), 40)
	b.Barrier()
	b.Dispatch(p, push(n, 2), gx, gy, 1, x.All(), y.All())
	b.Barrier()
	b.DispatchIndirect(p, push(n, 1), counts.All(), x.All(), y.All())
	b.Barrier()
	b.Copy(down.All(), y.All())
	if _, err := b.Run(); err != nil {
		t.Fatal(err)
	}
	for i, v := range View[uint32](down) {
		want := uint32(42)
		if i < 6*64 {
			want = 41
		}
		if v != want {
			t.Fatalf("word %d is %d, want %d", i, v, want)
		}
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	d := device(t, DeviceOptions{Faults: Faults{MaxStorageRange: 1024}})
	p := pipeline(t, d, 1)
	b, other := buffer(t, d, 4096, OnDevice), buffer(t, d, 64, OnDevice)
	gone := buffer(t, d, 64, OnDevice)
	gone.Free()
	half := b.At(0, 1024)
	for name, record := range map[string]func(*Batch){
		"65536 groups on axis 0":    func(r *Batch) { r.Dispatch(p, push(1, 1), 65536, 1, 1, half, half) },
		"0 groups on axis 2":        func(r *Batch) { r.Dispatch(p, push(1, 1), 1, 1, 0, half, half) },
		"the device allows 1024":    func(r *Batch) { r.Dispatch(p, push(1, 1), 1, 1, 1, half, b.All()) },
		"test+1 of 64 bytes":        func(r *Batch) { r.Dispatch(p, push(1, 1), 1, 1, 1, half, b.At(1, 64)) },
		"outside its 4096 bytes":    func(r *Batch) { r.Dispatch(p, push(1, 1), 1, 1, 1, half, b.At(4096, 4)) },
		"range 8+18446744073709":    func(r *Batch) { r.Fill(b.At(8, 1<<64-4), 0) },
		"1 buffers and 8 bytes":     func(r *Batch) { r.Dispatch(p, push(1, 1), 1, 1, 1, half) },
		"2 buffers and 4 bytes":     func(r *Batch) { r.Dispatch(p, push(1), 1, 1, 1, half, half) },
		"freed":                     func(r *Batch) { r.Fill(gone.All(), 0) },
		"nil":                       func(r *Batch) { r.Copy(half, Slice{}) },
		"fill test: 2+8":            func(r *Batch) { r.Fill(b.At(2, 8), 0) },
		"4096 and 64 bytes":         func(r *Batch) { r.Copy(other.All(), b.All()) },
		"affine: counts at 0+8":     func(r *Batch) { r.DispatchIndirect(p, push(1, 1), b.At(0, 8), half, half) },
		"mistake: record: affine: ": func(r *Batch) { r.DispatchIndirect(p, push(1, 1), b.At(2, 12), half, half) },
	} {
		r := d.Batch("mistake")
		record(r)
		if _, err := r.Run(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	d.Batch("dropped").Discard()
	if b.pending != 0 {
		t.Errorf("%d recordings pending", b.pending)
	}
	for name, c := range map[string]PipelineConfig{"0 bytes": {}, "33 bindings": {Code: affine, Bindings: 33}, "6 bytes": {Code: affine, Push: 6}} {
		if _, err := d.NewPipeline(c); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// The loss is latched with its stage, everything after it says the same, and all is still freed once.
func TestLost(t *testing.T) {
	t.Parallel()
	d := device(t, DeviceOptions{Faults: Faults{LostAtSubmit: 2}})
	b := buffer(t, d, 64, OnDevice)
	for _, stage := range []string{"bin", "accumulate", "merge"} {
		r := d.Batch(stage)
		r.Fill(b.All(), 0)
		_, err := r.Run()
		if lost := stage != "bin"; errors.Is(err, ErrLost) != lost || lost && err.Error() != "accumulate: vkQueueSubmit: device lost" {
			t.Errorf("%s: %v", stage, err)
		}
	}
	_, atBuffer := d.NewBuffer("late", 64, OnDevice)
	_, atPipeline := d.NewPipeline(PipelineConfig{Name: "late", Code: affine, Bindings: 2, Push: 8})
	for _, err := range []error{atBuffer, atPipeline, d.Wait(), d.Lost()} {
		if !errors.Is(err, ErrLost) || !strings.HasPrefix(err.Error(), "accumulate: ") {
			t.Errorf("after the loss: %v", err)
		}
	}
}

func TestMissingFeature(t *testing.T) {
	t.Parallel()
	in := instance(t)
	info := in.Devices()[0]
	for _, name := range []string{"shaderTeleport", "VK_EXT_shader_atomic_float"} {
		if _, err := in.NewDevice(info, DeviceOptions{Features: []string{name}}); !errors.Is(err, ErrNoFeature) || !strings.HasSuffix(err.Error(), name) {
			t.Errorf("got %v", err)
		}
	}
}

// Close frees what its owner forgot and says so.
func TestLeak(t *testing.T) {
	t.Parallel()
	in := instance(t)
	d, err := in.NewDevice(in.Devices()[0], DeviceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	buffers := [2]*Buffer{}
	for i := range buffers {
		if buffers[i], err = d.NewBuffer("frame", 64, OnDevice); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.NewPipeline(PipelineConfig{Name: "tile", Code: affine, Bindings: 2, Push: 8}); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err == nil || !strings.HasSuffix(err.Error(), "not freed: 2 buffer frame, 1 pipeline tile") {
		t.Errorf("got %v", err)
	}
}

// Workers submit and wait side by side on one device.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	const n, workers, rounds = 64, 4, 25
	d := device(t, DeviceOptions{})
	p := pipeline(t, d, 2)
	var group sync.WaitGroup
	for w := range uint32(workers) {
		x, down := buffer(t, d, 4*n, OnDevice), buffer(t, d, 4*n, Readback)
		group.Go(func() {
			for k := range uint32(rounds) {
				b := d.Batch("worker")
				b.Fill(x.All(), w)
				b.Barrier()
				b.Dispatch(p, push(n, k), 1, 1, 1, x.All(), down.All())
				if _, err := b.Run(); err != nil || View[uint32](down)[n-1] != 2*w+k {
					t.Errorf("worker %d round %d: %v", w, k, err)
				}
			}
		})
	}
	group.Wait()
}

func TestNanoseconds(t *testing.T) {
	t.Parallel()
	l := Limits{TimestampValidBits: 36, TimestampPeriod: 2}
	if got := nanoseconds([]uint64{1<<36 - 10, 5, 1<<40 + 15}, l); got[0] != 0 || got[1] != 30 || got[2] != 50 {
		t.Errorf("across the wrap: %v", got)
	}
	if nanoseconds(nil, Limits{}) != nil {
		t.Error("times without stamps")
	}
}

// A device that never answers is lost after the given time and is left alone by Close.
func TestHang(t *testing.T) {
	in, err := Open(Options{Validation: true})
	require.Tool(t, "validation", err)
	d, err := in.NewDevice(in.Devices()[0], DeviceOptions{Faults: Faults{Hang: time.Nanosecond}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.NewBuffer("test", 64<<20, OnDevice)
	if err != nil {
		t.Fatal(err)
	}
	r := d.Batch("slow")
	for range 50 {
		r.Fill(b.All(), 1)
		r.Barrier()
	}
	if _, err = r.Run(); !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "slow: vkWaitForFences: device lost: not finished") {
		t.Errorf("got %v", err)
	}
	if err := d.Close(); !errors.Is(err, ErrLost) {
		t.Errorf("close: %v", err)
	}
	if err := in.Close(); err == nil || !strings.Contains(err.Error(), "1 device") {
		t.Errorf("close of the instance: %v", err)
	}
	d.nativeWait() // it does answer, so this test leaves nothing behind
	d.hung = false
	if err := d.Close(); err == nil || !strings.HasSuffix(err.Error(), "not freed: 1 buffer test") {
		t.Errorf("close after all: %v", err)
	}
	for range 2 {
		if err := errors.Join(d.Close(), in.Close()); err != nil {
			t.Errorf("closed twice: %v", err)
		}
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	got := parseMessages("4096\t2\tVUID-1\tbad\tthing \n256\t1\t\tloader remark\nbroken\n")
	if len(got) != 2 || !got[0].Error || !got[0].Validation || got[0].String() != "VUID-1: bad\tthing " || got[1].Error || got[1].Validation {
		t.Errorf("got %+v", got)
	}
}

// What a submission costs beside the device's work: recording 64 dispatches of two buffers in Go, and turning them into a
// command buffer, submitting and waiting.
func BenchmarkSubmission(b *testing.B) {
	in, err := Open(Options{}) // validation would be most of the time
	require.Tool(b, "vulkan", err)
	d, err := in.NewDevice(in.Devices()[0], DeviceOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(d.Close(), in.Close()); err != nil {
			b.Error(err)
		}
	})
	p := pipeline(b, d, 1)
	x, y := buffer(b, d, 256, OnDevice), buffer(b, d, 256, OnDevice)
	constants := push(1, 0)
	record := func() *Batch {
		r := d.Batch("bench")
		for range 64 {
			r.Dispatch(p, constants, 1, 1, 1, x.All(), y.All())
			r.Barrier()
		}
		return r
	}
	b.Run("record", func(b *testing.B) {
		for b.Loop() {
			record().Discard()
		}
	})
	b.Run("run", func(b *testing.B) {
		for b.Loop() {
			if _, err := record().Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
