//go:build cgo

package vk

/*
#cgo CFLAGS: -O2 -std=c11 -Wall -Wextra -Wno-missing-field-initializers
#cgo linux LDFLAGS: -ldl
#include <stdlib.h>
#include "native.h"
*/
import "C"

import (
	"strings"
	"unsafe"
)

// The functions of this file are the whole border to C; native_stub.go answers for them in a build without cgo. A Go
// pointer passed here is used during the call only.

type (
	instanceHandle = *C.gv_instance
	deviceHandle   = *C.gv_device
	slotHandle     = *C.gv_slot
	pipelineHandle = *C.gv_pipeline
)

func result(s C.gv_status) status {
	if s.code == 0 {
		return status{}
	}
	call := C.GoString(s.call)
	return status{code: int32(s.code), call: call[strings.LastIndexByte(call, '>')+1:]}
}

func nativeOpen(library string, validation bool) (instanceHandle, status) {
	name := C.CString(library)
	defer C.free(unsafe.Pointer(name))
	var on C.int
	if validation {
		on = 1
	}
	var in instanceHandle
	var text [512]C.char
	s := result(C.gv_open(name, on, &in, &text[0], C.size_t(len(text))))
	s.text = C.GoString(&text[0])
	return in, s
}

func (h *Instance) nativeClose()       { C.gv_close(h.handle) }
func (h *Instance) nativeAPI() uint32  { return uint32(C.gv_api(h.handle)) }
func (h *Instance) nativeFile() string { return C.GoString(C.gv_file(h.handle)) }

func (h *Instance) nativeDevices() (int, status) {
	var n C.uint32_t
	s := result(C.gv_devices(h.handle, &n))
	return int(n), s
}

// taken copies and frees a C string.
func taken(text *C.char) string {
	defer C.free(unsafe.Pointer(text))
	return C.GoString(text)
}

func (h *Instance) nativeExtensions(device int) string {
	return taken(C.gv_extensions(h.handle, C.uint32_t(device)))
}
func (h *Instance) nativeLayers() string   { return taken(C.gv_layers(h.handle)) }
func (h *Instance) nativeMessages() string { return taken(C.gv_messages(h.handle)) }

func (h *Instance) nativeLive() map[string]int {
	var live [C.GV_KINDS]C.int64_t
	C.gv_live(h.handle, &live[0])
	m := make(map[string]int)
	for i, n := range live {
		if n != 0 {
			m[C.GoString(C.gv_kind(C.int(i)))] = int(n)
		}
	}
	return m
}

// features lists Vulkan's names in the order of the C table; those past the features proper are properties.
func features() (names []string, enabled func(i int) bool) {
	for i := range int(C.gv_feature_count()) {
		names = append(names, C.GoString(C.gv_feature_name(C.uint32_t(i))))
	}
	return names, func(i int) bool { return C.gv_feature_is_property(C.uint32_t(i)) == 0 }
}

func ints(v []C.uint32_t) (out [3]uint32) {
	for i := range out {
		out[i] = uint32(v[i])
	}
	return out
}

func id(b [16]C.uint8_t) (out [16]byte) {
	for i, v := range b {
		out[i] = byte(v)
	}
	return out
}

func heaps(c []C.gv_heap) (out []Heap) {
	for _, h := range c {
		out = append(out, Heap{Bytes: uint64(h.bytes), DeviceLocal: h.device_local != 0, Budget: uint64(h.budget), Usage: uint64(h.usage)})
	}
	return out
}

func (h *Instance) nativeInfo(device int) Info {
	var c C.gv_info
	C.gv_info_of(h.handle, C.uint32_t(device), &c)
	i := Info{
		physical: device, Name: C.GoString(&c.name[0]), Type: typeOf(uint32(c._type)), API: Version(c.api), Vendor: uint32(c.vendor), Device: uint32(c.device),
		Driver: Driver{ID: uint32(c.driver_id), Name: C.GoString(&c.driver_name[0]), Info: C.GoString(&c.driver_info[0]),
			Version: uint32(c.driver_version), UUID: uuid(id(c.driver_uuid)), CacheUUID: uuid(id(c.cache_uuid))},
		UUID: uuid(id(c.uuid)), HasQueue: uint32(c.queue_family) != ^uint32(0), HasBudget: c.has_budget != 0,
		Limits: Limits{
			MaxStorageBufferRange: uint64(c.max_storage_range), MaxPushConstantsSize: uint64(c.max_push),
			MaxPerStageDescriptorStorageBuffers: uint64(c.max_bindings), MaxComputeSharedMemorySize: uint64(c.max_shared),
			MaxComputeWorkGroupInvocations: uint64(c.max_invocations), MaxComputeWorkGroupSize: ints(c.max_size[:]),
			MaxComputeWorkGroupCount: ints(c.max_count[:]), MaxMemoryAllocationCount: uint64(c.max_allocations),
			MaxMemoryAllocationSize: uint64(c.max_allocation), MinStorageBufferOffsetAlignment: uint64(c.storage_alignment),
			SubgroupSize: uint64(c.subgroup), MinSubgroupSize: uint64(c.subgroup_min), MaxSubgroupSize: uint64(c.subgroup_max),
			SubgroupSupportedOperations: uint64(c.subgroup_ops), TimestampValidBits: uint64(c.timestamp_bits),
			TimestampPeriod: float64(c.timestamp_period)},
		Features: make(map[string]bool), Heaps: heaps(c.heaps[:c.nheaps])}
	for _, t := range c.types[:c.ntypes] {
		i.Types = append(i.Types, MemoryType{MemoryFlags(t.flags), int(t.heap)})
		if MemoryFlags(t.flags)&HostVisible != 0 {
			i.Heaps[t.heap].HostVisible = true
		}
	}
	names, _ := features()
	for k, name := range names {
		i.Features[name] = c.features[k] != 0
	}
	i.Extensions = strings.Fields(h.nativeExtensions(device))
	return i
}

func (h *Instance) nativeDevice(device int, enable []byte, cache []byte) (deviceHandle, status) {
	var d deviceHandle
	s := result(C.gv_device_open(h.handle, C.uint32_t(device), (*C.uint8_t)(unsafe.SliceData(enable)),
		unsafe.Pointer(unsafe.SliceData(cache)), C.size_t(len(cache)), &d))
	return d, s
}

func (d *Device) nativeClose()       { C.gv_device_close(d.handle) }
func (d *Device) nativeWait() status { return result(C.gv_wait_idle(d.handle)) }
func (d *Device) nativeHeaps() []Heap {
	var c [C.GV_HEAPS]C.gv_heap
	C.gv_heaps_of(d.handle, &c[0])
	return heaps(c[:len(d.info.Heaps)])
}

func (d *Device) nativeCache() ([]byte, status) {
	var n C.size_t
	if s := result(C.gv_cache(d.handle, nil, &n)); s.code != 0 || n == 0 {
		return nil, s
	}
	data := make([]byte, n)
	s := result(C.gv_cache(d.handle, unsafe.Pointer(&data[0]), &n))
	return data[:n], s
}

func (d *Device) nativeBuffer(size uint64) (buffer, need uint64, bits uint32, s status) {
	var b, m C.uint64_t
	var t C.uint32_t
	s = result(C.gv_buffer(d.handle, C.uint64_t(size), &b, &m, &t))
	return uint64(b), uint64(m), uint32(t), s
}

func (d *Device) nativeBind(buffer, need uint64, memoryType int, mapped bool) (memory uint64, data unsafe.Pointer, s status) {
	var m C.uint64_t
	var on C.int
	if mapped {
		on = 1
	}
	s = result(C.gv_bind(d.handle, C.uint64_t(buffer), C.uint64_t(need), C.uint32_t(memoryType), on, &m, &data))
	return uint64(m), data, s
}

func (d *Device) nativeFree(buffer, memory uint64) {
	C.gv_buffer_free(d.handle, C.uint64_t(buffer), C.uint64_t(memory))
}

func (d *Device) nativePipeline(code []uint32, bindings, push int, ids, values []uint32) (pipelineHandle, status) {
	var p pipelineHandle
	s := result(C.gv_pipeline_new(d.handle, (*C.uint32_t)(unsafe.SliceData(code)), C.size_t(4*len(code)), C.uint32_t(bindings), C.uint32_t(push),
		(*C.uint32_t)(unsafe.SliceData(ids)), (*C.uint32_t)(unsafe.SliceData(values)), C.uint32_t(len(ids)), &p))
	return p, s
}

func (p *Pipeline) nativeFree()     { C.gv_pipeline_free(p.device.handle, p.handle) }
func (p *Pipeline) address() uint64 { return uint64(uintptr(unsafe.Pointer(p.handle))) }

func (d *Device) nativeSlot() (slotHandle, status) {
	var s slotHandle
	r := result(C.gv_slot_new(d.handle, &s))
	return s, r
}

func (d *Device) nativeSlotFree(s slotHandle) { C.gv_slot_free(d.handle, s) }

func (d *Device) nativeSubmit(s slotHandle, ops []uint64, stamps, sets, bindings int) status {
	return result(C.gv_submit(d.handle, s, (*C.uint64_t)(unsafe.SliceData(ops)), C.size_t(len(ops)), C.uint32_t(stamps), C.uint32_t(sets), C.uint32_t(bindings)))
}

func (d *Device) nativeFence(s slotHandle, ns uint64, stamps []uint64) status {
	return result(C.gv_wait(d.handle, s, C.uint64_t(ns), (*C.uint64_t)(unsafe.SliceData(stamps)), C.uint32_t(len(stamps))))
}
