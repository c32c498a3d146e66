package mesh

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// From P planes to Q. The frame is the convolution of the lattice, P points a pixel, with the profile, read at the pixels. The
// profile's spectrum I(f) falls fast (spec's default: 4e-15 of I(0) at 2 cycles a pixel), so a grid of Q < P points a pixel
// carries it, if the lattice is brought to that grid by a filter h of 2 half + 1 taps, response H(f) = h0 + 2 sum hj cos(2 pi f j/P),
// and the kernel is divided by H. A wave of the lattice beyond the grid's limit, at g, then comes in under its alias f
// with factor I(f)/H(f) H(g), where it should have I(g). So h makes H(g) I(f)/H(f) - I(g) small for every f within the limit, in
// the least squares sense, reweighted by H of the step before: the ratio of responses must match the ratio of spectra. That is far
// cheaper than a filter that stops g outright: 25 taps reach 1e-15 of the peak where a Kaiser window of 25 leaves 1e-12.
//
// It costs a quarter of the transforms of P = 8 planes an axis, which is why the mesh does it.

// tapsPerSide is the filter's half length for each point of decimation.
const tapsPerSide = 6

// A filter is symmetric: tap k of 2 half + 1 is h[|k-half|].
type filter struct {
	p, q int
	h    []float64 // h0 ... h_half; {1} when q = p
}

func identity(p int) filter { return filter{p, p, []float64{1}} }

func (f *filter) half() int { return len(f.h) - 1 }

// taps lists all taps in order.
func (f *filter) taps() []float64 {
	n := f.half()
	t := make([]float64, 2*n+1)
	for k := range t {
		t[k] = f.h[max(k-n, n-k)]
	}
	return t
}

// response returns H at a frequency in cycles a pixel.
func (f *filter) response(freq float64) float64 {
	sum := f.h[0]
	for j := 1; j < len(f.h); j++ {
		sum += 2 * f.h[j] * math.Cos(2*math.Pi*freq*float64(j)/float64(f.p))
	}
	return sum
}

// designFilter returns the filter from p to q points a pixel for a profile whose spectrum along an axis is s, at frequencies in
// cycles a pixel, ok false when the equations are singular.
func designFilter(p, q int, s func(freq float64) float64) (filter, bool) {
	const samples, rounds, floor = 400, 10, 1e-19
	d := p / q
	f := filter{p, q, make([]float64, tapsPerSide*d+1)}
	n := f.half()
	f.h[0] = 1
	type pair struct{ pass, alias, weight, ratio float64 }
	var pairs []pair
	for i := range samples {
		pass := float64(q) / 2 * float64(i) / (samples - 1)
		within := s(pass) + floor
		for m := 1; m < d; m++ {
			alias := pass + float64(m*q)
			alias = math.Abs(alias - float64(p)*math.Round(alias/float64(p)))
			pairs = append(pairs, pair{pass, alias, within * math.Sqrt(pass+0.02), s(alias) / within})
		}
	}
	basis := func(freq float64, j int) float64 { // with h0 = 1 - 2 sum hj, so that H(0) = 1
		return 2 * (math.Cos(2*math.Pi*freq*float64(j)/float64(p)) - 1)
	}
	for range rounds {
		a, b := mat.NewDense(len(pairs), n, nil), mat.NewVecDense(len(pairs), nil)
		for row, c := range pairs {
			weight := c.weight / math.Max(math.Abs(f.response(c.pass)), 1e-12)
			for j := 1; j <= n; j++ {
				a.Set(row, j-1, weight*(basis(c.alias, j)-c.ratio*basis(c.pass, j)))
			}
			b.SetVec(row, -weight*(1-c.ratio))
		}
		var qr mat.QR
		qr.Factorize(a)
		var x mat.VecDense
		if err := qr.SolveVecTo(&x, false, b); err != nil {
			if _, inexact := err.(mat.Condition); !inexact {
				return f, false
			}
		}
		f.h[0] = 1
		for j := 1; j <= n; j++ {
			f.h[j] = x.AtVec(j - 1)
			f.h[0] -= 2 * f.h[j]
		}
	}
	return f, true
}
