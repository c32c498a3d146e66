package vulkan

import (
	"context"
	"math"
	"slices"
	"testing"

	"grsplat/render/event"
	"grsplat/render/hdr"
	"grsplat/render/sink"
	"grsplat/render/sink/cpu"
	"grsplat/render/sink/sinktest"
	"grsplat/tools/require"
)

// The mesh meets its bound on every scene.
func TestMeshConforms(t *testing.T) {
	require.Long(t)
	t.Parallel()
	e := open(t, sink.Config{Precision: sink.F64, Path: "mesh"}, Options{})
	conforms(t, e, sinktest.Harness{Config: sink.Config{Path: "mesh"}, Check: sinktest.CheckMesh, Uncounted: true, Light: true})
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

// Of two clusters whose blocks differ in their bound, the one above the limit goes to the tiles.
func TestMeshLeavesWhatIsAboveTheLimit(t *testing.T) {
	t.Parallel()
	e := open(t, sink.Config{Precision: sink.F64, Path: "mesh"}, Options{})
	s := meshScene("flux-decades")
	s.W, s.H = 400, 60
	var near []event.Event
	for i := range 200 { // a ring around one pixel, whose rims meet there
		sin, cos := math.Sincos(float64(i) / 200 * 2 * math.Pi)
		_, r := s.PSF.Classify(1)
		near = append(near, event.Event{X: 30 + r*cos, Y: 30 + r*sin, R: 1, G: 1, B: 1, Flux: 1, Support: r})
	}
	far := near[0]
	far.X = 350
	s.Events = append(near, far)
	c, err := e.Canvas(sink.Config{W: s.W, H: s.H, PSF: s.PSF, Path: "mesh"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Deposit(context.Background(), s.Events); err != nil {
		t.Fatal(err)
	}
	c.front.flush()
	var left int
	err = c.ask(context.Background(), func() (err error) {
		// between the bounds of the two blocks
		if left, err = c.convolve(len(s.Events), 1e-4); err != nil || left == 0 {
			return err
		}
		p, err := c.leftTo()
		if err != nil {
			return err
		}
		c.pending.n, c.batches = len(s.Events), 1
		err = c.accumulateAll(p, len(s.Events))
		c.pending.reset()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if left != len(near) {
		t.Errorf("%d events left, want the %d of the ring", left, len(near))
	}
	got := hdr.NewFrame(s.W, s.H)
	if err := c.Resolve(context.Background(), got); err != nil {
		t.Fatal(err)
	}
	sinktest.CheckMesh(t, s, got, reference(t, s))
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
