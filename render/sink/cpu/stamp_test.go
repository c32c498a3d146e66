package cpu_test

import (
	"context"
	"testing"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/hdr"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
	"grsplat/render/sink/cpu/kern"
	"grsplat/render/sink/sinktest"
	"grsplat/tools/require"
)

func newStamp(t testing.TB, cfg sink.Config, level string) *cpu.Stamp {
	t.Helper()
	s, err := cpu.NewStamp(cfg, cpu.Level(level))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every level of the production sink equals the reference: in float64, exactly, and with cells. The reference takes its time over
// exact sums and over the largest scenes: these are for the fastest level and for float64, and for long runs. Package kern
// compares the exact kernels of all levels bit by bit.
func TestStampConforms(t *testing.T) {
	levels := kern.Available()
	for i, set := range levels {
		fastest := i == len(levels)-1
		for name, cfg := range map[string]sink.Config{
			"f64":   {},
			"cells": {Coalesce: true},
			"exact": {Precision: sink.Exact128, Coalesce: true},
		} {
			t.Run(set.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				if name == "exact" && !fastest {
					require.Long(t)
				}
				sinktest.Run(t, sinktest.Harness{
					New:    func(t *testing.T, cfg sink.Config) sink.Canvas { return newStamp(t, cfg, set.Name) },
					Config: cfg,
					Light:  !fastest || name != "f64",
				})
			})
		}
	}
}

// The exact sums equal the reference's at quanta that make every event faint, or too bright for int64.
func TestQuantumBits(t *testing.T) {
	t.Parallel()
	for _, bits := range []int{1, 62, 80} {
		s := hotScene(400)
		s.Events = s.Events[:60]
		cfg := sink.Config{W: s.W, H: s.H, PSF: s.PSF, Precision: sink.Exact128, QuantumBits: bits, Threads: 2}
		ref := cpu.NewReference(cfg)
		feed(t, ref, s.Events, 16384)
		for _, set := range kern.Available() {
			c := newStamp(t, cfg, set.Name)
			feed(t, c, s.Events, 16384)
			resolved(t, c, s)
			if g, w := c.Sums().SHA256(), ref.Sums().SHA256(); g != w {
				t.Errorf("%d bits, %s: sums differ from the reference", bits, set.Name)
			}
		}
	}
}

// Neither float64 nor exact bits depend on the number of threads; exact ones not on the chunks and the order either.
func TestThreadsDoNotChangeBits(t *testing.T) {
	t.Parallel()
	s := hotScene(2400)
	for name, cfg := range map[string]sink.Config{"f64": {}, "cells": {Coalesce: true}, "exact": {Precision: sink.Exact128, QuantumBits: 44}} {
		cfg.W, cfg.H, cfg.PSF, cfg.Threads = s.W, s.H, s.PSF, 1
		one := newStamp(t, cfg, "")
		feed(t, one, s.Events, 16384)
		want := resolved(t, one, s)
		for _, threads := range []int{2, 7} {
			cfg.Threads = threads
			c := newStamp(t, cfg, "")
			chunk, events := 16384, s.Events
			if name == "exact" {
				chunk, events = 100, append(append([]event.Event{}, s.Events[1000:]...), s.Events[:1000]...)
			}
			feed(t, c, events, chunk)
			if d, err := hdr.Compare(resolved(t, c, s), want, 0); err != nil || !d.Identical {
				t.Errorf("%s with %d threads: %+v %v", name, threads, d, err)
			}
		}
	}
}

// hotScene has so many events in one place that tiles are cut into segments.
func hotScene(n int) sinktest.Scene {
	for _, s := range sinktest.Scenes(true) {
		if s.Name == "hotspot" {
			for len(s.Events) < n {
				more := s.Events[len(s.Events)-400:]
				for i := range more {
					e := more[i]
					e.X, e.Flux = e.X+0.37, e.Flux*1.001
					s.Events = append(s.Events, e)
				}
			}
			return s
		}
	}
	panic("sinktest has no hotspot")
}

func feed(t *testing.T, c sink.Sink, events []event.Event, chunk int) {
	t.Helper()
	for len(events) > 0 {
		n := min(chunk, len(events))
		if err := c.Deposit(context.Background(), events[:n]); err != nil {
			t.Fatal(err)
		}
		events = events[n:]
	}
}

func resolved(t *testing.T, c sink.Canvas, s sinktest.Scene) *hdr.Frame {
	t.Helper()
	f := hdr.NewFrame(s.W, s.H)
	if err := c.Resolve(context.Background(), f); err != nil {
		t.Fatal(err)
	}
	return f
}

// Batches before and after a Resolve add up.
func TestDepositAfterResolve(t *testing.T) {
	t.Parallel()
	s := hotScene(400)
	for _, precision := range []sink.Precision{sink.F64, sink.Exact128} {
		cfg := sink.Config{W: s.W, H: s.H, PSF: s.PSF, Precision: precision, QuantumBits: 44, Threads: 2}
		c, ref := newStamp(t, cfg, ""), cpu.NewReference(cfg)
		feed(t, c, s.Events[:100], 100)
		resolved(t, c, s)
		feed(t, c, s.Events[100:], 100)
		feed(t, ref, s.Events, 100)
		sinktest.CheckTolerance(t, precision, resolved(t, c, s), resolved(t, ref, s))
	}
}

// A canvas that was reset holds what a new one does.
func TestReset(t *testing.T) {
	t.Parallel()
	s := hotScene(400)
	for _, precision := range []sink.Precision{sink.F64, sink.Exact128} {
		cfg := sink.Config{W: s.W, H: s.H, PSF: s.PSF, Precision: precision, QuantumBits: 60, Threads: 2}
		used, fresh := newStamp(t, cfg, ""), newStamp(t, cfg, "")
		feed(t, used, s.Events[100:], 77)
		resolved(t, used, s)
		feed(t, used, s.Events[100:], 77)
		if err := used.Reset(context.Background()); err != nil {
			t.Fatal(err)
		}
		feed(t, used, s.Events, 100)
		feed(t, fresh, s.Events, 100)
		d, err := hdr.Compare(resolved(t, used, s), resolved(t, fresh, s), 0)
		if err != nil || !d.Identical {
			t.Errorf("%v: %+v %v", precision, d, err)
		}
		if got, want := used.Stats().Contributions, fresh.Stats().Contributions; got != want {
			t.Errorf("%v: %d contributions counted, want %d", precision, got, want)
		}
	}
}

func TestUnknownLevel(t *testing.T) {
	t.Parallel()
	s := hotScene(1)
	_, err := cpu.NewStamp(sink.Config{W: 8, H: 8, PSF: s.PSF}, cpu.Level("mmx"))
	if fail.Status(err) != fail.StatusBackend {
		t.Errorf("got %v", err)
	}
}
