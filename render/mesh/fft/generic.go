package fft

import (
	"math"
	"unsafe"
)

// generic is the plain Go form of every kernel: the fallback, and what the assembly is tested against.
var generic = Kernels{forward, inverse, multiplyAdd, combine, combineAdd, copyRows, transpose, deposit}

// row returns the n float64 that start i after p.
func row(p *float64, i, n int) []float64 {
	return unsafe.Slice((*float64)(unsafe.Add(unsafe.Pointer(p), i*8)), n)
}

func forward(re, im *float64, n int, tw *float64) {
	t, span := 0, n
	for ; span > 4; span /= 4 {
		for j := range span / 4 {
			w := (*[6]float64)(row(tw, t, 6))
			t += 6
			for b := j; b < n; b += span {
				p := pointsAt(re, im, b, span/4)
				p.four(-1)
				p.rotate(w)
			}
		}
	}
	plain(re, im, n, span, -1)
}

func inverse(re, im *float64, n int, tw *float64) {
	span := n
	for span > 4 {
		span /= 4
	}
	plain(re, im, n, span, 1)
	for t := 0; span < n; {
		span *= 4
		for j := range span / 4 {
			w := (*[6]float64)(row(tw, t, 6))
			t += 6
			for b := j; b < n; b += span {
				p := pointsAt(re, im, b, span/4)
				p.rotate(w)
				p.four(1)
			}
		}
	}
}

// points are four rows of the eight columns.
type points struct{ re, im [4]*[8]float64 }

// pointsAt returns rows b, b+q, b+2q, b+3q.
func pointsAt(re, im *float64, b, q int) (p points) {
	for k := range 4 {
		p.re[k], p.im[k] = (*[8]float64)(row(re, (b+k*q)*8, 8)), (*[8]float64)(row(im, (b+k*q)*8, 8))
	}
	return p
}

// four is the four-point transform of exponent sign s.
func (p *points) four(s float64) {
	r0, r1, r2, r3 := p.re[0], p.re[1], p.re[2], p.re[3]
	i0, i1, i2, i3 := p.im[0], p.im[1], p.im[2], p.im[3]
	for l := range 8 {
		ar, ai, cr, ci := r0[l]+r2[l], i0[l]+i2[l], r0[l]-r2[l], i0[l]-i2[l]
		br, bi, dr, di := r1[l]+r3[l], i1[l]+i3[l], s*(r1[l]-r3[l]), s*(i1[l]-i3[l])
		r0[l], i0[l], r2[l], i2[l] = ar+br, ai+bi, ar-br, ai-bi
		r1[l], i1[l], r3[l], i3[l] = cr-di, ci+dr, cr+di, ci-dr
	}
}

// rotate multiplies rows 1, 2, 3 by the twiddles w.
func (p *points) rotate(w *[6]float64) {
	for k := 1; k < 4; k++ {
		wr, wi, r, i := w[2*k-2], w[2*k-1], p.re[k], p.im[k]
		for l := range 8 {
			r[l], i[l] = r[l]*wr-i[l]*wi, r[l]*wi+i[l]*wr
		}
	}
}

// plain is the stage without twiddles, of span 4 or 2.
func plain(re, im *float64, n, span int, s float64) {
	for b := 0; b < n; b += span {
		if span == 4 {
			p := pointsAt(re, im, b, 1)
			p.four(s)
			continue
		}
		for _, p := range []*float64{re, im} {
			v := row(p, b*8, 16)
			for l := range 8 {
				v[l], v[8+l] = v[l]+v[8+l], v[l]-v[8+l]
			}
		}
	}
}

func multiplyAdd(acc, k, re, im *float64, n int) {
	a, kk, xr, xi := row(acc, 0, 16*n), row(k, 0, 16*n), row(re, 0, 8*n), row(im, 0, 8*n)
	for i := range n {
		for l := range 8 {
			r, m, kr, ki := xr[8*i+l], xi[8*i+l], kk[16*i+l], kk[16*i+8+l]
			a[16*i+l] += r*kr - m*ki
			a[16*i+8+l] += r*ki + m*kr
		}
	}
}

func combine(dst, src *float64, off *int64, h *float64, taps, n, rows, dstStride, srcStride int) {
	for r := range rows {
		clear(row(dst, r*dstStride, n))
	}
	combineAdd(dst, src, off, h, taps, n, rows, dstStride, srcStride)
}

func combineAdd(dst, src *float64, off *int64, h *float64, taps, n, rows, dstStride, srcStride int) {
	at, weight := unsafe.Slice(off, taps), row(h, 0, taps)
	for r := range rows {
		d := row(dst, r*dstStride, n)
		for k, w := range weight {
			s := row(src, r*srcStride+int(at[k]), n)
			for i := range d {
				d[i] += w * s[i]
			}
		}
	}
}

func copyRows(dst, src *float64, dstStride, srcStride, n int) {
	for i := range n {
		copy(row(dst, i*dstStride, 8), row(src, i*srcStride, 8))
	}
}

func transpose(dst, src *float64, dstStride, srcStride, dstStep, srcStep, n int) {
	for b := range n {
		for i := range 8 {
			s := row(src, b*srcStep+i*srcStride, 8)
			for j, v := range s {
				row(dst, b*dstStep+j*dstStride+i, 1)[0] = v
			}
		}
	}
}

func deposit(lattice, events *float64, n, stride int, par *float64) {
	p := row(par, 0, 8)
	split := func(x, first float64) (at int, t float64) {
		pixel := math.Floor(x)
		s := float64(p[0] * (x - pixel))
		phase := min(math.Floor(s), p[2])
		return int((pixel-first)*p[0] + phase), s - phase
	}
	for i := range n {
		e := row(events, 7*i, 6)
		col, tx := split(e[0], p[6])
		line, ty := split(e[1], p[7])
		for j, wy := range [2]float64{1 - ty, ty} {
			d := row(lattice, (line+j)*stride+col*3, 6)
			for c := range 3 {
				f := e[5] * e[2+c]
				d[c] += wy * (f * (1 - tx))
				d[3+c] += wy * (f * tx)
			}
		}
	}
}
