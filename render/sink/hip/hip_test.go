//go:build hip

package hip

import (
	"context"
	"errors"
	"os"
	"testing"

	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/replay"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
	"grsplat/render/sink/sinktest"
	"grsplat/tools/hipcpu"
	"grsplat/tools/require"
)

// The tests run on the runtime that GRSPLAT_HIP_LIBRARY names, or on the stand-in for it, built here.
var standIn struct {
	used bool
	err  error // why it could not be built
}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		if os.Getenv("GRSPLAT_HIP_LIBRARY") != "" {
			return m.Run()
		}
		dir, err := os.MkdirTemp("", "grsplat-hip")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		path, err := hipcpu.Library(dir)
		standIn.used, standIn.err = err == nil, err
		if err := os.Setenv("GRSPLAT_HIP_LIBRARY", path); err != nil {
			panic(err)
		}
		return m.Run()
	}())
}

// needStandIn is for tests that ask the stand-in to fail.
func needStandIn(t *testing.T) {
	t.Helper()
	require.Tool(t, "hipcpu", standIn.err)
	if !standIn.used {
		require.Tool(t, "hipcpu", errors.New("GRSPLAT_HIP_LIBRARY names another runtime"))
	}
}

func mustOpen(t testing.TB, cfg sink.Config, size sizes) *Canvas {
	t.Helper()
	c, err := newCanvas(cfg, size)
	if err != nil {
		t.Fatal(err)
	}
	return c.(*Canvas)
}

// Every path passes the suite, with small batches, so that both slots are used many times and lists are cut, and with the usual
// ones.
func TestConformance(t *testing.T) {
	require.Tool(t, "hipcpu", standIn.err)
	for _, c := range []struct {
		sink.Config
		size sizes
		long bool
	}{
		{sink.Config{Path: "auto"}, sizes{700, 100}, false},
		{sink.Config{Path: "auto", Precision: sink.Exact128}, sizes{700, 100}, false}, // both paths
		{sink.Config{Path: "tile16"}, usual, true},
		{sink.Config{Path: "tile16", Precision: sink.Exact128}, usual, true},
		{sink.Config{Path: "atomic", Precision: sink.Exact128}, usual, true},
		{sink.Config{Path: "tile16", Precision: sink.F32}, sizes{4096, 500}, true},
	} {
		t.Run(c.Path+"-"+c.Precision.String(), func(t *testing.T) {
			if c.long {
				require.Long(t)
			}
			sinktest.Run(t, sinktest.Harness{
				Config: c.Config,
				Light:  standIn.used && os.Getenv("GRSPLAT_LONG") == "",
				New:    func(t *testing.T, cfg sink.Config) sink.Canvas { return mustOpen(t, cfg, c.size) },
			})
		})
	}
}

// One batch whose lists are not cut is summed in the order of its events: the sequential sum's own bits.
func TestUnsplitTileIsTheReference(t *testing.T) {
	require.Tool(t, "hipcpu", standIn.err)
	for _, s := range sinktest.Scenes(true) {
		if len(s.Events) > usual.piece {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			cfg := sink.Config{W: s.W, H: s.H, PSF: s.PSF}
			want, got := hdr.NewFrame(s.W, s.H), hdr.NewFrame(s.W, s.H)
			draw(t, cpu.NewReference(cfg), s.Events, want)
			draw(t, mustOpen(t, cfg, usual), s.Events, got)
			if d, _ := hdr.Compare(got, want, 0); !d.Identical {
				t.Errorf("not the reference's bits: %+v", d)
			}
		})
	}
}

// draw deposits events, resolves and closes.
func draw(t testing.TB, c sink.Canvas, events []event.Event, dst *hdr.Frame) {
	t.Helper()
	if err := tryDraw(c, events, dst); err != nil {
		t.Fatal(err)
	}
}

func tryDraw(c sink.Canvas, events []event.Event, dst *hdr.Frame) error {
	err := c.Deposit(context.Background(), events)
	if err == nil {
		err = c.Resolve(context.Background(), dst)
	}
	return errors.Join(err, c.Close())
}

// Times of full batches of the usual stamps, crowded as in the first row of `grsplat bench gpu` and over the frame, by path and
// precision.
func BenchmarkDevice(b *testing.B) {
	for name, spread := range map[string]float64{"crowded": 16, "spread": 3840} {
		s := replay.Synthetic{Events: usual.events, Spread: spread, Seed: replay.DefaultSeed, W: 3840, H: 2160}
		for _, cfg := range []sink.Config{{Path: "tile16"}, {Path: "tile16", Precision: sink.Exact128}, {Path: "atomic", Precision: sink.Exact128}, {Path: "mesh"}} {
			if cfg.Path == "mesh" && name == "spread" {
				continue // hundreds of blocks of few events, which auto leaves to tiles
			}
			b.Run(name+"-"+cfg.Path+"-"+cfg.Precision.String(), func(b *testing.B) { benchmarkDevice(b, cfg, s) })
		}
	}
}

func benchmarkDevice(b *testing.B, cfg sink.Config, s replay.Synthetic) {
	cfg.W, cfg.H, cfg.PSF, cfg.QuantumBits = s.W, s.H, sinktest.PSF(nil), hdr.DefaultQuantumBits
	c := mustOpen(b, cfg, usual)
	for b.Loop() {
		if err := s.Each(cfg.PSF, func(chunk []event.Event) error { return c.Deposit(context.Background(), chunk) }); err != nil {
			b.Fatal(err)
		}
	}
	if err := c.Resolve(context.Background(), hdr.NewFrame(cfg.W, cfg.H)); err != nil {
		b.Fatal(err)
	}
	st := c.Stats()
	n := float64(st.PathChunks[cfg.Path])
	b.ReportMetric(st.Seconds.Accumulate*1e3/n, "accumulate-ms/batch")
	b.ReportMetric((st.Seconds.Bin+st.Seconds.Merge)*1e3/n, "bin+merge-ms/batch")
	b.ReportMetric(st.Seconds.Upload*1e3/n, "upload-ms/batch")
	b.ReportMetric(float64(st.Contributions)/st.Seconds.Accumulate/1e9, "Gpairs/s")
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
}
