//go:build !cgo

package vk

import "unsafe"

// A build without cgo has no Vulkan: opening an instance says so, and nothing else can be reached.

type (
	instanceHandle = *struct{}
	deviceHandle   = *struct{}
	slotHandle     = *struct{}
	pipelineHandle = *struct{}
)

var absent = status{code: codeNoCgo, call: "open"}

func nativeOpen(string, bool) (instanceHandle, status)                      { return nil, absent }
func features() ([]string, func(int) bool)                                  { return nil, nil }
func (h *Instance) nativeClose()                                            {}
func (h *Instance) nativeAPI() uint32                                       { return 0 }
func (h *Instance) nativeDevices() (int, status)                            { return 0, absent }
func (h *Instance) nativeFile() string                                      { return "" }
func (h *Instance) nativeLayers() string                                    { return "" }
func (h *Instance) nativeMessages() string                                  { return "" }
func (h *Instance) nativeLive() map[string]int                              { return nil }
func (h *Instance) nativeInfo(int) Info                                     { return Info{} }
func (h *Instance) nativeDevice(int, []byte, []byte) (deviceHandle, status) { return nil, absent }
func (d *Device) nativeClose()                                              {}
func (d *Device) nativeWait() status                                        { return absent }
func (d *Device) nativeHeaps() []Heap                                       { return nil }
func (d *Device) nativeCache() ([]byte, status)                             { return nil, absent }
func (d *Device) nativeBuffer(uint64) (uint64, uint64, uint32, status)      { return 0, 0, 0, absent }
func (d *Device) nativeBind(uint64, uint64, int, bool) (uint64, unsafe.Pointer, status) {
	return 0, nil, absent
}
func (d *Device) nativeFree(uint64, uint64)                               {}
func (d *Device) nativeSlot() (slotHandle, status)                        { return nil, absent }
func (d *Device) nativeSlotFree(slotHandle)                               {}
func (d *Device) nativeSubmit(slotHandle, []uint64, int, int, int) status { return absent }
func (d *Device) nativeFence(slotHandle, uint64, []uint64) status         { return absent }
func (p *Pipeline) nativeFree()                                           {}
func (p *Pipeline) address() uint64                                       { return 0 }

func (d *Device) nativePipeline([]uint32, int, int, []uint32, []uint32) (pipelineHandle, status) {
	return nil, absent
}
