//go:build hip

package hip

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"grsplat/render/fail"
	"grsplat/render/hdr"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
	"grsplat/render/sink/sinktest"
	"grsplat/tools/require"
)

// The mesh meets its bound on every scene.
func TestMeshConforms(t *testing.T) {
	require.Tool(t, "hipcpu", standIn.err)
	require.Long(t)
	sinktest.Run(t, sinktest.Harness{
		Config: sink.Config{Path: "mesh"}, Check: sinktest.CheckMesh, Uncounted: true, Narrow: true,
		Light: standIn.used,
		New:   func(t *testing.T, cfg sink.Config) sink.Canvas { return mustOpen(t, cfg, usual) },
	})
}

func meshScene(name string) sinktest.Scene {
	scenes := sinktest.Scenes(true)
	return scenes[slices.IndexFunc(scenes, func(s sinktest.Scene) bool { return s.Name == name })]
}

// untested opens a canvas without the self-test.
func untested(t *testing.T, s sinktest.Scene, cfg sink.Config, size sizes) *Canvas {
	t.Helper()
	require.Tool(t, "hipcpu", standIn.err)
	cfg.W, cfg.H, cfg.PSF = s.W, s.H, s.PSF
	paths, err := pathsOf(cfg)
	if err != nil {
		t.Fatal(err)
	}
	d, err := choose("")
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.canvas(cfg, paths, size)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// drawMesh draws a scene on a canvas, checks it against the reference by the mesh's bound, and returns the counts.
func drawMesh(t *testing.T, s sinktest.Scene, c *Canvas) (*hdr.Frame, sink.Stats) {
	t.Helper()
	want, got := hdr.NewFrame(s.W, s.H), hdr.NewFrame(s.W, s.H)
	draw(t, cpu.NewReference(sink.Config{W: s.W, H: s.H, PSF: s.PSF}), s.Events, want)
	draw(t, c, s.Events, got)
	sinktest.CheckMesh(t, s, got, want)
	return got, c.Stats()
}

// The frame's corners and beyond with a coarse grid, direct events beside, and events of another support, which the tiles take.
func TestMesh(t *testing.T) {
	for name, others := range map[string]int{"corners": 0, "mixed-with-direct": 0, "flux-decades": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := meshScene(name)
			s.Events = slices.Clone(s.Events)
			for i := range others {
				s.Events[7*i].Support *= 0.5
			}
			_, stats := drawMesh(t, s, untested(t, s, sink.Config{Path: "mesh"}, usual))
			if n := stats.PathEvents["mesh"]; n < 10 || stats.PathEvents["tile16"] < int64(others) || n+stats.PathEvents["tile16"] != stats.Events-stats.Direct {
				t.Errorf("%v", stats.PathEvents)
			}
			if others == 0 && stats.PathEvents["tile16"] != 0 {
				t.Errorf("%v", stats.PathEvents)
			}
			if !(stats.MeshErrorBound > 0) || stats.Path != "mesh" {
				t.Errorf("path %s, bound %g", stats.Path, stats.MeshErrorBound)
			}
		})
	}
}

// Many batches, of which a group takes but two blocks at a time.
func TestMeshBatches(t *testing.T) {
	t.Parallel()
	s := meshScene("flux-decades")
	s.W, s.H = 300, 60
	s.Events = s.Events[:70]
	for i := range s.Events {
		s.Events[i].X = math.Mod(float64(i)*17.31, 310) - 5
	}
	c := untested(t, s, sink.Config{Path: "mesh"}, sizes{50, 100})
	if c.mesh.group = 2; len(c.mesh.census.blocks) < 3 {
		t.Fatalf("%d blocks", len(c.mesh.census.blocks))
	}
	if _, stats := drawMesh(t, s, c); stats.PathChunks["mesh"] < 2 {
		t.Errorf("%v", stats.PathChunks)
	}
}

// Of two clusters whose blocks differ in their bound, the one above the limit goes to the tiles.
func TestMeshLeavesWhatIsAboveTheLimit(t *testing.T) {
	t.Parallel()
	s := sinktest.RingAndStar()
	c := untested(t, s, sink.Config{Path: "mesh"}, usual)
	// between the bounds of the two blocks
	c.mesh.room = 1e-4
	c.mesh.args.room = 1e-4
	_, stats := drawMesh(t, s, c)
	if stats.PathEvents["mesh"] != 1 || stats.PathEvents["tile16"] != 200 || !(stats.MeshErrorBound < 1e-4) {
		t.Errorf("%v, bound %g", stats.PathEvents, stats.MeshErrorBound)
	}
}

// auto times tiles and mesh and takes the mesh where it is cheaper, within its limit, and not at all without one.
func TestAutoTakesTheMesh(t *testing.T) {
	t.Parallel()
	s := meshScene("corners")
	s.Events = slices.Repeat(s.Events, 4)
	for _, c := range []struct {
		limit, tile float64 // s a pair
		from        int
		took        bool
	}{{1e-3, 1e3, 1, true}, {1e-3, 1e3, 5000, false}, {1e-3, 1e-12, 1, false}, {0, 1e3, 1, false}} {
		canvas := untested(t, s, sink.Config{Path: "auto", MeshError: c.limit}, sizes{200, 200})
		canvas.weigh = weigh{events: c.from}
		canvas.costs["tile16"], canvas.costs["mesh"] = &cost{chosen: 1, seconds: c.tile}, &cost{seconds: 1}
		if _, stats := drawMesh(t, s, canvas); stats.PathEvents["mesh"] > 0 != c.took {
			t.Errorf("%+v: %v", c, stats.PathEvents)
		}
	}
	canvas := untested(t, s, sink.Config{Path: "auto", MeshError: 1e-3}, sizes{40, 40})
	canvas.weigh = weigh{events: 1}
	if _, stats := drawMesh(t, s, canvas); stats.PathEvents["mesh"] == 0 || !(stats.Costs["mesh s/block"] > 0) || !(stats.Costs["tile16 s/pair"] > 0) {
		t.Errorf("not tried: %v, %v", stats.PathEvents, stats.Costs)
	}
}

// Transforms of every length, filters of several ratios P/Q and none.
func TestMeshShapes(t *testing.T) {
	for _, shape := range sinktest.MeshShapes() {
		t.Run(fmt.Sprintf("%d-%d", shape.Length, shape.Ratio), func(t *testing.T) {
			if shape.Long {
				require.Long(t)
			}
			t.Parallel()
			s := shape.Scene
			c := untested(t, s, sink.Config{Path: "mesh"}, usual)
			if c.mesh.N != shape.Length || c.mesh.D != shape.Ratio {
				t.Errorf("transforms of %d points, ratio %d", c.mesh.N, c.mesh.D)
			}
			if _, stats := drawMesh(t, s, c); stats.PathEvents["mesh"]+stats.PathEvents["off-frame"] != int64(len(s.Events)) {
				t.Errorf("%v", stats.PathEvents)
			}
		})
	}
}

// Events that outshine the mean of their block a thousand times go to the tiles, and do not lift the block's peak.
func TestMeshLeavesBrightEvents(t *testing.T) {
	t.Parallel()
	s, faint := sinktest.FaintAndBright()
	got, stats := drawMesh(t, s, untested(t, s, sink.Config{Path: "mesh"}, usual))
	if stats.PathEvents["mesh"] != 100 || stats.PathEvents["tile16"] != 3 {
		t.Errorf("%v", stats.PathEvents)
	}
	alone, _ := drawMesh(t, faint, untested(t, faint, sink.Config{Path: "mesh"}, usual))
	want, without := hdr.NewFrame(s.W, s.H), hdr.NewFrame(s.W, s.H)
	cfg := sink.Config{W: s.W, H: s.H, PSF: s.PSF}
	draw(t, cpu.NewReference(cfg), s.Events, want)
	draw(t, cpu.NewReference(cfg), faint.Events, without)
	sinktest.CheckBrightApart(t, got, want, alone, without)
}

// A mesh that the device's memory does not hold is refused where it was asked for, and auto goes on without it. What it got is freed.
func TestMeshRefusals(t *testing.T) {
	needStandIn(t)
	s := meshScene("corners")
	cfg := sink.Config{W: s.W, H: s.H, PSF: s.PSF, Path: "mesh", Precision: sink.Exact128}
	if _, err := newCanvas(cfg, usual); fail.Status(err) != fail.StatusUsage {
		t.Errorf("exact sums: %v", err)
	}
	t.Setenv("HIPCPU_MEMORY", "100000000")
	cfg.Precision = sink.F64
	if _, err := newCanvas(cfg, usual); fail.Status(err) != fail.StatusBackend {
		t.Errorf("too little memory: %v", err)
	}
	c := untested(t, s, sink.Config{Path: "auto", MeshError: 1e-3}, usual)
	c.weigh = weigh{events: 1}
	c.costs["tile16"] = &cost{seconds: 1}
	if _, stats := drawMesh(t, s, c); stats.PathEvents["mesh"] != 0 || stats.PathEvents["tile16"] == 0 || c.use != neverMesh {
		t.Errorf("%v", stats.PathEvents)
	}
	os.Unsetenv("HIPCPU_MEMORY")
	for _, failure := range []string{"hipMalloc:12", "hipMalloc:20", "hipHostMalloc:12", "hipHostMalloc:17", "hipMemcpyAsync:3", "hipStreamSynchronize:4", "drop:4"} {
		a, err := loaded()
		if err != nil {
			t.Fatal(err)
		}
		before, _ := a.freeMemory()
		t.Setenv("HIPCPU_FAIL", failure)
		d, err := choose("")
		if err != nil {
			t.Fatal(err)
		}
		c, err := d.canvas(cfg, []string{"mesh"}, usual)
		if err == nil {
			err = c.Deposit(context.Background(), s.Events)
			if err == nil {
				err = c.Resolve(context.Background(), hdr.NewFrame(s.W, s.H))
			}
			t.Setenv("HIPCPU_FAIL", "")
			c.discard()
		}
		t.Setenv("HIPCPU_FAIL", "")
		d.close()
		if after, _ := a.freeMemory(); err == nil || after != before {
			t.Errorf("%s: %v, %d bytes left", failure, err, before-after)
		}
	}
}
