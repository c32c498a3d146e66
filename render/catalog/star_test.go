package catalog

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"grsplat/render/color"
)

func angle(a, b [3]float64) float64 {
	return math.Acos(min(1, a[0]*b[0]+a[1]*b[1]+a[2]*b[2])) * 180 / math.Pi
}

// The embedded sky holds what its notice says, with the brightest stars where they are (J2000, SIMBAD).
func TestEmbedded(t *testing.T) {
	t.Parallel()
	src := Embedded(Options{})
	var stars []Star
	if err := src.Read(t.Context(), func(b []Star) error { stars = append(stars, b...); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(stars) != 8874 {
		t.Fatalf("%d stars", len(stars))
	}
	sirius := UnitVector(101.28715533, -16.71611586)
	if a := angle(stars[0].Pos, sirius); a > 2e-3 || stars[0].V != -1.44 {
		t.Errorf("Sirius is %g degrees off, V %g", a, stars[0].V)
	}
	if want, _ := color.TeffBV(0.009); stars[0].Teff != want {
		t.Errorf("Sirius has %g K, want %g", stars[0].Teff, want)
	}
}

// Magnitudes and temperatures by every route, against the relations of package color.
func TestPhotometry(t *testing.T) {
	t.Parallel()
	bv := func(x float64) float64 { v, _ := color.TeffBV(x); return v }
	bprp, _ := color.TeffBPRP(0.9)
	jks, _ := color.TeffJKs(0.4)
	tests := []struct {
		header, row string
		v, teff     float64
	}{
		{"vmag,bv", "5,0.5", 5, bv(0.5)},
		{"vmag,bmag", "5,5.5", 5, bv(0.5)},
		{"vmag", "5", 5, DefaultTeff},
		{"mag,teff,bv", "5,4321,0.5", 5, 4321},
		{"mag,teff,bv", "5,,0.5", 5, bv(0.5)},
		{"mag,teff,bv", "5,-999,99", 5, DefaultTeff},
		{"bt_mag,vt_mag", "6,5.5", 5.5 - 0.090*0.5, bv(0.850 * 0.5)},
		{"bt_mag,vt_mag", ",5.5", 5.5, DefaultTeff},
		{"bt_mag,vt_mag", "6,", 6, DefaultTeff},
		{"bt_mag,vt_mag", "6,0.000", 6, DefaultTeff},
		{"bt_mag,vt_mag,hp_mag", "0,0,7.5", 7.5, DefaultTeff},
		{"vmag,bt_mag,vt_mag", "5,6,5.5", 5, bv(0.850 * 0.5)},
		{"phot_g_mean_mag,bp_rp", "5,0.9", color.ToV("G", 5, bprp), bprp},
		{"phot_g_mean_mag,phot_bp_mean_mag,phot_rp_mean_mag", "5,5.9,5", color.ToV("G", 5, bprp), bprp},
		{"j_m,k_m", "5.4,5", color.ToV("J", 5.4, jks), jks},
		{"k_m,j-k", "5,0.4", color.ToV("Ks", 5, jks), jks},
		{"j_m,k_m,ph_qual", "5.4,5,AAU", color.ToV("J", 5.4, DefaultTeff), DefaultTeff},
	}
	for _, tt := range tests {
		path := write(t, "f.csv", []byte("ra,dec,"+tt.header+"\n1,2,"+tt.row+"\n"))
		stars, _ := mustLoad(t, path, Options{})
		if s := stars[0]; math.Abs(s.V-tt.v) > 1e-12 || math.Abs(s.Teff-tt.teff) > 1e-8 {
			t.Errorf("%s = %s: V %.15g, T %.15g; want %.15g, %.15g", tt.header, tt.row, s.V, s.Teff, tt.v, tt.teff)
		}
	}
}

// Barnard's star moves from its place at J1991.25 (Hipparcos) to that at J2000 (SIMBAD); a moved position does not depend on
// how it was given.
func TestProperMotion(t *testing.T) {
	t.Parallel()
	path := write(t, "f.csv", []byte("ra,dec,vmag,pmra,pmdec,epoch\n269.45402305,4.66828815,9.54,-797.84,10326.93,1991.25\n"))
	stars, _ := mustLoad(t, path, Options{})
	if a := angle(stars[0].Pos, UnitVector(269.45207500, 4.69339089)); a > 1e-5 {
		t.Errorf("Barnard's star is %g degrees off", a)
	}
	stars, _ = mustLoad(t, path, Options{Epoch: 1991.25})
	if stars[0].Pos != UnitVector(269.45402305, 4.66828815) {
		t.Error("a star at its own epoch has moved")
	}
	pole := Move([3]float64{0, 0, 1}, 3.6e6, 0, 1)
	if math.Abs(angle(pole, [3]float64{0, 0, 1})-1) > 1e-3 {
		t.Errorf("a degree from the pole goes to %v", pole)
	}
}

// Galactic coordinates: the centre of the system (SP-1200: row 1 of its matrix points to 266.40500, -28.93617) and its pole.
func TestGalactic(t *testing.T) {
	t.Parallel()
	path := write(t, "f.csv", []byte("glon,glat,vmag\n0,0,5\n77,90,5\n"))
	stars, _ := mustLoad(t, path, Options{})
	if a := angle(stars[0].Pos, UnitVector(266.404996, -28.936172)); a > 2e-5 {
		t.Errorf("centre %g degrees off", a)
	}
	if a := angle(stars[1].Pos, UnitVector(192.85948, 27.12825)); a > 2e-5 {
		t.Errorf("pole %g degrees off", a)
	}
}

func TestSexagesimal(t *testing.T) {
	t.Parallel()
	text := "ra\tdec\tvmag\n" +
		"06:45:08.9\t-16:42:58\t1\n06 45 08.9\t-16 42 58\t1\n06h45m08.9s\t-16d42m58s\t1\n101d17m13.5s\t-16d42m58s\t1\n101.28708333333333\t-16.71611111111111\t1\n" +
		"06:45:68.9\t-16:42:58\t1\n"
	stars, st := mustLoad(t, write(t, "f.tsv", []byte(text)), Options{})
	if len(stars) != 5 || st.Skipped["unparsable"].N != 1 {
		t.Fatalf("%d stars, skipped %v", len(stars), st.Skipped)
	}
	for i, s := range stars {
		if a := angle(s.Pos, stars[4].Pos); a > 1e-6 {
			t.Errorf("star %d is %g degrees off", i, a)
		}
	}
}

// Any compression, number of workers and size of a file gives the same stars in the same order.
func TestOrderAndCompression(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	text.WriteString("ra,dec,vmag,name\n")
	for i := range 25000 {
		fmt.Fprintf(&text, "%d.%d,%d,%d.%03d,\"a \"\"b\"\",\n%d\"\n", i%360, i, i%90, i%9, i%1000, i)
	}
	want, st := mustLoad(t, write(t, "f.csv", text.Bytes()), Options{Workers: 1})
	if len(want) != 25000 {
		t.Fatalf("%d stars, skipped %v", len(want), st.Skipped)
	}
	for name, pack := range map[string]func(io.Writer) io.WriteCloser{
		"gz":  func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"zst": func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z },
	} {
		var packed bytes.Buffer
		z := pack(&packed)
		z.Write(text.Bytes())
		z.Close()
		stars, st := mustLoad(t, write(t, "f", packed.Bytes()), Options{Workers: 3})
		if !slices.Equal(stars, want) || st.Format != "csv."+name {
			t.Errorf("%s (%s): other stars", name, st.Format)
		}
	}
}

// bzip2 has no writer in Go: the reader is checked on a file packed by bzip2(1).
func TestBzip2(t *testing.T) {
	t.Parallel()
	const path = "testdata/two.csv.bz2"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(bzip2.NewReader(bytes.NewReader(data)))
	if err != nil || !strings.HasPrefix(string(plain), "ra,dec,vmag") {
		t.Fatalf("%q, %v", plain, err)
	}
	if stars, st := mustLoad(t, path, Options{}); len(stars) != 2 || st.Format != "csv.bz2" {
		t.Errorf("%d stars, format %s", len(stars), st.Format)
	}
}

func TestHistogram(t *testing.T) {
	t.Parallel()
	h := &Histogram{}
	if !math.IsNaN(h.Quantile(0.5)) {
		t.Error("an empty histogram has a quantile")
	}
	for i := range 1000 {
		h.Add(float64(i) / 100)
	}
	for _, q := range []float64{0, 0.001, 0.5, 0.999} {
		if v := h.Quantile(q); math.Abs(v-q*10) > 0.0101 {
			t.Errorf("quantile %g is %g", q, v)
		}
	}
}
