package cpu_test

import (
	"testing"

	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
	"grsplat/render/sink/cpu/kern"
	"grsplat/render/sink/sinktest"
)

// Every level of the production sink equals the reference: in float64, exactly, and with cells.
func TestStampConforms(t *testing.T) {
	for _, set := range kern.Available() {
		for name, cfg := range map[string]sink.Config{
			"f64":      {},
			"cells":    {Coalesce: true},
			"exact":    {Precision: sink.Exact128},
			"exact-20": {Precision: sink.Exact128, QuantumBits: 20, Coalesce: true},
		} {
			t.Run(set.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				sinktest.Run(t, sinktest.Harness{
					New: func(t *testing.T, cfg sink.Config) sink.Canvas {
						c, err := cpu.NewStamp(cfg, cpu.Level(set.Name))
						if err != nil {
							t.Fatal(err)
						}
						return c
					},
					Config: cfg,
				})
			})
		}
	}
}
