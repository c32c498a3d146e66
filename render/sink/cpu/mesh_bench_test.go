package cpu_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
)

// BenchmarkMeshStream streams 100 million events over a 4K frame, or all into one block, through one Deposit at a time and reports
// the time of an event and the largest memory that the process has had.
func BenchmarkMeshStream(b *testing.B) {
	f, err := psf.New(psf.Defaults())
	if err != nil {
		b.Fatal(err)
	}
	const n = 100_000_000
	for name, spread := range map[string]float64{"frame": 3840, "block": 16} {
		events := synthetic(f, 64*event.ChunkLen, spread)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c, err := cpu.NewMesh(sink.Config{W: 3840, H: 2160, PSF: f, Path: "mesh"})
				if err != nil {
					b.Fatal(err)
				}
				for i := 0; i < n/event.ChunkLen; i++ {
					at := i % 64 * event.ChunkLen
					if err := c.Deposit(context.Background(), events[at:at+event.ChunkLen]); err != nil {
						b.Fatal(err)
					}
				}
				if err := c.Resolve(context.Background(), hdr.NewFrame(3840, 2160)); err != nil {
					b.Fatal(err)
				}
				c.Close()
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/n*1e9, "ns/event")
			b.ReportMetric(peakMiB(), "MiB-peak")
		})
	}
}

// peakMiB is the largest resident size of the process so far, 0 where the system does not tell.
func peakMiB() float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kib, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	v, err := strconv.ParseFloat(kib, 64)
	if err != nil {
		return 0
	}
	return v / 1024
}
