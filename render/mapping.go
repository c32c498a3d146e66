package render

import (
	"context"
	"strconv"
	"strings"

	"grsplat/render/catalog"
	"grsplat/render/fail"
	"grsplat/render/lens"
)

// loadMap reads the map that the user named, if any, before anything is sized: camera and spacetime come from it.
func (r *run) loadMap() error {
	c := r.cfg
	if c.MapInput == "" {
		return nil
	}
	r.stages.mapping.enter()
	defer r.stages.mapping.leave()
	m, err := lens.Load(c.MapInput)
	if err != nil {
		return err
	}
	made := &m.Params
	if c.Camera.W != 0 && (made.Camera.W != c.Camera.W || made.Camera.H != c.Camera.H) {
		return fail.Input("lens map: %s: made for %dx%d pixels, not for %dx%d: leave out --size or trace another map",
			c.MapInput, made.Camera.W, made.Camera.H, c.Camera.W, c.Camera.H)
	}
	if made.Margin < float64(r.psf.R) {
		return fail.Input("lens map: %s: its margin of %g px is below the PSF's cache radius of %d px: trace it with --margin %d",
			c.MapInput, made.Margin, r.psf.R, r.psf.R)
	}
	c.Camera, c.Spacetime, c.Tolerance = made.Camera, made.Spacetime, made.Tolerance
	r.lensMap = m
	r.recordMap()
	return checkMemory(c)
}

// recordMap puts the map's camera and spacetime among the recorded parameters, where the defaults of flags stood.
func (r *run) recordMap() {
	p, cam := r.cfg.Parameters, &r.cfg.Camera
	p["size"] = strconv.Itoa(cam.W) + "x" + strconv.Itoa(cam.H)
	p["projection"] = string(cam.Projection)
	p["look"] = numbers(cam.RA, cam.Dec)
	p["roll"] = number(cam.Roll)
	p["velocity"] = numbers(cam.Velocity[:]...)
	p["map-tolerance"] = number(r.cfg.Tolerance)
	p["spacetime"] = r.cfg.Spacetime.Name
	if !r.cfg.Spacetime.Flat() {
		ra, dec := catalog.Degrees(r.cfg.Spacetime.Hole)
		p["radius"] = number(r.cfg.Spacetime.Radius)
		p["hole-direction"] = numbers(ra, dec)
	}
}

func numbers(v ...float64) string {
	text := make([]string, len(v))
	for i := range v {
		text[i] = number(v[i])
	}
	return strings.Join(text, ",")
}

// buildMap traces the map of the camera unless one was loaded, and writes it if asked to.
func (r *run) buildMap(ctx context.Context) (err error) {
	c := r.cfg
	if r.lensMap == nil {
		r.lensMap, err = lens.Build(ctx, lens.Params{
			Camera: c.Camera, Spacetime: c.Spacetime, Tolerance: c.Tolerance, Margin: float64(r.psf.R), Threads: c.Threads,
		})
		if err != nil {
			return err
		}
	}
	if r.outputs.lensMap == nil {
		return nil
	}
	return r.lensMap.Write(r.outputs.lensMap)
}
