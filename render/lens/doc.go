// Package lens knows where the light of every sky direction lands on the image. It knows neither stars' magnitudes nor
// pixels' values: it turns a direction into images, each a pixel position, a magnification and a frequency shift.
//
// The walk, downhill:
//
//	camera.go      Camera: pixel <-> direction in the observer's frame (tan, car, zea; roll; velocity: boost.go)
//	spacetime.go   Spacetime: direction at the static observer -> sky direction and frequency shift, or captured
//	schwarzschild.go, deflection.go, table.go   the deflection integral, exact, then tabulated for tracing
//	chart.go       the image region that a map covers and its root grid, seams and poles glued
//	refine.go      newest-vertex bisection, conforming, until interpolation is within the tolerance
//	build.go       Build: chart + refinement + Morton order -> Map
//	map.go         Map: vertices and triangles; file.go: the .grlens file
//	exact.go       the sign of det(s, p, q), exact, with the tie rule that makes the map watertight
//	tree.go        the index from HEALPix cells to triangles
//	match.go       Worker.Match: directions -> images, in four modes that find the same
//
// Use:
//
//	m, err := lens.Build(ctx, lens.Params{Camera: cam, Spacetime: lens.Spec{Name: "schwarzschild", Radius: 30, Hole: cam.Look()}, Margin: R})
//	loc := lens.NewLocator(m)
//	w := loc.NewWorker()                                 // one per goroutine
//	images = w.Match(lens.ModeDefault, lens.Stars{Pos: pos}, images[:0])  // sorted by star, then by triangle
//
// A star's direction is a unit vector in ICRS. Everything that only reads (Camera, Spacetime, Map, Locator) is safe for
// concurrent use; a Worker is not. Angles are radians except where a name or comment says degrees; flags and files hold
// degrees. Geometric units, G = c = M = 1.
package lens
