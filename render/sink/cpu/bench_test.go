package cpu_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"

	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/psf"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
	"grsplat/render/sink/cpu/kern"
)

// synthetic is tools/baseline/c/psf_c.c's input: n events in a square of spread px at the centre of a 4K frame.
func synthetic(f *psf.PSF, n int, spread float64) []event.Event {
	const w, h = 3840, 2160
	state := uint64(12345)
	draw := func() float64 {
		state = state*6364136223846793005 + 1442695040888963407
		return float64(state>>11) / (1 << 53)
	}
	sx, sy := min(spread, w), min(spread, h)
	events := make([]event.Event, n)
	for i := range events {
		e := &events[i]
		e.X, e.Y = (w-sx)/2+draw()*sx, (h-sy)/2+draw()*sy
		e.R, e.G, e.B, e.Flux = 0.5+draw(), 0.5+draw(), 0.5+draw(), 1+draw()
		_, e.Support = f.Classify(e.Flux)
	}
	return events
}

// BenchmarkStamp reports contributions a second of the three inputs of the C baseline.
func BenchmarkStamp(b *testing.B) {
	f, err := psf.New(psf.Defaults())
	if err != nil {
		b.Fatal(err)
	}
	for _, in := range []struct {
		name   string
		n      int
		spread float64
	}{{"dense", 65536, 16}, {"hotspot", 16384, 1}, {"spread", 16384, 3840}} {
		events := synthetic(f, in.n, in.spread)
		for _, set := range kern.Available()[1:] {
			for _, mode := range []string{"f64", "exact", "cells", "auto"} {
				for _, threads := range []int{1, 2} {
					cfg := sink.Config{W: 3840, H: 2160, PSF: f, Threads: threads, QuantumBits: hdr.DefaultQuantumBits}
					cfg.Coalesce = mode == "cells"
					cfg.Path, cfg.MeshError = mode, 1e-9
					if mode == "exact" {
						cfg.Precision = sink.Exact128
					}
					b.Run(fmt.Sprintf("%s/%s/%s/%d", in.name, set.Name, mode, threads), func(b *testing.B) {
						benchmarkDeposit(b, cfg, set.Name, events)
					})
				}
			}
		}
	}
}

func benchmarkDeposit(b *testing.B, cfg sink.Config, level string, events []event.Event) {
	var s interface {
		sink.Canvas
		Flush(context.Context) error
	}
	var err error
	if s, err = cpu.NewStamp(cfg, cpu.Level(level)); cfg.Path == "auto" {
		s, err = cpu.NewMesh(cfg, cpu.Level(level))
	}
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	round := func() {
		for i := 0; i < len(events); i += event.ChunkLen {
			if err := s.Deposit(ctx, events[i:min(i+event.ChunkLen, len(events))]); err != nil {
				b.Fatal(err)
			}
		}
		if err := s.Flush(ctx); err != nil {
			b.Fatal(err)
		}
	}
	round() // touch the tiles
	lit := 0.0
	for i := range events {
		d := psf.NewDisc(events[i].X, events[i].Y, events[i].Support, cfg.W, cfg.H)
		lit += float64(d.Pixels()) / 1e9
	}
	start := processTime(b)
	for b.Loop() {
		round()
	}
	done := float64(b.N) * lit
	b.ReportMetric(done/b.Elapsed().Seconds(), "Gc/s")
	b.ReportMetric(done/(processTime(b)-start), "Gc/cpu-s")
}

// processTime is the seconds of processor time that this process has used: steadier than the wall on a shared machine.
func processTime(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
