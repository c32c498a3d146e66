//go:build hip

package hip

// #cgo LDFLAGS: -ldl
// #include <stdlib.h>
// #include "api.h"
// #include "args.h"
//
// static int grhip_launch(const grhip_api *api, void *kernel, unsigned blocks, void *stream, grhip_args *args) {
//   void *params[] = {args};
//   return api->hipModuleLaunchKernel(kernel, blocks, 1, 1, GRHIP_BLOCK, 1, 1, 0, stream, params, NULL);
// }
// static const char *grhip_error(const grhip_api *api, int e) { return api->hipGetErrorName(e); }
// static int grhip_device_count(const grhip_api *api, int *n) { return api->hipGetDeviceCount(n); }
// static int grhip_version(const grhip_api *api, int *v) { return api->hipRuntimeGetVersion(v); }
// static int grhip_device_name(const grhip_api *api, char *s, int n, int d) { return api->hipDeviceGetName(s, n, d); }
// static int grhip_set_device(const grhip_api *api, int d) { return api->hipSetDevice(d); }
// static int grhip_mem_info(const grhip_api *api, size_t *f, size_t *t) { return api->hipMemGetInfo(f, t); }
// static int grhip_malloc(const grhip_api *api, void **p, size_t n) { return api->hipMalloc(p, n); }
// static int grhip_free(const grhip_api *api, void *p) { return api->hipFree(p); }
// static int grhip_host_malloc(const grhip_api *api, void **p, size_t n) { return api->hipHostMalloc(p, n, 0); }
// static int grhip_host_free(const grhip_api *api, void *p) { return api->hipHostFree(p); }
// static int grhip_copy(const grhip_api *api, void *to, void *from, size_t n, int kind, void *s) { return api->hipMemcpyAsync(to, from, n, kind, s); }
// static int grhip_clear(const grhip_api *api, void *p, size_t n, void *s) { return api->hipMemsetAsync(p, 0, n, s); }
// static int grhip_stream_new(const grhip_api *api, void **s) { return api->hipStreamCreateWithFlags(s, GRHIP_NON_BLOCKING); }
// static int grhip_stream_free(const grhip_api *api, void *s) { return api->hipStreamDestroy(s); }
// static int grhip_stream_wait(const grhip_api *api, void *s) { return api->hipStreamSynchronize(s); }
// static int grhip_event_new(const grhip_api *api, void **e) { return api->hipEventCreate(e); }
// static int grhip_event_free(const grhip_api *api, void *e) { return api->hipEventDestroy(e); }
// static int grhip_event_record(const grhip_api *api, void *e, void *s) { return api->hipEventRecord(e, s); }
// static int grhip_event_wait(const grhip_api *api, void *e) { return api->hipEventSynchronize(e); }
// static int grhip_event_elapsed(const grhip_api *api, float *ms, void *a, void *b) { return api->hipEventElapsedTime(ms, a, b); }
// static int grhip_module_load(const grhip_api *api, void **m, const void *object) { return api->hipModuleLoadData(m, object); }
// static int grhip_module_free(const grhip_api *api, void *m) { return api->hipModuleUnload(m); }
// static int grhip_module_function(const grhip_api *api, void **f, void *m, const char *name) { return api->hipModuleGetFunction(f, m, name); }
import "C"

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"unsafe"

	"grsplat/render/fail"
)

// pointer is a handle of the runtime or memory of either side; never Go memory.
type pointer = unsafe.Pointer

// api is the loaded runtime.
type api struct{ table *C.grhip_api }

// libraries are the names that the runtime goes by, newest first.
var libraries = []string{"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so", "/opt/rocm/lib/libamdhip64.so"}

// loaded opens the runtime once; it stays open, since closing a GPU runtime is what they are worst at.
var loaded = sync.OnceValues(func() (*api, error) {
	if name := os.Getenv("GRSPLAT_HIP_LIBRARY"); name != "" {
		a, reason := load(name)
		if a == nil {
			return nil, fail.Backend("hip: load GRSPLAT_HIP_LIBRARY: %s", reason)
		}
		return a, nil
	}
	for _, name := range libraries {
		a, reason := load(name)
		if a != nil {
			return a, nil
		}
		if !strings.HasPrefix(reason, name+": cannot open") { // it is there and does not load
			return nil, fail.Backend("hip: load %s: %s", name, reason)
		}
	}
	return nil, fail.Backend("hip: no runtime: found none of %s; install ROCm's HIP runtime, or name it in GRSPLAT_HIP_LIBRARY", strings.Join(libraries, ", "))
})

// load opens a library; without one there is a reason.
func load(name string) (*api, string) {
	path := C.CString(name)
	defer C.free(unsafe.Pointer(path))
	table := (*C.grhip_api)(C.calloc(1, C.sizeof_grhip_api))
	var reason [512]C.char
	if C.grhip_load(table, path, &reason[0], C.size_t(len(reason))) != 0 {
		C.free(unsafe.Pointer(table))
		return nil, C.GoString(&reason[0])
	}
	return &api{table}, ""
}

// check turns a status into an error that names the call.
func (a *api) check(call string, status C.int) error {
	if status == 0 {
		return nil
	}
	return fail.Device("hip: %s: %s (%d)", call, C.GoString(C.grhip_error(a.table, status)), int(status))
}

// deviceCount returns how many devices there are, an error for none.
func (a *api) deviceCount() (int, error) {
	var n C.int
	status := C.grhip_device_count(a.table, &n)
	if status == C.GRHIP_NO_DEVICE || status == 0 && n == 0 {
		return 0, fail.Backend("hip: no device: the runtime lists none (is there a /dev/kfd that this user may open?)")
	}
	return int(n), a.check("hipGetDeviceCount", status)
}

// version returns the runtime's version as text.
func (a *api) version() (string, error) {
	var v C.int
	if err := a.check("hipRuntimeGetVersion", C.grhip_version(a.table, &v)); err != nil {
		return "", err
	}
	// Ten million times the major version, a hundred thousand times the minor one, and a patch.
	return fmt.Sprintf("HIP %d.%d.%d", int(v)/10_000_000, int(v)/100_000%100, int(v)%100_000), nil
}

func (a *api) deviceName(device int) (string, error) {
	var name [256]C.char
	err := a.check("hipDeviceGetName", C.grhip_device_name(a.table, &name[0], C.int(len(name)), C.int(device)))
	return C.GoString(&name[0]), err
}

// setDevice chooses the device of the calling thread.
func (a *api) setDevice(device int) error {
	return a.check("hipSetDevice", C.grhip_set_device(a.table, C.int(device)))
}

func (a *api) freeMemory() (int64, error) {
	var free, total C.size_t
	err := a.check("hipMemGetInfo", C.grhip_mem_info(a.table, &free, &total))
	return int64(free), err
}

func (a *api) malloc(n int64) (pointer, error) {
	var p pointer
	err := a.check(fmt.Sprintf("hipMalloc of %d bytes", n), C.grhip_malloc(a.table, &p, C.size_t(n)))
	return p, err
}

// hostMalloc returns pinned memory.
func (a *api) hostMalloc(n int64) (pointer, error) {
	var p pointer
	err := a.check(fmt.Sprintf("hipHostMalloc of %d bytes", n), C.grhip_host_malloc(a.table, &p, C.size_t(n)))
	return p, err
}

func (a *api) free(p pointer) error     { return a.check("hipFree", C.grhip_free(a.table, p)) }
func (a *api) hostFree(p pointer) error { return a.check("hipHostFree", C.grhip_host_free(a.table, p)) }

func (a *api) toDevice(dst, src pointer, n int64, stream pointer) error {
	return a.check("hipMemcpyAsync to the device", C.grhip_copy(a.table, dst, src, C.size_t(n), C.GRHIP_TO_DEVICE, stream))
}

func (a *api) toHost(dst, src pointer, n int64, stream pointer) error {
	return a.check("hipMemcpyAsync to the host", C.grhip_copy(a.table, dst, src, C.size_t(n), C.GRHIP_TO_HOST, stream))
}

func (a *api) clear(p pointer, n int64, stream pointer) error {
	return a.check("hipMemsetAsync", C.grhip_clear(a.table, p, C.size_t(n), stream))
}

func (a *api) newStream() (pointer, error) {
	var s pointer
	err := a.check("hipStreamCreateWithFlags", C.grhip_stream_new(a.table, &s))
	return s, err
}

func (a *api) freeStream(s pointer) error {
	return a.check("hipStreamDestroy", C.grhip_stream_free(a.table, s))
}
func (a *api) wait(s pointer) error {
	return a.check("hipStreamSynchronize", C.grhip_stream_wait(a.table, s))
}

func (a *api) newEvent() (pointer, error) {
	var e pointer
	err := a.check("hipEventCreate", C.grhip_event_new(a.table, &e))
	return e, err
}

func (a *api) freeEvent(e pointer) error {
	return a.check("hipEventDestroy", C.grhip_event_free(a.table, e))
}
func (a *api) waitEvent(e pointer) error {
	return a.check("hipEventSynchronize", C.grhip_event_wait(a.table, e))
}

func (a *api) record(e, stream pointer) error {
	return a.check("hipEventRecord", C.grhip_event_record(a.table, e, stream))
}

// elapsed returns the seconds between two recorded events.
func (a *api) elapsed(from, to pointer) (float64, error) {
	var ms C.float
	err := a.check("hipEventElapsedTime", C.grhip_event_elapsed(a.table, &ms, from, to))
	return float64(ms) / 1e3, err
}

// A module is a loaded code object and the memory of its image, which some runtimes read for as long as it is loaded.
type module struct{ handle, image pointer }

// load tries a code object; ok is false where it is for another device.
func (a *api) load(object []byte) (m module, ok bool, err error) {
	m.image = C.CBytes(object)
	switch status := C.grhip_module_load(a.table, &m.handle, m.image); status {
	case 0:
		return m, true, nil
	case C.GRHIP_NO_BINARY, C.GRHIP_BAD_IMAGE:
	default:
		err = a.check("hipModuleLoadData", status)
	}
	C.free(m.image)
	return module{}, false, err
}

func (a *api) unload(m module) error {
	err := a.check("hipModuleUnload", C.grhip_module_free(a.table, m.handle))
	C.free(m.image)
	return err
}

func (a *api) function(m module, name string) (pointer, error) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var f pointer
	err := a.check("hipModuleGetFunction "+name, C.grhip_module_function(a.table, &f, m.handle, text))
	return f, err
}

// launch starts blocks of a kernel.
func (a *api) launch(name string, kernel pointer, blocks int, stream pointer, args *C.grhip_args) error {
	return a.check("hipModuleLaunchKernel "+name, C.grhip_launch(a.table, kernel, C.uint(blocks), stream, args))
}
