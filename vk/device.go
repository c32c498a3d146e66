package vk

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"
)

// DeviceOptions say how to open a device.
type DeviceOptions struct {
	Features  []string // Vulkan's names; exactly these are enabled, and each must be there
	CacheFile string   // pipeline cache to read and, by SaveCache, to write; "" keeps none
	CacheKey  string   // what else the cache depends on: the digest of the shaders
	Faults    Faults
}

// Faults make a test's device fail; the zero value injects nothing.
type Faults struct {
	LostAtSubmit       int           // the device is lost at this submission, counted from 1
	NoMemoryAtAllocate int           // this allocation fails, counted from 1
	MemoryBytes        uint64        // every heap has this size
	MaxStorageRange    uint64        // a smaller limit, so that small frames need bands
	Hang               time.Duration // a submission that takes longer counts as one that never ends
}

// inFlight is how many submissions may be under way: one that the device works on and one that waits, a double buffer.
const inFlight = 2

// hang is how long a submission may take before its device counts as lost. Drivers' own watchdogs act within seconds;
// this one ends a wait on a driver that has none.
const hang = 2 * time.Minute

// Device is a logical device with one compute queue. It is safe for use by several goroutines.
type Device struct {
	handle deviceHandle
	info   Info
	faults Faults
	cache  cacheFile
	hang   time.Duration

	mu        sync.Mutex
	idle      []slotHandle
	running   []*Submission // oldest first
	buffers   map[*Buffer]struct{}
	pipelines map[*Pipeline]struct{}
	used      []uint64 // bytes by heap
	peak      uint64
	allocated int // allocations and submissions so far, for fault injection
	submitted int
	lost      error
	hung      bool // lost to a wait without end: the driver may never answer again
}

// NewDevice opens a device of in.Devices() with exactly the features of o. It fails with ErrNoFeature if one is absent.
func (in *Instance) NewDevice(info Info, o DeviceOptions) (*Device, error) {
	stage := "vulkan: " + info.Name
	if reason := info.Unusable(); reason != "" {
		return nil, fmt.Errorf("%s: %s", stage, reason)
	}
	enable, err := enabled(info, o.Features)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", stage, err)
	}
	d := &Device{info: info, faults: o.Faults, cache: cacheFile{o.CacheFile, cacheKey(info, o.CacheKey)}, hang: cmp.Or(o.Faults.Hang, hang),
		buffers: make(map[*Buffer]struct{}), pipelines: make(map[*Pipeline]struct{}), used: make([]uint64, len(info.Heaps))}
	if limit := o.Faults.MaxStorageRange; limit > 0 {
		d.info.Limits.MaxStorageBufferRange = min(limit, info.Limits.MaxStorageBufferRange)
	}
	h, s := in.nativeDevice(info.physical, enable, d.cache.read())
	if s.code != 0 {
		return nil, s.err(stage)
	}
	d.handle = h
	return d, nil
}

// enabled turns names into the C table's bytes. A property, such as a rounding mode, has nothing to enable but must hold.
func enabled(info Info, want []string) ([]byte, error) {
	names, isFeature := features()
	enable := make([]byte, len(names))
	for _, w := range want {
		if !info.Features[w] {
			return nil, fmt.Errorf("%w %s", ErrNoFeature, w)
		}
		for i, name := range names {
			if name == w && isFeature(i) {
				enable[i] = 1
			}
		}
	}
	return enable, nil
}

// Info is the device's description, with the limits that hold for it.
func (d *Device) Info() Info { return d.info }

// check turns a status into an error and latches the loss of the device. d.mu is held.
func (d *Device) check(s status, stage string) error {
	if s.code == 0 {
		return nil
	}
	err := s.err(stage)
	if s.code == codeLost && d.lost == nil {
		d.lost = err
	}
	return err
}

// Lost is the first loss of the device, an ErrLost that names its stage, or nil. After a loss every call returns it.
func (d *Device) Lost() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lost
}

// Close waits for the device, frees it and everything made from it, and reports what its owner had not freed; a second call
// does nothing. A device that hangs is left alone, as freeing what it uses would hang too.
func (d *Device) Close() error {
	if d.handle == nil {
		return nil
	}
	d.mu.Lock()
	running := slices.Clone(d.running)
	d.mu.Unlock()
	for _, s := range running {
		s.Wait() // a loss was reported where it happened
	}
	if d.hung {
		return d.lost
	}
	d.nativeWait()
	live := make(map[string]int)
	for b := range d.buffers {
		live["buffer "+b.name]++
		b.release()
	}
	for p := range d.pipelines {
		live["pipeline "+p.name]++
		p.release()
	}
	for _, s := range d.idle {
		d.nativeSlotFree(s)
	}
	d.nativeClose()
	d.handle = nil
	return leaks("vulkan: close "+d.info.Name, live)
}
