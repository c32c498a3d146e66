// Package hdr holds images of linear light: float64 frames, exact 128-bit sums, and their comparison.
package hdr

// A Frame is a linear RGB image in planes. Plane[c][y*W+x] is the value at the centre of pixel (x,y), row 0 on top.
type Frame struct {
	W, H  int
	Plane [3][]float64
}

// NewFrame returns a black frame of w x h pixels. Its planes share one allocation of 24 w h bytes.
func NewFrame(w, h int) *Frame {
	n := w * h
	all := make([]float64, 3*n)
	return &Frame{W: w, H: h, Plane: [3][]float64{all[:n:n], all[n : 2*n : 2*n], all[2*n:]}}
}

// Add adds g, of equal size, pixel by pixel.
func (f *Frame) Add(g *Frame) {
	for c := range f.Plane {
		dst, src := f.Plane[c], g.Plane[c]
		for i, v := range src {
			dst[i] += v
		}
	}
}

// Total returns the sum over all pixels of each plane, compensated (Neumaier 1974), so that its error does not grow with
// the number of pixels.
func (f *Frame) Total() [3]float64 {
	var total [3]float64
	for c, plane := range f.Plane {
		total[c] = sum(plane)
	}
	return total
}

func sum(values []float64) float64 {
	var s, comp float64
	for _, v := range values {
		t := s + v
		if abs(s) >= abs(v) {
			comp += (s - t) + v
		} else {
			comp += (v - t) + s
		}
		s = t
	}
	return s + comp
}

func abs(v float64) float64 {
	if v < 0 {
		return -v
	}
	return v
}

// Luminance weights of linear sRGB (IEC 61966-2-1, unrounded for white x,y = 0.3127, 0.3290).
const (
	LumaR = 0.21263900587
	LumaG = 0.71516867877
	LumaB = 0.07219231536
)

// Luminance returns Y of a linear sRGB triple.
func Luminance(rgb [3]float64) float64 { return LumaR*rgb[0] + LumaG*rgb[1] + LumaB*rgb[2] }
