package vk

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"grsplat/tools/require"
)

func listed(names ...string) (out []Info) {
	for i, n := range names {
		name, kind, _ := strings.Cut(n, "/")
		out = append(out, Info{Name: name, Type: Type(kind), Index: i, API: MinVersion, HasQueue: true, UUID: uuid([16]byte{byte(i + 1), 0xab})})
	}
	return out
}

func TestSelect(t *testing.T) {
	t.Parallel()
	all := listed("llvmpipe (LLVM 15)/cpu", "Intel UHD 630/integrated", "AMD RX 9070/discrete", "NVIDIA H200/discrete")
	for want, index := range map[string]int{"": 2, "0": 0, "3": 3, "h200": 3, "LLVM": 0, "9070": 2, "02AB": 1, "02ab-0000": 1} {
		if got, err := Select(all, want); err != nil || got.Index != index {
			t.Errorf("%q: device %d, %v, want %d", want, got.Index, err, index)
		}
	}
	for _, want := range []string{"4", "-1", "geforce"} {
		if _, err := Select(all, want); !errors.Is(err, ErrNoDevice) || !strings.Contains(err.Error(), "2: AMD RX 9070") {
			t.Errorf("%q: %v", want, err)
		}
	}
	old := all[:2:2]
	old[1].API = MinVersion - 1
	if _, err := Select(old, ""); !errors.Is(err, ErrOnlyCPU) || !strings.Contains(err.Error(), "render group") {
		t.Errorf("only a cpu: %v", err)
	}
	if _, err := Select(nil, ""); !errors.Is(err, ErrNoDevice) {
		t.Errorf("none: %v", err)
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	all := listed("RX 9070/discrete", "RX 9070 again/discrete", "old/other", "older/other")
	all[0].Driver.Name, all[1].Driver.Name = "radv", "AMD open-source driver"
	all[1].UUID = all[0].UUID
	all[2].UUID, all[3].UUID = uuid([16]byte{}), uuid([16]byte{}) // says nothing: not the same device
	got := fold(all)
	if len(got) != 3 || got[0].Also[0] != "AMD open-source driver" || got[2].Index != 2 {
		t.Errorf("folded to %+v", got)
	}
}

func TestUnusable(t *testing.T) {
	t.Parallel()
	i := listed("x/other")[0]
	i.HasQueue = false
	if i.Unusable() != "no compute queue" {
		t.Errorf("got %q", i.Unusable())
	}
	i.API = 1<<22 | 1<<12
	if i.Unusable() != "vulkan 1.1.0, needs 1.2.0" {
		t.Errorf("got %q", i.Unusable())
	}
	if _, err := (&Instance{}).NewDevice(i, DeviceOptions{}); err == nil {
		t.Error("opened")
	}
}

func TestNoLoader(t *testing.T) {
	t.Parallel()
	if _, err := Open(Options{Library: filepath.Join(t.TempDir(), "libvulkan.so.1")}); !errors.Is(err, ErrNoLoader) {
		t.Errorf("got %v", err)
	}
}

func TestDeviceInfo(t *testing.T) {
	t.Parallel()
	in := instance(t)
	for _, i := range in.Devices() {
		switch least := RequiredLimits(); {
		case i.Name == "" || i.Driver.Name == "" || len(i.UUID) != 32 || len(i.Heaps) == 0 || len(i.Types) == 0:
			t.Errorf("a device hides what it is: %+v", i)
		case i.Limits.MaxStorageBufferRange < least.MaxStorageBufferRange || i.Limits.MaxComputeWorkGroupInvocations < least.MaxComputeWorkGroupInvocations:
			t.Errorf("%s: limits below Vulkan's minimum: %+v", i.Name, i.Limits)
		case i.Limits.SubgroupSize == 0 || i.Limits.MinSubgroupSize > i.Limits.SubgroupSize || i.Limits.SubgroupSize > i.Limits.MaxSubgroupSize:
			t.Errorf("%s: subgroup sizes %+v", i.Name, i.Limits)
		}
		for _, name := range []string{"shaderFloat64", "shaderInt64", "shaderBufferInt64Atomics", "shaderSharedInt64Atomics", "shaderBufferFloat32AtomicAdd",
			"shaderBufferFloat64AtomicAdd", "shaderSharedFloat32AtomicAdd", "shaderSharedFloat64AtomicAdd", "shaderRoundingModeRTEFloat64", "synchronization2"} {
			if _, known := i.Features[name]; !known {
				t.Errorf("%s: nothing known of %s", i.Name, name)
			}
		}
	}
	if v := in.API(); v < MinVersion {
		t.Errorf("loader %v", v)
	}
}

// lavapipe's values of Debian 12 and later, read with vulkaninfo (devices.md's last row).
func TestLavapipe(t *testing.T) {
	t.Parallel()
	i, err := Select(instance(t).Devices(), "llvmpipe")
	require.Tool(t, "vulkan", err)
	if i.Type != CPU || i.Limits.MaxComputeSharedMemorySize != 32768 || i.Limits.MaxComputeWorkGroupCount != [3]uint32{65535, 65535, 65535} {
		t.Errorf("got %+v", i)
	}
	if !i.Features["shaderFloat64"] || !i.Features["shaderBufferInt64Atomics"] || i.Features["shaderBufferFloat64AtomicAdd"] {
		t.Errorf("features %v", i.Features)
	}
}

// A device's description survives the way between processes.
func TestInfoJSON(t *testing.T) {
	t.Parallel()
	i := listed("x/discrete")[0]
	i.API, i.HasBudget, i.Heaps = Version(1<<22|3<<12|230), true, []Heap{{Bytes: 1 << 30, DeviceLocal: true}, {Bytes: 8 << 30}}
	text, err := json.Marshal(i)
	if err != nil {
		t.Fatal(err)
	}
	var back Info
	if err := json.Unmarshal(text, &back); err != nil || back.API.String() != "1.3.230" || !back.HasQueue || back.FreeMemory() != 1<<29 {
		t.Errorf("%s came back as %+v, %v", text, back, err)
	}
	if err := json.Unmarshal([]byte(`{"api":"new"}`), &back); err == nil {
		t.Error("a version without numbers was read")
	}
}
