// Package vk is a thin layer over Vulkan's compute half: the loader, devices and what they can do, memory, pipelines and
// submissions. It knows nothing of stars and imports nothing of ours. docs/vulkan-binding.md says why it exists.
//
// The loader is opened at run time, so a program that imports vk starts on a machine without Vulkan; Open then returns
// ErrNoLoader. Built with CGO_ENABLED=0, Open returns ErrNoCgo.
//
//	in, err := vk.Open(vk.Options{})                            // ErrNoLoader, ErrNoDriver, ErrNoDevice, ErrNoCgo
//	info, err := vk.Select(in.Devices(), "")                    // ErrOnlyCPU unless a device is named
//	d, err := in.NewDevice(info, vk.DeviceOptions{Features: []string{"shaderFloat64"}})
//	p, err := d.NewPipeline(vk.PipelineConfig{Name: "square", Code: spirv, Bindings: 2, Push: 4})
//	x, err := d.NewBuffer("x", 8*n, vk.OnDevice)                // MemoryError before the device is over-committed
//	ring, err := d.NewRing("staging", 2, 8*n)                   // upload buffers used in turn
//	up, err := ring.Next()                                      // returns when the device has finished reading it
//	copy(vk.View[float64](up), values)
//	b := d.Batch("square")                                      // recorded in Go, one call into C at Submit
//	b.Copy(x.All(), up.All())
//	b.Barrier()
//	start := b.Stamp()
//	gx, gy, err := d.Grid((n + 63) / 64)                        // never more than 65,535 groups on an axis
//	b.Dispatch(p, push, gx, gy, 1, x.All(), y.All())
//	b.Barrier()
//	end := b.Stamp()
//	s, err := b.Submit()                                        // waits if two submissions are under way
//	times, err := s.Wait()                                      // ns := times[end] - times[start]
//
// # Ownership
//
// What NewX returns is freed by its Free (or Close), which waits for the device's use of it to end; freeing twice is
// harmless. Device.Close and Instance.Close free what is left and report it as an error. A submission holds the buffers it
// uses until it has finished. All memory that C or the device sees is C's: no Go pointer is ever stored there.
//
// # Concurrency
//
// Instance, Device and Submission may be used by several goroutines; a Batch and a Ring belong to one. Batches run in the
// order of their Submit calls, each as if after all earlier ones.
//
// # Errors
//
// An error reads `stage: call: reason`. The loss of the device is latched: the first error that says ErrLost, with the
// stage at which it surfaced, is what every later call returns.
package vk
