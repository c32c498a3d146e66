// Package lens knows where the light of every sky direction lands on the image. It knows neither stars' magnitudes nor
// pixels' values: it turns a direction into images, each a pixel position, a magnification and a frequency shift.
//
// The walk, downhill:
//
//	camera.go       Camera: pixel <-> direction in the observer's frame (tan, car, zea; roll; velocity: boost.go)
//	spacetime.go    Spacetime: direction at the static observer -> sky direction and frequency shift, or captured
//	schwarzschild.go, deflection.go, table.go   the deflection integral, exact (ray.go), then tabulated for tracing
//	chart.go        the image region that a map covers and its root grid, seams and poles glued
//	mesh.go         newest-vertex bisection, conforming; refine.go: which triangles to cut, until interpolation is good enough
//	collar.go       the last pixel before the shadow's edge
//	build.go        Build: chart, refinement, collar, Morton order -> Map
//	map.go          Map: vertices and triangles; file.go, fileread.go: the .grlens file
//	locator.go      Locator: bounds (bound.go) of runs of triangles, in a hierarchy, under a grid of sky cells (cells.go)
//	match.go        Worker.Match: directions -> images, in four modes that find the same (classes.go: stars by sky cell)
//	inverse.go      a direction through one triangle; exact.go: the exact signs that make the map watertight
//
// Use:
//
//	m, err := lens.Build(ctx, lens.Params{Camera: cam, Spacetime: lens.Spec{Name: "schwarzschild", Radius: 30, Hole: cam.Look()}, Margin: R})
//	loc, err := lens.NewLocator(ctx, m, threads)
//	w := loc.NewWorker()                                 // one per goroutine
//	images = w.Match(lens.ModeDefault, lens.Stars{Pos: pos}, images[:0])  // sorted by star, then by triangle
//
// A new spacetime is a type with Trace and a case in Spec.New; its parameters are fields of Spec, which the .grlens header
// keeps. Build needs nothing else of it: it finds the shadow by tracing.
//
// A star's direction is a unit vector in ICRS. Everything that only reads (Camera, Spacetime, Map, Locator) is safe for
// concurrent use; a Worker is not. Angles are radians except where a name or comment says degrees; flags and files hold
// degrees. Geometric units, G = c = M = 1.
package lens
