package lens

import (
	"math"

	"grsplat/render/fail"
)

// Projection of the sky onto the image plane.
type Projection string

// The projections of --projection. Car is centred on the look's right ascension and the equator; zea shows the whole sky in
// the largest circle that fits the frame.
const (
	Tan Projection = "tan"
	Car Projection = "car"
	Zea Projection = "zea"
)

// Camera is a pinhole or all-sky camera. Pixel centres are integers, (0,0) is the top-left one, x runs right and y down.
// With roll 0 up is celestial north and right is west.
type Camera struct {
	W          int        `json:"width"`
	H          int        `json:"height"`
	Projection Projection `json:"projection"`
	RA         float64    `json:"look_ra_deg"`
	Dec        float64    `json:"look_dec_deg"`
	// Roll in degrees turns the camera clockwise as seen on the image; the stars turn counter-clockwise.
	Roll float64 `json:"roll_deg"`
	// Fov is the horizontal field of view in degrees; 0 stands for 60 in tan and 360 in car and zea.
	Fov float64 `json:"fov_deg"`
	// Velocity of the observer against the static one, in units of c along right, down, forward.
	Velocity [3]float64 `json:"velocity_c"`
}

// WithDefaults fills in the field of view.
func (c Camera) WithDefaults() Camera {
	switch {
	case c.Fov != 0:
	case c.Projection == Tan:
		c.Fov = 60
	default:
		c.Fov = 360
	}
	return c
}

// Look returns the direction that --look names, the default direction of the hole.
func (c Camera) Look() Vec { return Direction(c.RA, c.Dec) }

// maxSide bounds a frame's side, so that pixel arithmetic keeps its sub-pixel digits; memory is the caller's matter.
const maxSide = 1 << 20

// Validate says, as a usage error, what is wrong with a camera whose defaults are filled in.
func (c Camera) Validate() error {
	finite := func(v ...float64) bool {
		for _, x := range v {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return false
			}
		}
		return true
	}
	switch {
	case c.W < 1 || c.H < 1 || c.W > maxSide || c.H > maxSide:
		return fail.Usage("camera: size %dx%d: each side must be 1 to %d pixels", c.W, c.H, maxSide)
	case c.Projection != Tan && c.Projection != Car && c.Projection != Zea:
		return fail.Usage("camera: projection %q: must be tan, car or zea", string(c.Projection))
	case !finite(c.RA, c.Dec, c.Roll) || math.Abs(c.Dec) > 90:
		return fail.Usage("camera: look %v,%v roll %v: right ascension and roll must be finite, declination -90 to 90", c.RA, c.Dec, c.Roll)
	case c.Projection == Tan && !(c.Fov > 0 && c.Fov < 180):
		return fail.Usage("camera: fov %v: must be above 0 and below 180 degrees in tan", c.Fov)
	case c.Projection == Car && !(c.Fov > 0 && c.Fov <= 360):
		return fail.Usage("camera: fov %v: must be above 0 and at most 360 degrees in car", c.Fov)
	case c.Projection == Zea && c.Fov != 360:
		return fail.Usage("camera: fov %v: zea shows the whole sky, 360 degrees", c.Fov)
	case !(norm(c.Velocity) < 1):
		return fail.Usage("camera: velocity %v: must be slower than light", c.Velocity)
	}
	return nil
}

// Optics is a camera ready for use. Build one with Camera.Optics.
type Optics struct {
	cam                Camera
	cx, cy             float64
	pixels             float64 // per radian at the centre: the focal length in tan
	right, up, forward Vec
	boost              boost
}

// Optics prepares the camera, or refuses it as a usage error.
func (c Camera) Optics() (*Optics, error) {
	c = c.WithDefaults()
	if err := c.Validate(); err != nil {
		return nil, err
	}
	o := &Optics{cam: c, cx: float64(c.W-1) / 2, cy: float64(c.H-1) / 2}
	dec := c.Dec
	switch c.Projection {
	case Tan:
		o.pixels = float64(c.W) / 2 / math.Tan(c.Fov*math.Pi/360)
	case Car:
		o.pixels = float64(c.W) / (c.Fov * math.Pi / 180)
		dec = 0
	case Zea:
		o.pixels = float64(min(c.W, c.H)) / 4
	}
	sa, ca := sincosDegrees(c.RA)
	sd, cd := sincosDegrees(dec)
	sr, cr := sincosDegrees(c.Roll)
	north, west := Vec{-sd * ca, -sd * sa, cd}, Vec{sa, -ca, 0}
	o.forward = Vec{cd * ca, cd * sa, sd}
	o.up = add(scale(cr, north), scale(sr, west))
	o.right = sub(scale(cr, west), scale(sr, north))
	v := add(scale(c.Velocity[0], o.right), add(scale(-c.Velocity[1], o.up), scale(c.Velocity[2], o.forward)))
	o.boost = newBoost(v)
	return o, nil
}

// PixelAngle is the angle of the central pixel in radians.
func (o *Optics) PixelAngle() float64 { return 1 / o.pixels }

// Ray returns the direction, in the moving observer's frame, of the sky seen at pixel (x, y). In tan its length is that of
// the image-plane vector, so that it is linear in x and y; in car and zea it is 1. ok is false outside the projection.
func (o *Optics) Ray(x, y float64) (dir Vec, ok bool) {
	r, u := (x-o.cx)/o.pixels, (o.cy-y)/o.pixels
	switch o.cam.Projection {
	case Tan:
		return o.frame(r, u, 1), true
	case Car:
		return o.longLat(r, u), math.Abs(r) <= math.Pi*(1+1e-15) && math.Abs(u) <= math.Pi/2*(1+1e-15)
	}
	// Zenithal equal-area: radius = 2 sin(theta/2) (Calabretta & Greisen 2002, A&A 395, 1077, section 5.1.7).
	s2 := (r*r + u*u) / 4
	c := math.Sqrt(max(0, 1-s2))
	return o.frame(c*r, c*u, 1-2*s2), s2 <= 1
}

// frame turns components along right, up and forward into a vector.
func (o *Optics) frame(r, u, f float64) Vec {
	return add(scale(f, o.forward), add(scale(r, o.right), scale(u, o.up)))
}

// longLat is the car direction of angles to the right and up.
func (o *Optics) longLat(lon, lat float64) Vec {
	sl, cl := math.Sincos(lon)
	sb, cb := math.Sincos(lat)
	return o.frame(cb*sl, sb, cb*cl)
}

// Project is the inverse of Ray: the pixel at which the moving observer sees direction dir. ok is false for a direction that
// the projection does not show.
func (o *Optics) Project(dir Vec) (x, y float64, ok bool) {
	r, u, f := dot(dir, o.right), dot(dir, o.up), dot(dir, o.forward)
	switch o.cam.Projection {
	case Tan:
		if !(f > 0) {
			return 0, 0, false
		}
		r, u = r/f, u/f
	case Car:
		r, u = math.Atan2(r, f), math.Atan2(u, math.Sqrt(r*r+f*f))
	default:
		// 2 sin(theta/2)/sin(theta) = sqrt(2/(1+cos theta)); near the antipode the rim's direction is what is left of it.
		n, t := math.Sqrt(r*r+u*u+f*f), math.Sqrt(r*r+u*u)
		k := 0.0
		if t > 0 {
			k = 2 * math.Sin(math.Atan2(t, f)/2) / t
		} else if f < 0 {
			return o.cx + 2*o.pixels, o.cy, n > 0
		}
		r, u = k*r, k*u
	}
	return o.cx + r*o.pixels, o.cy - u*o.pixels, true
}

// Arrival turns direction dir of the moving observer's frame, a unit vector, into the static observer's direction and the
// Doppler factor nu_moving/nu_static.
func (o *Optics) Arrival(dir Vec) (static Vec, doppler float64) { return o.boost.toStatic(dir) }

// Departure is the inverse of Arrival.
func (o *Optics) Departure(static Vec) (dir Vec, doppler float64) { return o.boost.toMoving(static) }
