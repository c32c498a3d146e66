package lens

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"grsplat/render/fail"
)

type knownSchwarzschild struct {
	Critical   float64            `json:"b_critical"`
	Deflection map[string]float64 `json:"deflection_rad_by_b"`
	Periapsis  map[string]float64 `json:"periapsis_by_b"`
	Winding    []struct {
		Turns float64 `json:"alpha_over_pi"`
		B     float64 `json:"b"`
		R0    float64 `json:"r0"`
	} `json:"winding"`
	Static []struct {
		R       float64   `json:"r"`
		Shadow  float64   `json:"shadow_deg"`
		G       float64   `json:"g"`
		Ring    float64   `json:"einstein_ring_deg"`
		Ring2   float64   `json:"ring_2pi_deg"`
		Total   float64   `json:"mean_total_mu"`
		PerRing []float64 `json:"mu_fractions"`
	} `json:"static_observer"`
	Rows []struct {
		R, Psi, Phi, Mu float64
	} `json:"lens_map_rows"`
}

func known(t testing.TB) knownSchwarzschild {
	t.Helper()
	raw, err := os.ReadFile("../../testdata/known-answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Schwarzschild knownSchwarzschild }
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return all.Schwarzschild
}

func hole(t testing.TB, r float64) *Hole {
	t.Helper()
	h, err := newHole(Spec{Name: Schwarzschild, Radius: r, Hole: Vec{1, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func rayAt(t testing.TB, h *Hole, psi float64) Ray {
	t.Helper()
	ray, err := rayIn(h, psi)
	if err != nil {
		t.Fatal(err)
	}
	return ray
}

// near fails unless got is within a relative tolerance of want.
func near(t testing.TB, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s: %.15g, want %.15g (relative error %.2g)", what, got, want, got/want-1)
	}
}

func TestRaysFromInfinityAreAsKnown(t *testing.T) {
	t.Parallel()
	k := known(t)
	near(t, "b_c", CriticalImpact, k.Critical, 1e-15)
	if len(k.Deflection) < 9 || len(k.Periapsis) < 4 || len(k.Winding) < 3 {
		t.Fatal("known answers are missing")
	}
	for text, want := range k.Deflection {
		ray := mustImpact(t, text)
		near(t, "deflection at b = "+text, *ray.Deflection, want, 1e-9)
	}
	for text, want := range k.Periapsis {
		near(t, "periapsis at b = "+text, *mustImpact(t, text).Periapsis, want, 1e-11)
	}
	for _, c := range k.Winding {
		ray, err := RayFromInfinity(c.B)
		if err != nil {
			t.Fatal(err)
		}
		// b is given to 12 decimals: near the critical ray that leaves d(alpha) = db/(b - b_c).
		digits := 0.5e-12 / (c.B - k.Critical) / (c.Turns * math.Pi)
		near(t, "winding", *ray.Deflection, c.Turns*math.Pi, 1e-9+digits)
		near(t, "winding periapsis", *ray.Periapsis, c.R0, 1e-9)
	}
}

func mustImpact(t testing.TB, text string) Impact {
	t.Helper()
	b, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	ray, err := RayFromInfinity(b)
	if err != nil {
		t.Fatal(err)
	}
	return ray
}

func TestStaticObserverIsAsKnown(t *testing.T) {
	t.Parallel()
	for _, c := range known(t).Static {
		h := hole(t, c.R)
		near(t, "shadow", h.Shadow()*180/math.Pi, c.Shadow, 1e-11)
		near(t, "g", h.Shift(), c.G, 1e-10)
		// Mean total magnification = observer's solid angle outside the shadow/4 pi.
		if c.Total != 0 {
			near(t, "mean total mu", (1+math.Cos(h.Shadow()))/2, c.Total, 1e-9)
		}
		if c.Ring == 0 {
			continue
		}
		// The Einstein ring and its second order are where the swept angle is pi and 3 pi... a source behind the hole.
		near(t, "einstein ring", *rayAt(t, h, c.Ring).Phi, 180, 2e-11*slope(t, h, c.Ring))
		near(t, "2 pi ring", *rayAt(t, h, c.Ring2).Phi, 360, 2e-11*slope(t, h, c.Ring2))
		for n, want := range c.PerRing {
			// The n-th order's share: cos psi between swept angles n pi and (n+1) pi, over 2.
			outer, inner := 180.0, 0.0
			if n > 0 {
				outer = angleSwept(t, h, float64(n)*180)
			}
			inner = angleSwept(t, h, float64(n+1)*180)
			got := (math.Cos(inner*math.Pi/180) - math.Cos(outer*math.Pi/180)) / 2
			if math.Abs(got-want) > 1e-8 && !(n == 2 && math.Abs(got-want) < 1e-6) {
				t.Errorf("r = %v: order %d holds %.9f of the sky's light, want %v", c.R, n, got, want)
			}
		}
	}
}

// slope is d(phi)/d(psi) in degrees per degree, at least 1.
func slope(t testing.TB, h *Hole, psi float64) float64 {
	const step = 1e-6
	return 1 + math.Abs(*rayAt(t, h, psi+step).Phi-*rayAt(t, h, psi-step).Phi)/(2*step)
}

// angleSwept finds the psi, in degrees, at which light has swept phi degrees.
func angleSwept(t testing.TB, h *Hole, phi float64) float64 {
	low, high := h.Shadow()*180/math.Pi, 180.0
	for range 200 {
		mid := (low + high) / 2
		if ray := rayAt(t, h, mid); ray.Captured || *ray.Phi > phi {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

func TestLensMapRowsAreAsKnown(t *testing.T) {
	t.Parallel()
	rows := known(t).Rows
	if len(rows) < 10 {
		t.Fatal("known answers are missing")
	}
	for _, c := range rows {
		ray := rayAt(t, hole(t, c.R), c.Psi)
		near(t, "phi", *ray.Phi, c.Phi, 0.6e-10/c.Phi)
		near(t, "deflection", *ray.Deflection, (c.Phi-180+c.Psi)*math.Pi/180, 1e-9)
		// The file's mu for r = 10, psi = 90 is 2.1e-6 above the exact value, which stands below.
		near(t, "mu", *ray.Mu, c.Mu, 2.2e-6)
	}
	// mpmath 1.3, 40 digits, symmetric difference of the integral over u = u2 - t^2 with steps 1e-8 and 1e-6.
	near(t, "mu", *rayAt(t, hole(t, 10), 90).Mu, 0.80775860350686, 1e-12)
}

func TestMagnificationBehindTheObserver(t *testing.T) {
	t.Parallel()
	for _, r := range []float64{2.0001, 2.1, 2.5, 2.99, 3, 3.01, 4, 6, 100, 1e6, 1e9} {
		h := hole(t, r)
		near(t, "mu(180)", *rayAt(t, h, 180).Mu, 1-2/r, 1e-12)
		// A little off, by an angle that is exact in degrees and small against the cone that escapes.
		const off = 1.0 / (1 << 20)
		near(t, "mu near 180", *rayAt(t, h, 180-off).Mu, 1-2/r, 1e-7)
		near(t, "phi near 180", *rayAt(t, h, 180-off).Phi, off/math.Sqrt(1-2/r), 1e-7)
	}
}

// mu is the derivative of phi, so a central difference of phi must agree with it.
func TestMagnificationIsTheDerivative(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 9))
	for range 2000 {
		r := 2 + math.Pow(10, 4*rng.Float64()-1)
		h := hole(t, r)
		edge := h.Shadow() * 180 / math.Pi
		beyond := (180 - edge) * math.Pow(10, -3*rng.Float64())
		psi := edge + 0.99*beyond
		step := 1e-4 * math.Min(beyond, 180-psi)
		up, down := rayAt(t, h, psi+step), rayAt(t, h, psi-step)
		derivative := (*up.Phi - *down.Phi) / (2 * step)
		ray := rayAt(t, h, psi)
		want := math.Abs(math.Sin(psi*math.Pi/180) / math.Sin(*ray.Phi*math.Pi/180) / derivative)
		near(t, "mu", *ray.Mu, want, 1e-6+1e-12/step)
	}
}

func TestWeakAndStrongLimits(t *testing.T) {
	t.Parallel()
	for _, b := range []float64{1e4, 1e6, 1e9, 1e12} {
		ray, err := RayFromInfinity(b)
		if err != nil {
			t.Fatal(err)
		}
		series := 4/b + 15*math.Pi/(4*b*b) + 128/(3*b*b*b) + 3465*math.Pi/(64*math.Pow(b, 4))
		near(t, "weak deflection", *ray.Deflection, series, 1e-13)
	}
	for _, eps := range []float64{1e-8, 1e-10, 1e-12} {
		b := CriticalImpact * (1 + eps)
		ray, err := RayFromInfinity(b)
		if err != nil {
			t.Fatal(err)
		}
		// Bozza 2002, Phys. Rev. D 66, 103001; its remainder is O(eps ln eps).
		near(t, "strong deflection", *ray.Deflection, -math.Log((b-CriticalImpact)/CriticalImpact)-0.400230039755, 1e-9+30*eps)
	}
	// A static observer far away at 90 degrees sees half of the deflection of b = r/sqrt(1-2/r), whose weak series halves.
	for _, r := range []float64{1e6, 1e8} {
		near(t, "far deflection", *rayAt(t, hole(t, r), 90).Deflection, 2/r+15*math.Pi/(8*r*r)-2/(r*r), 1e-14+10/(r*r))
	}
}

func TestTableFollowsTheIntegral(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 4))
	worst := 0.0
	for _, r := range []float64{2.01, 2.5, 2.999, 3, 3.001, 4, 10, 30, 1000, 1e6} {
		h := hole(t, r)
		for range 300 {
			beyond := (math.Pi - h.edge) * math.Pow(10, -12*math.Pow(rng.Float64(), 2))
			worst = max(worst, math.Abs(h.table().at(beyond)-h.bendAt(beyond)))
		}
	}
	if !(worst < 1e-11) {
		t.Errorf("the table is off by %g rad", worst)
	}
}

func TestTraceAgreesWithTheRay(t *testing.T) {
	t.Parallel()
	h := hole(t, 6)
	for _, psi := range []float64{45.01, 46, 60, 90, 150, 179.9, 180} {
		sky, g, ok := h.Trace(Direction(psi, 0))
		ray := rayAt(t, h, psi)
		if want := Direction(180-*ray.Phi, 0); !ok || separation(sky, want) > 1e-10 || g != *ray.G {
			t.Errorf("psi = %v: sky %v, want %v", psi, sky, want)
		}
	}
	if _, _, ok := h.Trace(Direction(44.9999, 0)); ok || !rayAt(t, h, 44.9999).Captured || !rayAt(t, h, 0).Captured {
		t.Error("light inside the shadow is seen")
	}
}

func TestBadRadiiAndRays(t *testing.T) {
	t.Parallel()
	for _, r := range []float64{2, 1.9, 0, -3, math.NaN(), math.Inf(1), 1e10} {
		if _, err := (Spec{Name: Schwarzschild, Radius: r, Hole: Vec{1, 0, 0}}).New(); fail.Status(err) != fail.StatusUsage {
			t.Errorf("radius %v: %v", r, err)
		}
	}
	if _, err := (Spec{Name: "kerr", Radius: 6, Hole: Vec{1, 0, 0}}).New(); fail.Status(err) != fail.StatusUsage {
		t.Errorf("an unknown spacetime: %v", err)
	}
	if _, err := (Spec{Name: Schwarzschild, Radius: 6}).New(); fail.Status(err) != fail.StatusUsage {
		t.Errorf("no hole direction: %v", err)
	}
	for _, psi := range []float64{-1, 181, math.NaN()} {
		if _, err := rayIn(hole(t, 6), psi); fail.Status(err) != fail.StatusUsage {
			t.Errorf("psi %v: %v", psi, err)
		}
	}
	for _, b := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := RayFromInfinity(b); fail.Status(err) != fail.StatusUsage {
			t.Errorf("b %v: %v", b, err)
		}
	}
}
