package cpu_test

import (
	"testing"

	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
	"grsplat/render/sink/sinktest"
)

// The reference against itself proves the suite's bookkeeping, and that an order of deposits is all that its bits depend on.
func TestReferenceConforms(t *testing.T) {
	for _, p := range []sink.Precision{sink.F64, sink.Exact128} {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			sinktest.Run(t, sinktest.Harness{
				New:      func(t *testing.T, cfg sink.Config) sink.Canvas { return cpu.NewReference(cfg) },
				Config:   sink.Config{Precision: p},
				BitEqual: true,
				Light:    true,
			})
		})
	}
}
