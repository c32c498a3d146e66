package lens

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"grsplat/render/fail"
	"grsplat/tools/require"
)

var orion = Camera{RA: 83.8, Dec: -5.4}

// frame returns the Orion camera with a size and projection.
func frame(w, h int, p Projection) Camera {
	c := orion
	c.W, c.H, c.Projection = w, h, p
	return c
}

func blackHole(r float64, c Camera) Spec { return Spec{Name: Schwarzschild, Radius: r, Hole: c.Look()} }

func build(t testing.TB, p Params) *Map {
	t.Helper()
	m, err := Build(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func locate(t testing.TB, m *Map) *Worker {
	t.Helper()
	l, err := NewLocator(t.Context(), m, 0)
	if err != nil {
		t.Fatal(err)
	}
	return l.NewWorker()
}

func randomDirections(seed uint64, n int) []Vec {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := make([]Vec, n)
	for i := range out {
		z := 2*rng.Float64() - 1
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		rho := math.Sqrt(1 - z*z)
		out[i] = Vec{rho * cos, rho * sin, z}
	}
	return out
}

// onceEach fails unless every direction has exactly one image.
func onceEach(t *testing.T, w *Worker, pos []Vec) []Image {
	t.Helper()
	images := w.Match(ModeDefault, Stars{Pos: pos}, nil)
	count := make([]int, len(pos))
	for _, i := range images {
		count[i.Star]++
	}
	for i, n := range count {
		if n != 1 {
			t.Fatalf("direction %v has %d images", pos[i], n)
		}
	}
	return images
}

func watertight(t *testing.T, c Camera, n int) {
	t.Helper()
	m := build(t, Params{Camera: c, Spacetime: Spec{Name: Minkowski}, Margin: 47})
	w := locate(t, m)
	onceEach(t, w, randomDirections(7, n))
	var special []Vec
	for i := range m.Vertex {
		special = append(special, m.Vertex[i].Sky)
	}
	for _, tri := range m.Triangle {
		a, b := m.Vertex[tri[0]].Sky, m.Vertex[tri[1]].Sky
		// Both the middle as computed and as close to it as a unit vector comes.
		special = append(special, scale(0.5, add(a, b)), unit(add(a, b)))
	}
	for _, ra := range []float64{0, 360, -1e-9, 359.9999999, c.RA + 180, c.RA - 180, c.RA} {
		for _, dec := range []float64{0, 45, -30, 89.9999999, -89.9999999, 90, -90} {
			special = append(special, Direction(ra, dec))
		}
	}
	special = append(special, Vec{0, 0, 1}, Vec{0, 0, -1}, Vec{1e-200, 0, 1}, Vec{-1e-17, 1e-300, -1}, c.Look(), scale(-1, c.Look()))
	onceEach(t, w, special)
}

func TestFlatSkyIsWatertight(t *testing.T) {
	t.Parallel()
	watertight(t, frame(480, 240, Car), 100000)
	watertight(t, frame(83, 90, Zea), 20000)
	rolled := frame(200, 100, Car)
	rolled.Roll = 33
	rolled.Velocity = [3]float64{0.3, 0.2, 0.1}
	watertight(t, rolled, 20000)
}

func TestFlatSkyIsWatertightInAMillionDirections(t *testing.T) {
	t.Parallel()
	require.Long(t)
	watertight(t, frame(3840, 1920, Car), 1000000)
	watertight(t, frame(2000, 2000, Zea), 1000000)
}

// Every direction has an odd number of images less those that are lost in the shadow's collar, and the images of a star near the
// sky's seam join up: the degree of the map. So the primary image is found for all.
func TestLensedSkyIsCovered(t *testing.T) {
	t.Parallel()
	for _, p := range []Projection{Car, Zea} {
		c := frame(160, 80, p)
		m := build(t, Params{Camera: c, Spacetime: blackHole(8, c)})
		images := locate(t, m).Match(ModeDefault, Stars{Pos: randomDirections(3, 10000)}, nil)
		primary := make([]bool, 10000)
		for _, i := range images {
			primary[i.Star] = primary[i.Star] || i.Mu > 0.1
		}
		for i, ok := range primary {
			if !ok {
				t.Fatalf("%s: star %d has no bright image", p, i)
			}
		}
	}
}

func TestSumRule(t *testing.T) {
	t.Parallel()
	for _, k := range known(t).Static {
		if k.R != 6 && k.R != 10 {
			continue
		}
		c := frame(180, 90, Car)
		m := build(t, Params{Camera: c, Spacetime: blackHole(k.R, c)})
		const n = 30000
		var sum, squares float64
		total := make([]float64, n)
		for _, i := range locate(t, m).Match(ModeDefault, Stars{Pos: randomDirections(11, n)}, nil) {
			total[i.Star] += i.Mu
		}
		for _, mu := range total {
			sum += mu
			squares += mu * mu
		}
		mean := sum / n
		deviation := math.Sqrt((squares/n - mean*mean) / n)
		// The map's own share: half a tolerance of a pixel around the shadow's rim.
		tolerance := 0.05 * m.Optics().PixelAngle() * math.Sin(k.Shadow*math.Pi/180)
		if !(math.Abs(mean-k.Total) <= 3*deviation+tolerance) {
			t.Errorf("r = %v: mean magnification %.6f, want %.6f within %.6f", k.R, mean, k.Total, 3*deviation+tolerance)
		}
		conserves(t, m, k.Total)
	}
}

// conserves checks that the mesh's light is that of the solid angle outside the shadow, to the map's tolerance.
func conserves(t *testing.T, m *Map, want float64) {
	t.Helper()
	light := m.Light()
	if !(math.Abs(light-want) <= 0.1*m.Optics().PixelAngle()) {
		t.Errorf("the mesh holds %.6f of the sky's light, want %.6f", light, want)
	}
}

func TestRingAndShadowThroughTheMap(t *testing.T) {
	t.Parallel()
	for _, k := range known(t).Static {
		if k.R != 4 && k.R != 20 {
			continue
		}
		c := frame(240, 120, Car)
		c.RA, c.Dec = 40, 0
		m := build(t, Params{Camera: c, Spacetime: blackHole(k.R, c)})
		pixel := m.Optics().PixelAngle()
		nearest := math.Inf(1)
		for i := range m.Vertex {
			dir, _ := m.Optics().Ray(m.Vertex[i].X, m.Vertex[i].Y)
			nearest = math.Min(nearest, separation(dir, c.Look()))
		}
		if d := (nearest - k.Shadow*math.Pi/180) / pixel; !(d >= 0 && d <= m.Params.Tolerance) {
			t.Errorf("r = %v: the map begins %.3f pixels outside the shadow", k.R, d)
		}
		// The light of the points behind the hole and behind the observer comes in rings: all images of stars there lie on one. A
		// pixel off the point is far against the map's errors on the sky, and moves an image by less than the shift allowed for.
		w := locate(t, m)
		tolerance := m.Params.Tolerance * pixel * 180 / math.Pi
		ring(t, w, Direction(40, 0.01), c.Look(), []float64{k.Ring}, tolerance+0.01)
		ring(t, w, Direction(220, 0.01), c.Look(), []float64{k.Ring2, 180}, tolerance+0.01)
	}
}

// ring checks that all images of a star farther than the first of some rings lie on them.
func ring(t *testing.T, w *Worker, star, hole Vec, rings []float64, tolerance float64) {
	t.Helper()
	n := 0
	for _, i := range w.Match(ModeDefault, Stars{Pos: []Vec{star}}, nil) {
		dir, _ := w.m.Optics().Ray(i.X, i.Y)
		psi := separation(dir, hole) * 180 / math.Pi
		off := math.Inf(1)
		for _, r := range rings {
			off = math.Min(off, math.Abs(psi-r))
		}
		if psi > rings[0]-0.1 && off > tolerance {
			t.Errorf("an image at %.4f degrees, %.4f off the rings %v", psi, off, rings)
		}
		if off <= tolerance {
			n++
		}
	}
	if n < 2 {
		t.Errorf("%d images on the rings %v", n, rings)
	}
}

func TestImagesAreWhereTheirLightComesFrom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		camera Camera
		space  Spec
	}{
		{frame(192, 108, Tan), blackHole(30, orion)},
		{frame(192, 96, Car), blackHole(10, orion)},
		{frame(100, 100, Zea), blackHole(15, orion)},
		{Camera{W: 150, H: 90, Projection: Tan, RA: 10, Dec: 80, Roll: 70, Fov: 90, Velocity: [3]float64{0.2, -0.4, 0.3}}, Spec{Name: Schwarzschild, Radius: 2.5, Hole: Direction(20, -55)}},
		{Camera{W: 150, H: 150, Projection: Tan, RA: 200, Dec: 10, Fov: 5}, Spec{Name: Schwarzschild, Radius: 1e6, Hole: Direction(200.2, 10.1)}},
		{Camera{W: 300, H: 200, Projection: Tan, RA: 200, Dec: 10, Fov: 100, Velocity: [3]float64{0, 0, 0.8}}, Spec{Name: Minkowski}},
	} {
		m := build(t, Params{Camera: c.camera, Spacetime: c.space, Margin: 20, Depth: 20})
		space, err := c.space.New()
		if err != nil {
			t.Fatal(err)
		}
		see := tracer{optics: m.Optics(), space: space}
		pos := randomDirections(5, 2000)
		rng := rand.New(rand.NewPCG(8, 8))
		for range 1500 {
			x, y := rng.Float64()*float64(c.camera.W-1), rng.Float64()*float64(c.camera.H-1)
			if sky, ok := see.skyAt(x, y); ok {
				pos = append(pos, unit(sky))
			}
		}
		// What an image shows, and what a pixel's fraction towards the hole shows, tell how far the image is from its place.
		limit := m.Params.Tolerance * m.Optics().PixelAngle()
		sky, image, count := 0, 0, 0
		for _, i := range locate(t, m).Match(ModeDefault, Stars{Pos: pos}, nil) {
			if i.Mu < 0.002 {
				continue
			}
			count++
			at, ok := see.skyAt(i.X, i.Y)
			if !ok {
				t.Fatalf("%+v: an image at %v %v sees nothing", c.camera, i.X, i.Y)
			}
			off := separation(at, pos[i.Star])
			if i.Mu > 0.25 && off > 1.5*limit {
				sky++
			}
			// The largest stretch of the lens there, by differences.
			stretch := 0.0
			for _, d := range [][2]float64{{1e-3, 0}, {0, 1e-3}} {
				if next, ok := see.skyAt(i.X+d[0], i.Y+d[1]); ok {
					stretch = math.Max(stretch, separation(at, next)/1e-3)
				}
			}
			if off > 2*m.Params.Tolerance*stretch {
				image++
			}
		}
		if count < 100 || sky > count/500 || image > count/200 {
			t.Errorf("%+v %v: of %d images %d are off by more than the tolerance on the sky, %d in the image", c.camera, c.space, count, sky, image)
		}
	}
}

func TestFlatPositionsAreExact(t *testing.T) {
	t.Parallel()
	for _, p := range []Projection{Tan, Car, Zea} {
		c := frame(200, 150, p)
		c.Roll = 12
		m := build(t, Params{Camera: c, Spacetime: Spec{Name: Minkowski}, Margin: 9})
		pos := randomDirections(9, 8000)
		for _, i := range locate(t, m).Match(ModeDefault, Stars{Pos: pos}, nil) {
			x, y, ok := m.Optics().Project(pos[i.Star])
			if !ok || i.X != x || i.Y != y || i.Mu != 1 || i.G != 1 {
				t.Fatalf("%s: %+v, want %v %v", p, i, x, y)
			}
		}
	}
}

// The mesh is conforming: every edge has two triangles, or one on the rim of a partial sky.
func TestMeshConforms(t *testing.T) {
	t.Parallel()
	for _, c := range []Camera{frame(140, 80, Tan), frame(200, 70, Car)} {
		m := build(t, Params{Camera: c, Spacetime: blackHole(20, c)})
		edges := map[[2]int32]int{}
		for _, tri := range m.Triangle {
			for k := range 3 {
				a, b := tri[k], tri[(k+1)%3]
				if edges[[2]int32{a, b}]++; edges[[2]int32{a, b}] > 1 {
					t.Fatalf("edge %d-%d has two triangles on one side", a, b)
				}
			}
		}
		shadow := blackHoleShadow(t, m)
		for e := range edges {
			if edges[[2]int32{e[1], e[0]}] == 1 {
				continue
			}
			for _, v := range e {
				x, y := m.Vertex[v].X, m.Vertex[v].Y
				dir, _ := m.Optics().Ray(x, y)
				inside := math.Abs(x-float64(c.W-1)/2) < float64(c.W)/2-1e-6 && math.Abs(y-float64(c.H-1)/2) < float64(c.H)/2-1e-6
				if inside && separation(dir, c.Look()) > shadow+0.5*m.Optics().PixelAngle() {
					t.Fatalf("a gap at %v %v", x, y)
				}
			}
		}
	}
}

func blackHoleShadow(t *testing.T, m *Map) float64 {
	t.Helper()
	h, err := newHole(m.Params.Spacetime)
	if err != nil {
		t.Fatal(err)
	}
	return h.Shadow()
}

func TestThreadsDoNotChangeTheMap(t *testing.T) {
	t.Parallel()
	c := frame(120, 70, Tan)
	var first string
	for _, threads := range []int{1, 2, 7} {
		m := build(t, Params{Camera: c, Spacetime: blackHole(12, c), Margin: 10, Threads: threads})
		sum, err := m.SHA256()
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = sum
		}
		if sum != first {
			t.Errorf("%d threads: another map", threads)
		}
	}
}

func TestBadParameters(t *testing.T) {
	t.Parallel()
	good := Params{Camera: frame(64, 36, Tan), Spacetime: Spec{Name: Minkowski}}
	for name, change := range map[string]func(*Params){
		"tolerance": func(p *Params) { p.Tolerance = -1 },
		"margin":    func(p *Params) { p.Margin = math.NaN() },
		"depth":     func(p *Params) { p.Depth = 99 },
		"camera":    func(p *Params) { p.Camera.W = 0 },
		"spacetime": func(p *Params) { p.Spacetime.Name = "none" },
		"size":      func(p *Params) { p.Camera.W, p.Camera.H = 1<<20, 1<<20 },
		"blind":     func(p *Params) { p.Camera.Fov, p.Spacetime = 1, blackHole(2.5, orion) },
	} {
		p := good
		change(&p)
		if _, err := Build(t.Context(), p); fail.Status(err) != fail.StatusUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBuildStopsWhenCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Build(ctx, Params{Camera: frame(320, 180, Tan), Spacetime: Spec{Name: Minkowski}}); err == nil {
		t.Error("a cancelled build succeeds")
	}
}
