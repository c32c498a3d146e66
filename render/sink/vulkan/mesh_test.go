package vulkan

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
	"grsplat/render/sink/sinktest"
	"grsplat/tools/require"
	"grsplat/vk"
)

// The mesh meets its bound on every scene.
func TestMeshConforms(t *testing.T) {
	require.Long(t)
	t.Parallel()
	e := open(t, sink.Config{Precision: sink.F64, Path: "mesh"}, Options{})
	conforms(t, e, sinktest.Harness{Config: sink.Config{Path: "mesh"}, Check: sinktest.CheckMesh, Uncounted: true, Light: true, Narrow: true})
}

func meshScene(name string) sinktest.Scene {
	scenes := sinktest.Scenes(true)
	return scenes[slices.IndexFunc(scenes, func(s sinktest.Scene) bool { return s.Name == name })]
}

// drawScene deposits a scene in small chunks and returns the image and the counts.
func drawScene(t *testing.T, e *Engine, s sinktest.Scene, cfg sink.Config) (*hdr.Frame, sink.Stats) {
	t.Helper()
	cfg.W, cfg.H, cfg.PSF = s.W, s.H, s.PSF
	c, err := e.Canvas(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	dst := hdr.NewFrame(s.W, s.H)
	if err := c.Deposit(context.Background(), s.Events); err != nil {
		t.Fatal(err)
	}
	if err := c.Resolve(context.Background(), dst); err != nil {
		t.Fatal(err)
	}
	return dst, c.Stats()
}

func reference(t *testing.T, s sinktest.Scene) *hdr.Frame {
	t.Helper()
	c := cpu.NewReference(sink.Config{W: s.W, H: s.H, PSF: s.PSF})
	if err := c.Deposit(context.Background(), s.Events); err != nil {
		t.Fatal(err)
	}
	dst := hdr.NewFrame(s.W, s.H)
	if err := c.Resolve(context.Background(), dst); err != nil {
		t.Fatal(err)
	}
	return dst
}

// The frame's corners and beyond with a coarse grid, direct events beside, several bands, and events
// of another support, which the tiles take.
func TestMesh(t *testing.T) {
	t.Parallel()
	e := open(t, sink.Config{Precision: sink.F64, Path: "mesh"}, Options{Tuning: Tuning{BandRows: 32}})
	for _, name := range []string{"corners", "mixed-with-direct", "other-support"} {
		t.Run(name, func(t *testing.T) {
			var s sinktest.Scene
			if name == "other-support" {
				s = meshScene("flux-decades")
				s.Events = slices.Clone(s.Events)
				s.Events[7].Support *= 0.5
			} else {
				s = meshScene(name)
			}
			got, stats := drawScene(t, e, s, sink.Config{Path: "mesh"})
			sinktest.CheckMesh(t, s, got, reference(t, s))
			taken := map[bool]string{true: "mesh", false: "tile16"}[name != "other-support"]
			if n := stats.PathEvents[taken]; n != stats.Events-stats.Direct || n == 0 {
				t.Errorf("%v", stats.PathEvents)
			}
			if taken == "mesh" && !(stats.MeshErrorBound > 0) {
				t.Errorf("bound %g", stats.MeshErrorBound)
			}
		})
	}
}

// The reported bound holds at flux spreads of 1, 1e4 and 1e8.
func TestMeshBoundHolds(t *testing.T) {
	t.Parallel()
	e := open(t, sink.Config{Precision: sink.F64, Path: "mesh"}, Options{})
	s := meshScene("flux-decades")
	s.W, s.H = 60, 50
	_, support := s.PSF.Classify(1)
	for _, decades := range []float64{0, 4, 8} {
		s.Events = nil
		for i := range 200 {
			k := float64(i)
			s.Events = append(s.Events, event.Event{X: math.Mod(k*17.31, 66) - 3, Y: math.Mod(k*11.77, 54) - 2, R: 1, G: 0.2 + k/200, B: 0.5,
				Flux: 1e-4 * math.Pow(10, decades*(math.Mod(k*0.37, 1)-1)), Support: support})
		}
		got, stats := drawScene(t, e, s, sink.Config{Path: "mesh"})
		want := reference(t, s)
		peak, worst := 0.0, 0.0
		for c := range want.Plane {
			for at, w := range want.Plane[c] {
				peak, worst = max(peak, w), max(worst, math.Abs(got.Plane[c][at]-w))
			}
		}
		if !(worst <= stats.MeshErrorBound*peak) || stats.PathEvents["mesh"] != int64(len(s.Events)) {
			t.Errorf("%g decades: off by %.3g of the peak, bound %.3g; %v", decades, worst/peak, stats.MeshErrorBound, stats.PathEvents)
		}
	}
}

// Of two clusters whose blocks differ in their bound and in their events, the one above the limit goes to the tiles, and likewise the one
// that is not worth a block.
func TestMeshLeavesBlocks(t *testing.T) {
	t.Parallel()
	e := open(t, sink.Config{Precision: sink.F64, Path: "mesh"}, Options{})
	s := sinktest.RingAndStar()
	want := reference(t, s)
	for _, test := range []struct {
		plan plan
		left int
	}{
		{plan{limit: 1e-4}, len(s.Events) - 1}, // between the bounds of the two blocks
		{plan{worth: 2}, 1},
		{plan{limit: 1e-4, worth: 2}, len(s.Events)},
		{plan{}, 0},
	} {
		c, err := e.Canvas(sink.Config{W: s.W, H: s.H, PSF: s.PSF, Path: "mesh"})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Deposit(context.Background(), s.Events); err != nil {
			t.Fatal(err)
		}
		c.front.flush()
		err = c.ask(context.Background(), func() error {
			c.batches = 1
			err := c.runMesh(test.plan, len(s.Events))
			c.pending.reset()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		got := hdr.NewFrame(s.W, s.H)
		if err := c.Resolve(context.Background(), got); err != nil {
			t.Fatal(err)
		}
		sinktest.CheckMesh(t, s, got, want)
		if took := c.Stats().PathEvents; took["tile16"] != int64(test.left) || took["mesh"] != int64(len(s.Events)-test.left) {
			t.Errorf("limit %g, worth %d: %v, want %d left", test.plan.limit, test.plan.worth, took, test.left)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// auto measures the mesh and takes it where it is cheaper: here where the costs say that it is free.
func TestAutoTakesTheMesh(t *testing.T) {
	t.Parallel()
	e := open(t, sink.Config{Precision: sink.F64}, Options{Tuning: Tuning{MeshEvents: 1}})
	s := meshScene("corners")
	cfg := sink.Config{W: s.W, H: s.H, PSF: s.PSF, Path: "auto", MeshError: 1e-9}
	if err := e.measure(cfg); err != nil {
		t.Fatal(err)
	}
	if !(e.mesh.block > 0) {
		t.Errorf("cost of the mesh: %+v", e.mesh)
	}
	for _, free := range []bool{true, false} {
		e.mesh = meshCost{block: map[bool]float64{true: 0, false: 1e9}[free]}
		got, stats := drawScene(t, e, s, cfg)
		sinktest.CheckMesh(t, s, got, reference(t, s))
		if took := stats.PathEvents["mesh"] > 0; took != free {
			t.Errorf("free %v: %v", free, stats.PathEvents)
		}
	}
}

// auto gives the mesh the crowded block of a batch, and tiles the few events elsewhere.
func TestAutoDividesABatch(t *testing.T) {
	t.Parallel()
	e := open(t, sink.Config{Precision: sink.F64}, Options{Tuning: Tuning{MeshEvents: 1}})
	s := meshScene("corners")
	s.W, s.H = 400, 60
	one := s.Events[0]
	s.Events = nil
	for i := range 400 {
		k := float64(i)
		one.X, one.Y = 50+math.Mod(k*0.731, 20), 20+math.Mod(k*0.377, 20)
		s.Events = append(s.Events, one)
	}
	for i := range 5 {
		one.X, one.Y = 350, 20+float64(i)
		s.Events = append(s.Events, one)
	}
	c, err := e.Canvas(sink.Config{W: s.W, H: s.H, PSF: s.PSF, Path: "auto", MeshError: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := e.measure(c.cfg); err != nil {
		t.Fatal(err)
	}
	if err := c.Deposit(context.Background(), s.Events); err != nil {
		t.Fatal(err)
	}
	c.front.flush()
	if err := c.ask(context.Background(), func() error {
		_, least := c.cheapest(&c.pending)
		e.mesh = meshCost{block: 20 * least / float64(len(s.Events))} // a block costs what 20 events do
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	got := hdr.NewFrame(s.W, s.H)
	if err := c.Resolve(context.Background(), got); err != nil {
		t.Fatal(err)
	}
	sinktest.CheckMesh(t, s, got, reference(t, s))
	if took := c.Stats().PathEvents; took["mesh"] != 400 || took["tile16"]+took["tile32"] != 5 {
		t.Errorf("%v", took)
	}
}

// Transforms of every length, filters of several ratios P/Q and none.
func TestMeshShapes(t *testing.T) {
	t.Parallel()
	e := open(t, sink.Config{Precision: sink.F64, Path: "mesh"}, Options{})
	for _, shape := range sinktest.MeshShapes() {
		t.Run(fmt.Sprintf("%d-%d", shape.Length, shape.Ratio), func(t *testing.T) {
			s := shape.Scene
			c, err := e.Canvas(sink.Config{W: s.W, H: s.H, PSF: s.PSF, Path: "mesh"})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.openMesh(); err != nil {
				t.Fatal(err)
			}
			if c.mesh.N != shape.Length || c.mesh.D != shape.Ratio {
				t.Errorf("transforms of %d points, ratio %d", c.mesh.N, c.mesh.D)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			got, stats := drawScene(t, e, s, sink.Config{Path: "mesh"})
			sinktest.CheckMesh(t, s, got, reference(t, s))
			if stats.PathEvents["mesh"] != int64(len(s.Events)) {
				t.Errorf("%v", stats.PathEvents)
			}
		})
	}
}

// Events that outshine the mean of their block a thousand times go to the tiles, and do not lift the block's peak.
func TestMeshLeavesBrightEvents(t *testing.T) {
	t.Parallel()
	e := open(t, sink.Config{Precision: sink.F64, Path: "mesh"}, Options{})
	s, faint := sinktest.FaintAndBright()
	got, stats := drawScene(t, e, s, sink.Config{Path: "mesh"})
	if stats.PathEvents["mesh"] != 100 || stats.PathEvents["tile16"] != 3 {
		t.Errorf("%v", stats.PathEvents)
	}
	alone, _ := drawScene(t, e, faint, sink.Config{Path: "mesh"})
	want, without := reference(t, s), reference(t, faint)
	sinktest.CheckMesh(t, s, got, want)
	sinktest.CheckBrightApart(t, got, want, alone, without)
}

// A 4K frame by the mesh on a card of 4 GB that binds 128 MiB at a time: three bands, blocks across their borders, groups of few blocks.
func TestMeshOnASmallCard(t *testing.T) {
	require.Long(t)
	t.Parallel()
	small := vk.Faults{MemoryBytes: 4 << 30, MaxStorageRange: 128 << 20}
	e := open(t, sink.Config{Precision: sink.F64, Path: "mesh"}, Options{Faults: Faults{Device: small}})
	s := sinktest.Scene{Name: "small card", W: 3840, H: 2160, PSF: sinktest.PSF(nil)}
	_, support := s.PSF.Classify(1)
	for i := range 900 {
		k := float64(i)
		s.Events = append(s.Events, event.Event{X: math.Mod(k*1117.31, 1200), Y: []float64{5, 700, 1425, 2155}[i%4] + math.Mod(k*0.37, 20) - 10,
			R: 1, G: 0.2 + k/900, B: 0.5, Flux: 1 + k/9, Support: support})
	}
	c, err := e.Canvas(sink.Config{W: s.W, H: s.H, PSF: s.PSF, Path: "mesh"})
	if err != nil {
		t.Fatal(err)
	}
	if bands := len(c.frame.bands); bands < 2 {
		t.Errorf("the frame has %d band", bands)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	got, stats := drawScene(t, e, s, sink.Config{Path: "mesh"})
	sinktest.CheckMesh(t, s, got, reference(t, s))
	if stats.PathEvents["mesh"] != int64(len(s.Events)) || stats.PeakDeviceBytes > 4<<30*7/10 {
		t.Errorf("%v with %d bytes", stats.PathEvents, stats.PeakDeviceBytes)
	}
}
