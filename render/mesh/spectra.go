package mesh

import (
	"math"
	"math/cmplx"

	"grsplat/render/mesh/fft"
	"grsplat/render/psf"
)

// ended returns the grids of the P x P phases of k, [py*P+px][Stride*Stride], each ended at its circle.
func ended(k *psf.Kernel, m rim) [][]float64 {
	grids := make([][]float64, k.P*k.P)
	for py := range k.P {
		for px := range k.P {
			w := k.Phase(px, py)
			g := make([]float64, k.Size)
			for j := range k.Stride {
				for i := range k.Stride {
					dx, dy := float64(i-k.R)-float64(px)/float64(k.P), float64(j-k.R)-float64(py)/float64(k.P)
					g[j*k.Stride+i] = w[j*k.Stride+i] * m.weight(dx, dy)
				}
			}
			grids[py*k.P+px] = g
		}
	}
	return grids
}

// axisSpectrum returns the modulus of the profile's Fourier transform along an axis, over that at 0, as a function of cycles a
// pixel: the cosine transform of the profile summed over the other axis.
func axisSpectrum(k *psf.Kernel, grids [][]float64) func(freq float64) float64 {
	sums := make([]float64, (k.R+2)*k.P+1) // by |u|, u = i P - px in points; both sides hold the same
	for px := range k.P {
		for i := range k.Stride {
			u := (i-k.R)*k.P - px
			if u < 0 {
				continue
			}
			for py := range k.P {
				g := grids[py*k.P+px]
				for j := range k.Stride {
					sums[u] += g[j*k.Stride+i]
				}
			}
		}
	}
	at := func(freq float64) float64 {
		total := sums[0]
		for u := 1; u < len(sums); u++ {
			total += 2 * sums[u] * math.Cos(2*math.Pi*freq*float64(u)/float64(k.P))
		}
		return math.Abs(total)
	}
	whole, limit := at(0), float64(k.P)/2
	// below trusted, rounding shows; the transform of a smooth profile falls exponentially, so its last slope is continued
	const trusted, slope = 3e-14, 0.1
	end := slope
	for end < limit && at(end) > trusted*whole {
		end += 0.02
	}
	last := at(end) / whole
	rate := math.Log(at(end-slope)/whole/last) / slope
	return func(freq float64) float64 {
		if freq > end {
			return last * math.Exp(-rate*(freq-end))
		}
		return at(freq) / whole
	}
}

// A transformer turns grids into spectra, one at a time.
type transformer struct {
	s      *shape
	k      fft.Kernels
	plan   *fft.Plan
	re, im []float64 // eight columns
	mre    []float64 // half-transformed block, rows of Mid
	mim    []float64
}

func newTransformer(s *shape, k fft.Kernels, plan *fft.Plan) *transformer {
	return &transformer{
		s: s, k: k, plan: plan,
		re: make([]float64, 8*s.N), im: make([]float64, 8*s.N),
		mre: make([]float64, s.N*s.Mid), mim: make([]float64, s.N*s.Mid),
	}
}

// columns transforms eight columns of rows values each, stride float64 apart, of planes a (real part) and b (imaginary part;
// nil for zero) into columns x.. of the half-transformed block.
func (t *transformer) columns(a, b []float64, stride, rows, x int) {
	t.load(t.re, a, stride, rows)
	t.load(t.im, b, stride, rows)
	t.k.Forward(&t.re[0], &t.im[0], t.s.N, &t.plan.Forward[0])
	t.k.CopyRows(&t.mre[x], &t.re[0], t.s.Mid, 8, t.s.N)
	t.k.CopyRows(&t.mim[x], &t.im[0], t.s.Mid, 8, t.s.N)
}

func (t *transformer) load(dst, src []float64, stride, rows int) {
	if src == nil {
		clear(dst)
		return
	}
	t.k.CopyRows(&dst[0], &src[0], 8, stride, rows)
	clear(dst[8*rows:])
}

// rowGroup transforms rows 8g.. of the half-transformed block, cols of whose columns are filled; the result is in re and im,
// row i holding x frequency Order[i] of y frequencies Order[8g..8g+7].
func (t *transformer) rowGroup(g, cols int) {
	s := t.s
	t.k.Transpose(&t.re[0], &t.mre[8*g*s.Mid], 8, s.Mid, 64, 8, cols/8)
	t.k.Transpose(&t.im[0], &t.mim[8*g*s.Mid], 8, s.Mid, 64, 8, cols/8)
	clear(t.re[8*cols:])
	clear(t.im[8*cols:])
	t.k.Forward(&t.re[0], &t.im[0], s.N, &t.plan.Forward[0])
}

// spectrum transforms a real grid of N x N into out, of spectrumLen.
func (t *transformer) spectrum(out, grid []float64) {
	n := t.s.N
	for x := 0; x < n; x += 8 {
		t.columns(grid[x:], nil, n, n, x)
	}
	for g := range n / 8 {
		t.rowGroup(g, n)
		o := out[g*16*n:]
		t.k.CopyRows(&o[0], &t.re[0], 16, 8, n)
		t.k.CopyRows(&o[8], &t.im[0], 16, 8, n)
	}
}

// place lays a square grid, whose first offset is -first, on the circular N x N block, so that a plane's element (Margin, Margin),
// the block's first pixel, lights from offset -R on at element (0,0), scaled for an unscaled inverse.
func (s *shape) place(dst, grid []float64, first int) {
	clear(dst)
	scale := 1 / float64(s.N*s.N)
	stride := int(math.Sqrt(float64(len(grid))))
	wrap := func(i int) int { return (i + s.R - first - s.Margin + s.N) % s.N }
	for j := range stride {
		row := dst[wrap(j)*s.N:]
		for i := range stride {
			row[wrap(i)] = scale * grid[j*stride+i]
		}
	}
}

// kernelSpectra returns the spectra by which the Q x Q planes are multiplied, [qy*Q+qx][spectrumLen].
//
// Along one axis (the two separate): with K_p the spectrum of phase p, the profile's spectrum on the lattice at frequency
// kappa = k + nN is I(kappa) = sum_p exp(2 pi i kappa p/(P N)) K_p(k), and plane q is multiplied by
//
//	G_q(k) = 1/Q sum_n I(kappa)/H(kappa/N) exp(-2 pi i kappa q/(Q N)),
//
// over the Q images n with |kappa| < Q N/2. The images are summed before they are divided by H, which is as small as 1e-5 at the
// grid's limit: rounding then stays where the lattice, filtered by H, has nothing.
func kernelSpectra(s *shape, f *filter, k *psf.Kernel, grids [][]float64, t *transformer) [][]float64 {
	if s.Q == s.P {
		out, block := spectra(s, s.planes()), make([]float64, s.N*s.N)
		for p, g := range grids {
			s.place(block, g, k.R)
			t.spectrum(out[p], block)
		}
		return out
	}
	im := newImages(s, f, t.plan.Order)
	both := spectra(s, s.planes())
	for py := range s.P {
		across := spectra(s, s.Q)
		phase, block := make([]float64, s.spectrumLen()), make([]float64, s.N*s.N)
		for px := range s.P {
			s.place(block, grids[py*s.P+px], k.R)
			t.spectrum(phase, block)
			for n := range s.Q {
				t.addColumns(across[n], phase, im.lattice[n*s.P+px])
			}
		}
		for ny := range s.Q {
			for nx := range s.Q {
				t.addRows(both[ny*s.Q+nx], across[nx], im.lattice[ny*s.P+py])
			}
		}
	}
	folded, out := spectra(s, s.planes()), spectra(s, s.planes())
	for y := range s.Q {
		for n := range s.Q {
			for q := range s.Q {
				t.addColumns(folded[y*s.Q+q], both[y*s.Q+n], im.fold[n*s.Q+q])
			}
		}
	}
	for x := range s.Q {
		for n := range s.Q {
			for q := range s.Q {
				t.addRows(out[q*s.Q+x], folded[n*s.Q+x], im.fold[n*s.Q+q])
			}
		}
	}
	return out
}

func spectra(s *shape, n int) [][]float64 {
	v := make([][]float64, n)
	for i := range v {
		v[i] = make([]float64, s.spectrumLen())
	}
	return v
}

// images holds the factors of kernelSpectra by transformed row i of frequency k = Order[i].
type images struct {
	lattice [][]complex128 // [n*P+p][i]: exp(2 pi i kappa p/(P N))
	fold    [][]complex128 // [n*Q+q][i]: exp(-2 pi i kappa q/(Q N))/(Q H), 0 at the limit
}

func newImages(s *shape, f *filter, order []int) images {
	im := images{make([][]complex128, s.Q*s.P), make([][]complex128, s.Q*s.Q)}
	for i := range im.lattice {
		im.lattice[i] = make([]complex128, s.N)
	}
	for i := range im.fold {
		im.fold[i] = make([]complex128, s.N)
	}
	limit := float64(s.Q) / 2
	for i, k := range order {
		first := math.Ceil(-limit - float64(k)/float64(s.N))
		for n := range s.Q {
			cycles := float64(k)/float64(s.N) + first + float64(n) // kappa/N, cycles a pixel
			for p := range s.P {
				im.lattice[n*s.P+p][i] = cmplx.Rect(1, 2*math.Pi*cycles*float64(p)/float64(s.P))
			}
			if cycles <= -limit {
				continue
			}
			gain := 1 / (float64(s.Q) * f.response(cycles))
			for q := range s.Q {
				im.fold[n*s.Q+q][i] = cmplx.Rect(gain, -2*math.Pi*cycles*float64(q)/float64(s.Q))
			}
		}
	}
	return im
}

// addColumns adds src times a factor by x frequency to dst.
func (t *transformer) addColumns(dst, src []float64, factor []complex128) {
	for x, w := range factor {
		for l := range 8 {
			t.re[8*x+l], t.im[8*x+l] = real(w), imag(w)
		}
	}
	n := t.s.N
	for g := range n / 8 {
		t.k.MultiplyAdd(&dst[g*16*n], &src[g*16*n], &t.re[0], &t.im[0], n)
	}
}

// addRows adds src times a factor by y frequency to dst.
func (t *transformer) addRows(dst, src []float64, factor []complex128) {
	n := t.s.N
	for g := range n / 8 {
		for l, w := range factor[8*g : 8*g+8] {
			for x := l; x < 8*n; x += 8 {
				t.re[x], t.im[x] = real(w), imag(w)
			}
		}
		t.k.MultiplyAdd(&dst[g*16*n], &src[g*16*n], &t.re[0], &t.im[0], n)
	}
}
