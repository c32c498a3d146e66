package lens

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
)

// A Map is a triangle mesh of the image plane with the sky vector of every vertex. Its methods only read.
type Map struct {
	Params Params
	Stats  Stats
	Vertex []Vertex
	// Triangle holds the vertices of each, along the Morton curve of the image: triangles near in the list are near in the image.
	Triangle [][3]int32
	// Mu is the magnification of each triangle: its solid angle at the observer over that of its sky triangle.
	Mu []float64

	optics *Optics
	// Closed form of flat space, used instead of interpolation.
	flat bool
}

// A Vertex of the mesh. Coincident sky vertices (a seam, a pole) hold bit-equal vectors.
type Vertex struct {
	X, Y float64 // pixel
	Sky  Vec     // direction at infinity; in tan with the length of the pixel's image-plane vector, else 1
	G    float64 // nu_observer/nu_infinity
}

// Stats counts what Build made.
type Stats struct {
	Vertices  int `json:"vertices"`
	Triangles int `json:"triangles"`
	// Dropped triangles straddle the shadow's edge, or beside it are wrong by 15 degrees or 90 degrees wide, at the depth limit.
	Dropped int `json:"dropped"`
	// Captured triangles lie in the shadow.
	Captured int `json:"captured"`
}

// Optics returns the camera that the map was traced for.
func (m *Map) Optics() *Optics { return m.optics }

// Light returns the part of the observer's sphere whose sky the triangles show: what the mean star's images sum up to.
func (m *Map) Light() float64 {
	light := 0.0
	for i, t := range m.Triangle {
		light += m.Mu[i] * solidAngle(m.Vertex[t[0]].Sky, m.Vertex[t[1]].Sky, m.Vertex[t[2]].Sky)
	}
	return light / (4 * math.Pi)
}

// SHA256 returns the hash, in hexadecimal, of the file that Save would write.
func (m *Map) SHA256() (string, error) {
	h := sha256.New()
	if err := m.Write(h); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// prepare fills in what is derived from the parameters.
func (m *Map) prepare() (err error) {
	m.flat = m.Params.Spacetime.Flat()
	m.optics, err = m.Params.Camera.Optics()
	return err
}

// longest returns the length of the longest sky vector.
func (m *Map) longest() float64 {
	longest := 0.0
	for i := range m.Vertex {
		longest = math.Max(longest, dot(m.Vertex[i].Sky, m.Vertex[i].Sky))
	}
	return math.Sqrt(longest)
}
