//go:build hip && hiplink

package hip

// #cgo CFLAGS: -I/opt/rocm/include
// #cgo LDFLAGS: -L/opt/rocm/lib -lamdhip64
import "C"
