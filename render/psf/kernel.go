package psf

import "math"

// A Kernel holds the weights of (P+1) x (P+1) sub-pixel phases. Phase (px,py) is a star at (px/P, py/P) from a pixel
// centre; its weights cover the offsets -R..R+1 from that pixel along each axis. Phase P is phase 0 one pixel on, stored
// so that the bilinear mix of a star's four nearest phases reads four equal grids:
//
//	W[(py*(P+1)+px)*Size + (j+R)*Stride + i+R] = At(i - px/P, j - py/P).
type Kernel struct {
	P, R   int
	Stride int // 2R+2
	Size   int // Stride^2
	W      []float64
}

// Phase returns the grid of phase (px,py).
func (k *Kernel) Phase(px, py int) []float64 {
	at := (py*(k.P+1) + px) * k.Size
	return k.W[at : at+k.Size]
}

// newKernel fills the grids from one octant of the lattice of spacing 1/P, since the profile depends on |dx| and |dy| alike.
func newKernel(f *PSF) *Kernel {
	k := &Kernel{P: f.Phases, R: f.R, Stride: 2*f.R + 2}
	k.Size = k.Stride * k.Stride
	k.W = make([]float64, (k.P+1)*(k.P+1)*k.Size)
	octant := newOctant(f, (k.R+1)*k.P)
	for py := 0; py <= k.P; py++ {
		for px := 0; px <= k.P; px++ {
			w := k.Phase(px, py)
			for j := -k.R; j <= k.R+1; j++ {
				for i := -k.R; i <= k.R+1; i++ {
					w[(j+k.R)*k.Stride+i+k.R] = octant.at(i*k.P-px, j*k.P-py)
				}
			}
		}
	}
	return k
}

// An octant tabulates the weight at (u/P, v/P) for n >= u >= v >= 0.
type octant []float64

func newOctant(f *PSF, n int) octant {
	o := make(octant, 0, (n+1)*(n+2)/2)
	for u := 0; u <= n; u++ {
		for v := 0; v <= u; v++ {
			o = append(o, f.At(float64(u)/float64(f.Phases), float64(v)/float64(f.Phases)))
		}
	}
	return o
}

func (o octant) at(u, v int) float64 {
	u, v = max(u, -u), max(v, -v)
	if u < v {
		u, v = v, u
	}
	return o[u*(u+1)/2+v]
}

// A Mix places a star among the phases: its pixel, the grid of its first phase, and the bilinear weights of that grid (B00)
// and of the grids one phase right (B10), down (B01) and both (B11).
type Mix struct {
	IX, IY             int // pixel that holds the star: floor of its position
	PX, PY             int // first phase
	B00, B10, B01, B11 float64
}

// Mix returns the phases of a star at pixel position (x,y): with px = floor(P fract(x)) and tx = P fract(x) - px, and likewise
// y, b00 = (1-tx)(1-ty), b10 = tx(1-ty), b01 = (1-tx)ty, b11 = tx ty, each operation rounded.
func (k *Kernel) Mix(x, y float64) Mix {
	ix, px, tx := k.phase(x)
	iy, py, ty := k.phase(y)
	return Mix{ix, iy, px, py, (1 - tx) * (1 - ty), tx * (1 - ty), (1 - tx) * ty, tx * ty}
}

func (k *Kernel) phase(x float64) (pixel, phase int, t float64) {
	whole := math.Floor(x)
	scaled := float64(float64(k.P) * (x - whole))
	p := math.Floor(scaled)
	if int(p) == k.P { // x a rounding below the next integer
		p--
	}
	return int(whole), int(p), scaled - p
}

// Grids returns the four phase grids of m in the order of its weights.
func (k *Kernel) Grids(m *Mix) (k00, k10, k01, k11 []float64) {
	return k.Phase(m.PX, m.PY), k.Phase(m.PX+1, m.PY), k.Phase(m.PX, m.PY+1), k.Phase(m.PX+1, m.PY+1)
}

// Peak returns the largest weight of any pixel, a bound on what one event adds to one pixel per unit of flux*colour.
func (k *Kernel) Peak() float64 {
	peak := 0.0
	for _, w := range k.W {
		peak = max(peak, w)
	}
	return peak
}
