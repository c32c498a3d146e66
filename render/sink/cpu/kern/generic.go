package kern

import (
	"math"
	"unsafe"

	"grsplat/render/psf"
)

// generic is the level in plain Go.
func generic() Set {
	return Set{
		Name:  "generic",
		Spans: spansGeneric, Ring: ringGeneric, Stamp: stampGeneric, Exact: exactGeneric, ExactWide: exactGeneric, Cell: cellGeneric, Rim: rimGeneric, Poly: polyGeneric, AddRow: addRowGeneric,
		Fetch: func(*[4]*float64, int, int) {},
	}
}

func spansGeneric(out []Span, d *Disc) int {
	disc := psf.NewDisc(d.X, d.Y, d.Support, int(d.X1)+1, int(d.J1)+1)
	total := 0
	for j := int(d.J0); j <= int(d.J1); j++ {
		lo, hi := disc.Row(j)
		lo = max(lo, int(d.X0))
		s := Span{int32(lo - int(d.X0)), int32(max(hi-lo+1, 0))}
		out[j-int(d.J0)] = s
		total += int(s.N)
	}
	return total
}

func ringGeneric(common, reach []Span, r *Ring) int {
	total := 0
	for j := r.J0; j <= r.J1; j++ {
		row := int(j - r.J0)
		half := halfChord(r.Least, max(j-r.Y0, r.Y1-j)) - r.Slack
		common[row] = r.clip(r.X1-half, r.X0+half)
		total += int(common[row].N)
		half = halfChord(r.Most, max(r.Y0-j, j-r.Y1, 0)) + r.Slack
		reach[row] = r.clip(r.X0-half, r.X1+half)
	}
	return total
}

func halfChord(radius, d float64) float64 { return math.Sqrt(max(radius*radius-d*d, 0)) }

func (r *Ring) clip(lo, hi float64) Span {
	lo, hi = max(math.Ceil(lo), r.C0), min(math.Floor(hi), r.C1)
	if !(lo <= hi) {
		return Span{}
	}
	return Span{int32(lo - r.C0), int32(hi-lo) + 1}
}

// view is the part of the tile and the grids that one span covers.
type view struct {
	k [4][]float64
	p [3][]float64
}

// each calls add with every span's view. Elements of a tile and of grids are reached through pointers, as in assembly, and
// cut to slices of the span's length, so that the loops over them need no checks.
func each(spans []Span, a *Args, add func(v *view)) {
	var v view
	dst, src := a.Dst, a.Src
	for _, s := range spans {
		if s.N > 0 {
			x, n := int(s.X0), int(s.N)
			for i := range v.k {
				v.k[i] = part(a.K[i], src+x, n)
			}
			for c := range v.p {
				v.p[c] = part(a.Tile, dst+c*PlaneLen+x, n)
			}
			add(&v)
		}
		dst += RowLen
		src += a.Stride
	}
}

func part(base *float64, at, n int) []float64 {
	return unsafe.Slice((*float64)(unsafe.Add(unsafe.Pointer(base), 8*at)), n)
}

func stampGeneric(spans []Span, a *Args) {
	w := a.W
	each(spans, a, func(v *view) {
		r := v.p[0]
		n := len(r)
		k0, k1, k2, k3, g, b := v.k[0][:n], v.k[1][:n], v.k[2][:n], v.k[3][:n], v.p[1][:n], v.p[2][:n]
		for i := range r {
			t := w[0]*k0[i] + w[1]*k1[i] + w[2]*k2[i] + w[3]*k3[i]
			r[i] += w[4] * t
			g[i] += w[5] * t
			b[i] += w[6] * t
		}
	})
}

func exactGeneric(spans []Span, a *Args) {
	w := a.W
	each(spans, a, func(v *view) {
		k0, k1, k2, k3 := v.k[0], v.k[1], v.k[2], v.k[3]
		for i := range k0 {
			t := float64(w[0]*k0[i]) + float64(w[1]*k1[i])
			t += float64(w[2] * k2[i])
			t += float64(w[3] * k3[i])
			for c := range v.p {
				p := (*int64)(unsafe.Pointer(&v.p[c][i]))
				*p += int64(math.RoundToEven(t * w[4+c]))
			}
		}
	})
}

func cellGeneric(spans []Span, a *Args) {
	each(spans, a, func(v *view) {
		k0, k1, k2, k3 := v.k[0], v.k[1], v.k[2], v.k[3]
		for c := range v.p {
			w := a.W[4*c:][:4]
			p := v.p[c]
			for i := range p {
				p[i] += w[0]*k0[i] + w[1]*k1[i] + w[2]*k2[i] + w[3]*k3[i]
			}
		}
	})
}

func rimGeneric(r *Rim, n int, stars []Star) int {
	lit := 0
	for p := range n {
		var sum [3]float64
		for i := range stars {
			s := &stars[i]
			dx, dy := r.I[p]-s.X, r.J[p]-s.Y
			if !(float64(dx*dx)+float64(dy*dy) <= s.S2) {
				continue
			}
			lit++
			t := s.B[0]*r.K[0][p] + s.B[1]*r.K[1][p] + s.B[2]*r.K[2][p] + s.B[3]*r.K[3][p]
			for c := range sum {
				sum[c] += t * s.F[c]
			}
		}
		for c, v := range sum {
			r.Out[c][p] = v
		}
	}
	return lit
}

func polyGeneric(w, coef []float64, s0, step float64) {
	for i := range w {
		s := math.FMA(float64(i), step, s0)
		v := coef[len(coef)-1]
		for n := len(coef) - 2; n >= 0; n-- {
			v = math.FMA(v, s, coef[n])
		}
		w[i] = v
	}
}

func addRowGeneric(row [3][]float64, w []float64, f *[3]float64) {
	for c, factor := range f {
		r := row[c][:len(w)]
		for i, v := range w {
			r[i] += factor * v
		}
	}
}
