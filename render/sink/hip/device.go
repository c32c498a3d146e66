//go:build hip

package hip

import (
	"errors"
	"runtime"
	"strconv"
	"strings"

	"grsplat/render/fail"
)

// kernelNames are the entry points of every code object.
var kernelNames = []string{
	"grhip_prepare", "grhip_atomic_i64", "grhip_tile16_f64", "grhip_pieces_f64", "grhip_tile16_i64", "grhip_merge_f64", "grhip_merge_i64", "grhip_carry",
	"grhip_mesh_deposit", "grhip_mesh_filter", "grhip_mesh_forward", "grhip_mesh_multiply", "grhip_mesh_inverse",
	"grhip_rims_forward", "grhip_rims_multiply", "grhip_rims_inverse", "grhip_mesh_paste",
}

// device is one GPU with its kernels loaded and a stream.
type device struct {
	*api
	Device
	module  module
	kernels map[string]pointer
	stream  pointer
}

// Devices lists what the runtime lists, with the reason why a device cannot be used. An error says why there is no list.
func Devices() ([]Device, error) {
	a, err := loaded()
	if err != nil {
		return nil, err
	}
	n, err := a.deviceCount()
	if err != nil {
		return nil, err
	}
	list := make([]Device, n)
	for i := range list {
		d, err := open(a, i)
		list[i] = d.Device
		if err != nil {
			list[i].Reason = err.Error()
			continue
		}
		if err := d.close(); err != nil {
			list[i].Reason = err.Error()
		}
	}
	return list, nil
}

// choose opens the device that want names: an index, or part of a name in any case. Empty takes the first one that works.
func choose(want string) (*device, error) {
	a, err := loaded()
	if err != nil {
		return nil, err
	}
	n, err := a.deviceCount()
	if err != nil {
		return nil, fail.Backend("%w", err)
	}
	var reasons []error
	for i := range n {
		name, err := a.deviceName(i)
		if err != nil {
			reasons = append(reasons, err)
			continue
		}
		if !matches(want, i, name) {
			continue
		}
		d, err := open(a, i)
		if err == nil {
			return d, nil
		}
		reasons = append(reasons, err)
	}
	if reasons == nil {
		return nil, fail.Backend("hip: no device %q among the %d that the runtime lists", want, n)
	}
	return nil, fail.Backend("%w", errors.Join(reasons...))
}

func matches(want string, index int, name string) bool {
	if want == "" {
		return true
	}
	if i, err := strconv.Atoi(want); err == nil {
		return i == index
	}
	return strings.Contains(strings.ToLower(name), strings.ToLower(want))
}

// open loads the kernels on device i. The Device of the result is filled as far as it got.
func open(a *api, i int) (d *device, err error) {
	d = &device{api: a, Device: Device{Index: i}, kernels: map[string]pointer{}}
	if d.Name, err = a.deviceName(i); err != nil {
		return d, err
	}
	if d.Runtime, err = a.version(); err != nil {
		return d, err
	}
	err = d.on(func() error {
		if err := d.loadKernels(); err != nil {
			return err
		}
		d.stream, err = a.newStream()
		return err
	})
	if err != nil {
		return d, errors.Join(err, d.close())
	}
	return d, nil
}

// loadKernels takes the first code object that the device accepts.
func (d *device) loadKernels() error {
	names, err := targets()
	if err != nil {
		return err
	}
	for _, target := range names {
		code, err := object(target)
		if err != nil {
			return err
		}
		m, ok, err := d.load(code)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		d.module, d.Target = m, target
		for _, name := range kernelNames {
			if d.kernels[name], err = d.function(m, name); err != nil {
				return fail.Backend("hip: the code object for %s lacks a kernel: %w", target, err)
			}
		}
		return nil
	}
	return fail.Backend("hip: %s takes none of the code objects for %s", d.Name, strings.Join(names, ", "))
}

// on runs do with the device current on this thread, as the runtime wants it for memory.
func (d *device) on(do func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.setDevice(d.Index); err != nil {
		return err
	}
	return do()
}

// finally is on for freeing: it is tried even where the device cannot be made current.
func (d *device) finally(do func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return errors.Join(d.setDevice(d.Index), do())
}

// close frees the stream and the kernels.
func (d *device) close() error {
	return d.finally(func() error {
		var errs []error
		if d.stream != nil {
			errs = append(errs, d.freeStream(d.stream))
		}
		if d.module.handle != nil {
			errs = append(errs, d.unload(d.module))
		}
		return errors.Join(errs...)
	})
}
