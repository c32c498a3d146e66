package render

import (
	"context"

	"grsplat/render/fail"
	"grsplat/render/lens"
)

// mapOf loads or builds the lens map of a render, and saves it if asked to.
func mapOf(ctx context.Context, c *Config, margin int) (*lens.Map, error) {
	if c.MapInput != "" {
		return loadMap(c, margin)
	}
	m, err := lens.Build(ctx, lens.Params{
		Camera: c.Camera, Spacetime: c.Spacetime, Tolerance: c.Tolerance, Margin: float64(margin), Threads: c.Threads,
	})
	if err != nil {
		return nil, err
	}
	if c.MapOutput != "" {
		if err := m.Save(c.MapOutput, c.Force); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// loadMap reads a map and takes camera and spacetime from it; its frame and margin must serve this render.
func loadMap(c *Config, margin int) (*lens.Map, error) {
	m, err := lens.Load(c.MapInput)
	if err != nil {
		return nil, err
	}
	made := m.Params
	if made.Camera.W != c.Camera.W || made.Camera.H != c.Camera.H {
		return nil, fail.Input("lens map: %s: made for %dx%d pixels, this render has %dx%d: give --size %dx%d or trace another map",
			c.MapInput, made.Camera.W, made.Camera.H, c.Camera.W, c.Camera.H, made.Camera.W, made.Camera.H)
	}
	if made.Margin < float64(margin) {
		return nil, fail.Input("lens map: %s: its margin of %g px is below the PSF's cache radius of %d px: trace it with --margin %d",
			c.MapInput, made.Margin, margin, margin)
	}
	c.Camera, c.Spacetime = made.Camera, made.Spacetime
	return m, nil
}
