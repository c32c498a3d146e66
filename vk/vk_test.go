package vk

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"os"
	"testing"

	"grsplat/tools/require"
)

//go:embed testdata/affine.spv
var affine []byte

// One instance under validation serves all tests that need no other; TestMain closes it and demands silence and no leak.
var shared *Instance

func TestMain(m *testing.M) {
	in, err := Open(Options{Validation: true})
	shared = in
	code := m.Run()
	if err == nil {
		for _, msg := range in.Messages() {
			if msg.Validation {
				println("validation:", msg.String())
				code = 1
			}
		}
		if err := in.Close(); err != nil {
			println(err.Error())
			code = 1
		}
	}
	os.Exit(code)
}

// instance opens lavapipe, or whatever is there, under validation.
func instance(t testing.TB) *Instance {
	t.Helper()
	if shared == nil {
		_, err := Open(Options{Validation: true})
		require.Tool(t, "validation", err)
	}
	return shared
}

func device(t testing.TB, o DeviceOptions) *Device {
	t.Helper()
	in := instance(t)
	d, err := in.NewDevice(in.Devices()[0], o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func pipeline(t testing.TB, d *Device, scale uint32) *Pipeline {
	t.Helper()
	p, err := d.NewPipeline(PipelineConfig{Name: "affine", Code: affine, Bindings: 2, Push: 8, Spec: []Spec{{0, scale}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Free)
	return p
}

func buffer(t testing.TB, d *Device, size uint64, use Use) *Buffer {
	t.Helper()
	b, err := d.NewBuffer("test", size, use)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Free)
	return b
}

func push(words ...uint32) (p []byte) {
	for _, w := range words {
		p = binary.NativeEndian.AppendUint32(p, w)
	}
	return p
}

// upload -> copy -> two dependent dispatches -> copy -> readback, with stamps.
func TestRun(t *testing.T) {
	t.Parallel()
	const n = 1000
	d := device(t, DeviceOptions{Features: []string{"shaderFloat64", "shaderInt64"}})
	p := pipeline(t, d, 3)
	up, x, y, down := buffer(t, d, 4*n, Upload), buffer(t, d, 4*n, OnDevice), buffer(t, d, 4*n, OnDevice), buffer(t, d, 4*n, Readback)
	for i := range View[uint32](up) {
		View[uint32](up)[i] = uint32(i)
	}
	b := d.Batch("affine")
	b.Copy(x.All(), up.All())
	b.Barrier()
	b.Stamp()
	b.Dispatch(p, push(n, 5), 16, 1, 1, x.All(), y.All())
	b.Barrier()
	b.Dispatch(p, push(n, 7), 16, 1, 1, y.All(), x.All())
	b.Barrier()
	b.Stamp()
	b.Copy(down.All(), x.All())
	times, err := b.Run()
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range View[uint32](down) {
		if want := uint32(3*(3*i+5) + 7); v != want {
			t.Fatalf("word %d is %d, want %d", i, v, want)
		}
	}
	if len(times) != 2 || times[0] != 0 || times[1] <= 0 {
		t.Errorf("stamps %v", times)
	}
}

// The checks are on: a dispatch that reads what the one before it wrote, with no barrier between, is reported.
func TestValidationSeesHazard(t *testing.T) {
	in, err := Open(Options{Validation: true})
	require.Tool(t, "validation", err)
	d, err := in.NewDevice(in.Devices()[0], DeviceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := pipeline(t, d, 1)
	x, y := buffer(t, d, 256, OnDevice), buffer(t, d, 256, OnDevice)
	b := d.Batch("hazard")
	b.Dispatch(p, push(64, 1), 1, 1, 1, x.All(), y.All())
	b.Dispatch(p, push(64, 1), 1, 1, 1, y.All(), x.All())
	if _, err := b.Run(); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, m := range in.Messages() {
		found = found || m.Validation && m.Error && m.ID == "SYNC-HAZARD-READ-AFTER-WRITE"
	}
	if !found {
		t.Error("the hazard passed unseen")
	}
	for _, free := range []func(){p.Free, x.Free, y.Free} {
		free()
	}
	if err := errors.Join(d.Close(), in.Close()); err != nil {
		t.Error(err)
	}
}
