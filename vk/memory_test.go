package vk

import (
	"errors"
	"strings"
	"testing"
)

// An RX 9070 without resizable BAR under RADV: 16 GiB of device memory, host memory, and a 256 MiB window that is both.
var smallBAR = []MemoryType{
	{DeviceLocal, 0}, {HostVisible | HostCoherent, 1}, {DeviceLocal | HostVisible | HostCoherent, 2}, {HostVisible | HostCoherent | HostCached, 1},
	{DeviceLocal | 0x40, 0}, {HostVisible | HostCoherent | 0x40 | 0x80, 1}, // device-coherent and uncached types of AMD
}

func TestChooseType(t *testing.T) {
	t.Parallel()
	unified := []MemoryType{{DeviceLocal, 0}, {DeviceLocal | HostVisible | HostCoherent, 0}, {DeviceLocal | HostVisible | HostCoherent | HostCached, 0}}
	one := []MemoryType{{DeviceLocal | HostVisible | HostCoherent | HostCached, 0}} // lavapipe
	for _, c := range []struct {
		name    string
		types   []MemoryType
		allowed uint32
		use     Use
		want    int
	}{
		{"large buffers stay out of the window", smallBAR, ^uint32(0), OnDevice, 0},
		{"staging stays out of the window", smallBAR, ^uint32(0), Upload, 1},
		{"readback is cached", smallBAR, ^uint32(0), Readback, 3},
		{"the window when nothing else is allowed", smallBAR, 1 << 2, Upload, 2},
		{"types that need a feature are never chosen", smallBAR, 1<<4 | 1<<5, OnDevice, -1},
		{"unified, device", unified, ^uint32(0), OnDevice, 0},
		{"unified, upload", unified, ^uint32(0), Upload, 1},
		{"unified, readback", unified, ^uint32(0), Readback, 2},
		{"one type serves all", one, ^uint32(0), OnDevice, 0},
		{"one type serves all", one, ^uint32(0), Readback, 0},
		{"device memory cannot be mapped", unified, 1, Upload, -1},
	} {
		if got := chooseType(c.types, c.allowed, wishes[c.use]); got != c.want {
			t.Errorf("%s: type %d, want %d", c.name, got, c.want)
		}
	}
}

func TestFree(t *testing.T) {
	t.Parallel()
	const gib = 1 << 30
	for _, c := range []struct {
		name      string
		heap      Heap
		own, want uint64
	}{
		{"no budget, small heap", Heap{Bytes: 2 * gib}, gib / 2, gib / 2},
		{"no budget, large heap", Heap{Bytes: 10 * gib}, gib, 6 * gib},
		{"budget", Heap{Bytes: 10 * gib, Budget: 8 * gib, Usage: 3 * gib}, gib, 5 * gib},
		{"budget larger than the heap", Heap{Bytes: 10 * gib, Budget: 12 * gib, Usage: gib}, gib, 9 * gib},
		{"absurdly large budget", Heap{Bytes: 10 * gib, Budget: 1 << 63, Usage: gib}, gib, 6 * gib},
		{"absurdly small budget", Heap{Bytes: 10 * gib, Budget: 4096}, 0, 7 * gib},
		{"absurd usage", Heap{Bytes: 10 * gib, Budget: 8 * gib, Usage: 1 << 63}, gib, 6 * gib},
		{"usage that lags behind", Heap{Bytes: 10 * gib, Budget: 8 * gib}, 2 * gib, 6 * gib},
		{"nothing left", Heap{Bytes: 2 * gib}, 3 * gib, 0},
	} {
		if got := free(c.heap, c.own); got != c.want {
			t.Errorf("%s: %d free, want %d", c.name, got, c.want)
		}
	}
}

// A WX 4100's worth of memory, scaled down: the second buffer is refused with both figures, and freeing makes room.
func TestOutOfMemory(t *testing.T) {
	t.Parallel()
	d := device(t, DeviceOptions{Faults: Faults{MemoryBytes: 4 << 20}})
	a := buffer(t, d, 3<<20, OnDevice)
	_, err := d.NewBuffer("frame", 2<<20, OnDevice)
	var full *MemoryError
	if !errors.As(err, &full) || !errors.Is(err, ErrOutOfMemory) || full.Want < 2<<20 || full.Free > 1<<20 {
		t.Fatalf("got %v", err)
	}
	if s := err.Error(); !strings.HasPrefix(s, "frame: out of device memory: 2.0 MiB wanted, ") || !strings.HasSuffix(s, "4.0 MiB free") {
		t.Errorf("got %q", s)
	}
	if m := d.Memory(); m.Used < 3<<20 || m.Peak != m.Used || m.Free > 1<<20 {
		t.Errorf("account %+v", m)
	}
	a.Free()
	a.Free()
	if m := d.Memory(); m.Used != 0 || m.Peak < 3<<20 {
		t.Errorf("account after free %+v", m)
	}
	buffer(t, d, 2<<20, OnDevice)
}

func TestAllocationLimits(t *testing.T) {
	t.Parallel()
	d := device(t, DeviceOptions{Faults: Faults{NoMemoryAtAllocate: 2}})
	buffer(t, d, 4096, Upload)
	if _, err := d.NewBuffer("second", 4096, OnDevice); !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("injected: %v", err)
	}
	if _, err := d.NewBuffer("vast", 1<<44, OnDevice); !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("vast: %v", err)
	}
	if _, err := d.NewBuffer("empty", 0, OnDevice); err == nil {
		t.Error("an empty buffer was made")
	}
	if err := (&MemoryError{Name: "b", Want: 5 << 30, Limit: 1 << 30}).Error(); err != "b: out of device memory: 5.0 GiB wanted, one allocation may have 1.0 GiB" {
		t.Error(err)
	}
}
