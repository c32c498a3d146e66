package lens

import (
	"math"
	"math/rand/v2"
	"testing"

	"grsplat/render/fail"
)

func optics(t testing.TB, c Camera) *Optics {
	t.Helper()
	o, err := c.Optics()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestProjectUndoesRay(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 6))
	for _, p := range []Projection{Tan, Car, Zea} {
		o := optics(t, Camera{W: 300, H: 200, Projection: p, RA: 123, Dec: -45, Roll: 30})
		for range 5000 {
			x, y := rng.Float64()*299, rng.Float64()*199
			dir, ok := o.Ray(x, y)
			if !ok {
				continue
			}
			gotX, gotY, ok := o.Project(dir)
			if !ok || math.Hypot(gotX-x, gotY-y) > 1e-9 {
				t.Fatalf("%s: pixel %v %v comes back at %v %v", p, x, y, gotX, gotY)
			}
			if p != Tan && math.Abs(norm(dir)-1) > 1e-14 {
				t.Fatalf("%s: a direction of length %v", p, norm(dir))
			}
		}
	}
}

// North is up, west is right; a camera that rolls clockwise turns the stars the other way.
func TestOrientation(t *testing.T) {
	t.Parallel()
	for _, p := range []Projection{Tan, Car, Zea} {
		at := func(roll, ra, dec float64) (float64, float64) {
			o := optics(t, Camera{W: 301, H: 201, Projection: p, RA: 80, Dec: 0, Roll: roll})
			x, y, ok := o.Project(Direction(ra, dec))
			if !ok {
				t.Fatalf("%s: %v %v is not seen", p, ra, dec)
			}
			return x - 150, y - 100
		}
		if x, y := at(0, 80, 1); math.Abs(x) > 1e-9 || y >= 0 {
			t.Errorf("%s: a star in the north lands at %v %v", p, x, y)
		}
		if x, y := at(0, 79, 0); math.Abs(y) > 1e-9 || x <= 0 {
			t.Errorf("%s: a star in the west lands at %v %v", p, x, y)
		}
		if x, y := at(90, 80, 1); math.Abs(y) > 1e-9 || x >= 0 {
			t.Errorf("%s: with a quarter roll a star in the north lands at %v %v, not left", p, x, y)
		}
	}
}

func TestScales(t *testing.T) {
	t.Parallel()
	tan := optics(t, Camera{W: 1280, H: 720, Projection: Tan})
	near(t, "focal length", 1/tan.PixelAngle(), 640/math.Tan(math.Pi/6), 1e-14)
	dir, _ := tan.Ray(-0.5, 359.5)
	near(t, "half the field", separation(dir, tan.forward), math.Pi/6, 1e-14)
	car := optics(t, Camera{W: 720, H: 360, Projection: Car})
	near(t, "car pixel", car.PixelAngle(), math.Pi/360, 1e-14)
	zea := optics(t, Camera{W: 400, H: 600, Projection: Zea})
	rim, ok := zea.Ray(199.5+200, 299.5)
	if !ok || separation(rim, zea.forward) < math.Pi-1e-6 {
		t.Errorf("the rim of the disc is %v, %v", rim, ok)
	}
	if _, ok := zea.Ray(199.5+201, 299.5); ok {
		t.Error("the sky goes on outside the disc")
	}
}

func TestAberration(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 5))
	b := newBoost(Vec{0.3, -0.6, 0.2})
	for _, n := range randomDirections(2, 2000) {
		static, doppler := b.toStatic(n)
		back, same := b.toMoving(static)
		if separation(back, n) > 1e-14 || math.Abs(doppler/same-1) > 1e-13 {
			t.Fatalf("%v comes back as %v, %v as %v", n, back, doppler, same)
		}
		// The phase of a plane wave is invariant: the wave vector -(1, n) transforms as a four-vector.
		gamma := 1 / math.Sqrt(1-b.beta*b.beta)
		near(t, "doppler", doppler, gamma*(1+b.beta*dot(static, b.axis)), 1e-13)
		near(t, "aberration", math.Cos(separation(n, b.axis))+2, 2+(dot(static, b.axis)+b.beta)/(1+b.beta*dot(static, b.axis)), 1e-13)
		_ = rng
	}
	// Moving towards the hole's direction the sky ahead is bunched and blue.
	o := optics(t, Camera{W: 100, H: 100, Projection: Tan, Velocity: [3]float64{0, 0, 0.5}})
	dir, doppler := o.Departure(Direction(30, 0))
	if doppler <= 1 || separation(dir, o.forward) >= math.Pi/6 {
		t.Errorf("a star ahead at 30 degrees is seen at %v with factor %v", separation(dir, o.forward), doppler)
	}
	near(t, "head-on", func() float64 { _, d := o.Departure(o.forward); return d }(), math.Sqrt(3), 1e-14)
}

func TestBadCameras(t *testing.T) {
	t.Parallel()
	good := Camera{W: 100, H: 100, Projection: Tan}
	for name, change := range map[string]func(*Camera){
		"size 0":         func(c *Camera) { c.W = 0 },
		"size too large": func(c *Camera) { c.H = 1 << 21 },
		"fov 180":        func(c *Camera) { c.Fov = 180 },
		"fov negative":   func(c *Camera) { c.Fov = -1 },
		"fov NaN":        func(c *Camera) { c.Fov = math.NaN() },
		"car 361":        func(c *Camera) { c.Projection, c.Fov = Car, 361 },
		"zea 90":         func(c *Camera) { c.Projection, c.Fov = Zea, 90 },
		"projection":     func(c *Camera) { c.Projection = "sin" },
		"light speed":    func(c *Camera) { c.Velocity = [3]float64{1, 0, 0} },
		"velocity NaN":   func(c *Camera) { c.Velocity = [3]float64{math.NaN(), 0, 0} },
		"declination":    func(c *Camera) { c.Dec = 91 },
		"roll":           func(c *Camera) { c.Roll = math.Inf(1) },
	} {
		c := good
		change(&c)
		if _, err := c.Optics(); fail.Status(err) != fail.StatusUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := good.Optics(); err != nil {
		t.Error(err)
	}
}
