package fft

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
)

// levels are the instruction sets that this processor runs.
func levels() []Level {
	return []Level{Generic, AVX2, AVX512}[:Best()+1]
}

func random(n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	v := make([]float64, n)
	for i := range v {
		v[i] = r.Float64() - 0.5
	}
	return v
}

func TestForwardAgainstGonum(t *testing.T) {
	t.Parallel()
	for _, level := range levels() {
		for n := 4; n <= 2048; n *= 2 {
			k, p := For(level), NewPlan(n)
			re, im := random(8*n, 1), random(8*n, 2)
			in := [2][]float64{append([]float64(nil), re...), append([]float64(nil), im...)}
			k.Forward(&re[0], &im[0], n, &p.Forward[0])
			for lane := range 8 {
				seq := make([]complex128, n)
				for i := range seq {
					seq[i] = complex(in[0][8*i+lane], in[1][8*i+lane])
				}
				want := fourier.NewCmplxFFT(n).Coefficients(nil, seq)
				for i, f := range p.Order {
					got := complex(re[8*i+lane], im[8*i+lane])
					if d := cmplx.Abs(got - want[f]); !(d <= 1e-15*math.Sqrt(float64(n))*math.Log2(float64(n))) {
						t.Fatalf("%v n %d lane %d frequency %d: off by %g", level, n, lane, f, d)
					}
				}
			}
			k.Inverse(&re[0], &im[0], n, &p.Inverse[0])
			for i := range re {
				if d := math.Hypot(re[i]/float64(n)-in[0][i], im[i]/float64(n)-in[1][i]); !(d <= 1e-14) {
					t.Fatalf("%v n %d: row %d comes back off by %g", level, n, i, d)
				}
			}
		}
	}
}

// Every level gives the generic kernels' numbers, whatever the tail length and the alignment.
func TestKernelsAgree(t *testing.T) {
	t.Parallel()
	const size = 4096
	runs := map[string]func(k Kernels, dst, src []float64, n int){
		"multiply-add": func(k Kernels, dst, src []float64, n int) {
			k.MultiplyAdd(&dst[0], &src[0], &src[1], &src[500], n)
		},
		"combine": func(k Kernels, dst, src []float64, n int) {
			k.Combine(&dst[1], &src[3], &[]int64{0, 5, 17, -2}[0], &src[0], 4, 8*n, 3, 8*n+5, 8*n+1)
		},
		"combine-add": func(k Kernels, dst, src []float64, n int) {
			k.CombineAdd(&dst[1], &src[3], &[]int64{0, 5, 17, -2}[0], &src[0], 4, 8*n, 3, 8*n+5, 8*n+1)
		},
		"copy":      func(k Kernels, dst, src []float64, n int) { k.CopyRows(&dst[3], &src[1], 9, 13, n) },
		"transpose": func(k Kernels, dst, src []float64, n int) { k.Transpose(&dst[1], &src[3], 11, 33, 100, 8, n) },
	}
	for name, run := range runs {
		for n := 1; n <= 24; n++ {
			want := random(size, 3)
			run(generic, want, random(size, 4), n)
			for _, level := range levels() {
				got := random(size, 3)
				run(For(level), got, random(size, 4), n)
				for i := range got {
					if !(math.Abs(got[i]-want[i]) <= 1e-14) {
						t.Fatalf("%s %v n %d: element %d is %g, want %g", name, level, n, i, got[i], want[i])
					}
				}
			}
		}
	}
}

// A deposit is the bilinear mix of its four lattice points, also where x is a rounding below an integer.
func TestDeposit(t *testing.T) {
	t.Parallel()
	const phases, px = 8, 5
	stride := (px*phases + 2) * 3
	events := []float64{
		2.3, 3.71, 1, 2, 3, 0.5, 9,
		math.Nextafter(3, 0), 4, 1, -1, 0.25, 2, 9,
		6.999, 5.5, 3, 2, 1, 1, 9,
		2, 2, 1, 1, 1, 1, 9,
	}
	for _, first := range []float64{2, -3} {
		ev := append([]float64(nil), events...)
		for i := 0; i < len(ev); i += 7 {
			ev[i], ev[i+1] = ev[i]+first-2, ev[i+1]+first-2
		}
		par := []float64{phases, phases, phases - 1, phases - 1, 1, 1, first, first}
		want := make([]float64, stride*(px*phases+2))
		for i := 0; i < len(ev); i += 7 {
			gx, gy := (ev[i]-first)*phases, (ev[i+1]-first)*phases
			for dy := range 2 {
				for dx := range 2 {
					x, y := math.Floor(gx)+float64(dx), math.Floor(gy)+float64(dy)
					w := (1 - math.Abs(gx-x)) * (1 - math.Abs(gy-y)) * ev[i+5]
					for c := range 3 {
						want[int(y)*stride+int(x)*3+c] += w * ev[i+2+c]
					}
				}
			}
		}
		for _, level := range levels() {
			got := make([]float64, len(want))
			For(level).Deposit(&got[0], &ev[0], len(ev)/7, stride, &par[0])
			for i := range got {
				if !(math.Abs(got[i]-want[i]) <= 1e-14) {
					t.Fatalf("%v first %g: element %d is %g, want %g", level, first, i, got[i], want[i])
				}
			}
		}
	}
}

// BenchmarkForward transforms eight columns; gonum's complex transform runs beside it, eight times as well.
func BenchmarkForward(b *testing.B) {
	for _, n := range []int{256, 512} {
		re, im, p := random(8*n, 1), random(8*n, 2), NewPlan(n)
		for _, level := range levels() {
			k := For(level)
			b.Run(fmt.Sprintf("%v/%d", level, n), func(b *testing.B) {
				for b.Loop() {
					k.Forward(&re[0], &im[0], n, &p.Forward[0])
					for i := range re { // keep the numbers in range
						re[i] *= 1 / 16.0
					}
				}
			})
		}
		b.Run(fmt.Sprintf("gonum/%d", n), func(b *testing.B) {
			f, seq := fourier.NewCmplxFFT(n), make([]complex128, n)
			for i := range seq {
				seq[i] = complex(re[i], im[i])
			}
			out := make([]complex128, n)
			for b.Loop() {
				for range 8 {
					f.Coefficients(out, seq)
				}
			}
		})
	}
}

func BenchmarkDeposit(b *testing.B) {
	const phases, px, n = 8, 16, 16384
	stride := (px*phases + 2) * 3
	ev := random(7*n, 1)
	for i := 0; i < len(ev); i += 7 {
		ev[i], ev[i+1] = (ev[i]+0.5)*px, (ev[i+1]+0.5)*px
	}
	lattice := make([]float64, stride*(px*phases+2))
	par := []float64{phases, phases, phases - 1, phases - 1, 1, 1, 0, 0}
	for _, level := range levels() {
		b.Run(level.String(), func(b *testing.B) {
			k := For(level)
			for b.Loop() {
				k.Deposit(&lattice[0], &ev[0], n, stride, &par[0])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/event")
		})
	}
}
