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
			w := row(tw, t, 6)
			t += 6
			for b := j; b < n; b += span {
				eachLane(re, im, b, span/4, func(xr, xi *[4]float64) {
					four(xr, xi, -1)
					rotate(xr, xi, w)
				})
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
			w := row(tw, t, 6)
			t += 6
			for b := j; b < n; b += span {
				eachLane(re, im, b, span/4, func(xr, xi *[4]float64) {
					rotate(xr, xi, w)
					four(xr, xi, 1)
				})
			}
		}
	}
}

// eachLane runs body on the four points b, b+q, b+2q, b+3q of each of the eight columns.
func eachLane(re, im *float64, b, q int, body func(xr, xi *[4]float64)) {
	var r, i [4][]float64
	for k := range r {
		r[k], i[k] = row(re, (b+k*q)*8, 8), row(im, (b+k*q)*8, 8)
	}
	for l := range 8 {
		xr := [4]float64{r[0][l], r[1][l], r[2][l], r[3][l]}
		xi := [4]float64{i[0][l], i[1][l], i[2][l], i[3][l]}
		body(&xr, &xi)
		for k := range r {
			r[k][l], i[k][l] = xr[k], xi[k]
		}
	}
}

// four is the four-point transform of exponent sign s.
func four(xr, xi *[4]float64, s float64) {
	ar, ai, cr, ci := xr[0]+xr[2], xi[0]+xi[2], xr[0]-xr[2], xi[0]-xi[2]
	br, bi, dr, di := xr[1]+xr[3], xi[1]+xi[3], s*(xr[1]-xr[3]), s*(xi[1]-xi[3])
	xr[0], xi[0], xr[2], xi[2] = ar+br, ai+bi, ar-br, ai-bi
	xr[1], xi[1], xr[3], xi[3] = cr-di, ci+dr, cr+di, ci-dr
}

// rotate multiplies points 1, 2, 3 by the twiddles w.
func rotate(xr, xi *[4]float64, w []float64) {
	for k := 1; k < 4; k++ {
		wr, wi := w[2*k-2], w[2*k-1]
		xr[k], xi[k] = xr[k]*wr-xi[k]*wi, xr[k]*wi+xi[k]*wr
	}
}

// plain is the stage without twiddles, of span 4 or 2.
func plain(re, im *float64, n, span int, s float64) {
	for b := 0; b < n; b += span {
		if span == 4 {
			eachLane(re, im, b, 1, func(xr, xi *[4]float64) { four(xr, xi, s) })
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
