package vk

import (
	"encoding/hex"
	"fmt"
)

// Type is Vulkan's kind of device.
type Type string

// The five kinds of VkPhysicalDeviceType.
const (
	Discrete   Type = "discrete"
	Integrated Type = "integrated"
	Virtual    Type = "virtual"
	CPU        Type = "cpu"
	Other      Type = "other"
)

func typeOf(code uint32) Type {
	if kinds := [...]Type{Other, Integrated, Discrete, Virtual, CPU}; int(code) < len(kinds) {
		return kinds[code]
	}
	return Other
}

// Version is a packed Vulkan version.
type Version uint32

// MarshalText writes the version as major.minor.patch.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (v *Version) UnmarshalText(text []byte) error {
	var major, minor, patch uint32
	if _, err := fmt.Sscanf(string(text), "%d.%d.%d", &major, &minor, &patch); err != nil {
		return fmt.Errorf("version %q: %w", text, err)
	}
	*v = Version(major<<22 | minor<<12 | patch)
	return nil
}

func (v Version) String() string {
	return fmt.Sprintf("%d.%d.%d", v>>22&0x7f, v>>12&0x3ff, v&0xfff)
}

// MinVersion is the oldest device that this package drives: the features it asks for are core names since Vulkan 1.2.
const MinVersion = Version(1<<22 | 2<<12)

// Driver names the software below a device. CacheUUID changes whenever a compiled pipeline would.
type Driver struct {
	Name      string `json:"name"`
	Info      string `json:"info"`
	ID        uint32 `json:"id"`
	Version   uint32 `json:"version"`
	UUID      string `json:"uuid"`
	CacheUUID string `json:"cache_uuid"`
}

// Limits are Vulkan's limits by their own names; sizes are bytes, the timestamp's period is nanoseconds a tick.
type Limits struct {
	MaxStorageBufferRange               uint64    `json:"maxStorageBufferRange"`
	MaxMemoryAllocationSize             uint64    `json:"maxMemoryAllocationSize"`
	MaxMemoryAllocationCount            uint64    `json:"maxMemoryAllocationCount"`
	MaxPushConstantsSize                uint64    `json:"maxPushConstantsSize"`
	MaxPerStageDescriptorStorageBuffers uint64    `json:"maxPerStageDescriptorStorageBuffers"`
	MinStorageBufferOffsetAlignment     uint64    `json:"minStorageBufferOffsetAlignment"`
	MaxComputeSharedMemorySize          uint64    `json:"maxComputeSharedMemorySize"`
	MaxComputeWorkGroupInvocations      uint64    `json:"maxComputeWorkGroupInvocations"`
	MaxComputeWorkGroupSize             [3]uint32 `json:"maxComputeWorkGroupSize"`
	MaxComputeWorkGroupCount            [3]uint32 `json:"maxComputeWorkGroupCount"`
	SubgroupSize                        uint64    `json:"subgroupSize"`
	MinSubgroupSize                     uint64    `json:"minSubgroupSize"`
	MaxSubgroupSize                     uint64    `json:"maxSubgroupSize"`
	SubgroupSupportedOperations         uint64    `json:"subgroupSupportedOperations"`
	TimestampValidBits                  uint64    `json:"timestampValidBits"`
	TimestampPeriod                     float64   `json:"timestampPeriod"`
}

// RequiredLimits are the values that every Vulkan 1.2 device has at least (or at most, for an alignment), from the
// specification's table of required limits.
func RequiredLimits() Limits {
	return Limits{
		MaxStorageBufferRange: 1 << 27, MaxMemoryAllocationSize: 1 << 30, MaxMemoryAllocationCount: 4096, MaxPushConstantsSize: 128,
		MaxPerStageDescriptorStorageBuffers: 4, MinStorageBufferOffsetAlignment: 256, MaxComputeSharedMemorySize: 16384,
		MaxComputeWorkGroupInvocations: 128, MaxComputeWorkGroupSize: [3]uint32{128, 128, 64},
		MaxComputeWorkGroupCount: [3]uint32{65535, 65535, 65535}, SubgroupSize: 1, MinSubgroupSize: 1, MaxSubgroupSize: 1,
		TimestampPeriod: 1,
	}
}

// Heap is one memory of the device, in bytes. Budget and Usage are VK_EXT_memory_budget's, zero without it.
type Heap struct {
	Bytes       uint64 `json:"bytes"`
	DeviceLocal bool   `json:"device_local"`
	HostVisible bool   `json:"host_visible"`
	Budget      uint64 `json:"budget,omitempty"`
	Usage       uint64 `json:"usage,omitempty"`
}

// MemoryType is a way to use a heap.
type MemoryType struct {
	Flags MemoryFlags
	Heap  int
}

// Info is what a device says of itself. Index is its place among the devices of its instance, counted after duplicates
// were folded; Also names the drivers that offer the same device again.
type Info struct {
	Index      int             `json:"index"`
	Name       string          `json:"name"`
	Type       Type            `json:"type"`
	API        Version         `json:"api"`
	Vendor     uint32          `json:"vendor"`
	Device     uint32          `json:"device"`
	UUID       string          `json:"uuid"`
	Driver     Driver          `json:"driver_facts"`
	Also       []string        `json:"also,omitempty"`
	Limits     Limits          `json:"limits"`
	Heaps      []Heap          `json:"memory"`
	Features   map[string]bool `json:"features"`
	Extensions []string        `json:"-"`
	Types      []MemoryType    `json:"-"`
	HasQueue   bool            `json:"compute_queue"`
	HasBudget  bool            `json:"memory_budget"` // VK_EXT_memory_budget
	physical   int
}

// Unusable is the reason that the device cannot be driven at all, or "".
func (i Info) Unusable() string {
	switch {
	case i.API < MinVersion:
		return fmt.Sprintf("vulkan %v, needs %v", i.API, MinVersion)
	case !i.HasQueue:
		return "no compute queue"
	}
	return ""
}

// FreeMemory is how many bytes of device memory this program may allocate: of the largest device-local heap, by its budget
// where the driver tells one, else 70 % of it, or 50 % of one under 4 GiB.
func (i Info) FreeMemory() uint64 {
	var largest Heap
	for _, h := range i.Heaps {
		if h.DeviceLocal && h.Bytes > largest.Bytes {
			largest = h
		}
	}
	return free(largest, 0)
}

func uuid(b [16]byte) string { return hex.EncodeToString(b[:]) }
