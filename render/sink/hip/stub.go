//go:build !hip

package hip

import (
	"grsplat/render/fail"
	"grsplat/render/sink"
)

// New refuses: this binary was built without the backend.
func New(sink.Config) (sink.Canvas, error) { return nil, missing() }

// Devices lists nothing and says why.
func Devices() ([]Device, error) { return nil, missing() }

func missing() error {
	return fail.Backend("hip: this binary was built without the HIP backend; build it with go build -tags hip ./cmd/grsplat")
}
