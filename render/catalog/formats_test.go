package catalog

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"grsplat/render/color"
	"grsplat/render/fail"
)

// FuzzOpen sends anything through sniffing, reading and conversion: every row is accounted for and every star is usable.
func FuzzOpen(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join(oddDir, "*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 16<<10 {
			f.Add(data)
		}
	}
	f.Add([]byte("ra,dec,jmag,ksmag,pmra,pmdec,epoch\n1,2,3,4,5,6,1990\n-1e300,-90,40,-40,1e300,1,1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		src := memoryFile("fuzz", data, Options{Workers: 1})
		if err := src.prepare(false); err != nil {
			if fail.Status(err) != fail.StatusInput || strings.Contains(err.Error(), "\n") {
				t.Fatalf("status %d: %q", fail.Status(err), err)
			}
			return
		}
		err := src.Read(context.Background(), func(batch []Star) error {
			for _, s := range batch {
				n := s.Pos[0]*s.Pos[0] + s.Pos[1]*s.Pos[1] + s.Pos[2]*s.Pos[2]
				if !(math.Abs(n-1) < 1e-9) || !finite(s.V) || !(s.Teff > 0) || !finite(s.Teff) {
					t.Fatalf("star %+v", s)
				}
			}
			return nil
		})
		if err != nil && fail.Status(err) != fail.StatusInput {
			t.Fatal(err)
		}
		if st := src.Stats(); st.Rows != st.Stars+st.SkippedTotal() {
			t.Fatalf("%d rows, %d stars, %d skipped", st.Rows, st.Stars, st.SkippedTotal())
		}
	})
}

// Records of the 2MASS point source catalogue as it is distributed: 60 fields between bars, no header, \N for null.
func TestTwoMassRecords(t *testing.T) {
	t.Parallel()
	record := func(j, k, quality, use string) string {
		fields := slices.Repeat([]string{`\N`}, 60)
		fields[0], fields[1], fields[6], fields[14], fields[18], fields[49] = "10.5", "41.25", j, k, quality, use
		return strings.Join(fields, "|") + "\n"
	}
	text := record("12.5", "12.1", "AAA", "1") + record("12.5", `\N`, "AAU", "1") + record("12.5", "12.1", "UAA", "1") + record("12.5", "12.1", "AAA", "0") + record(`\N`, "12.1", "AAA", "1")
	stars, st := mustLoad(t, write(t, "psc", []byte(text)), Options{})
	teff, _ := color.TeffJKs(12.5 - 12.1)
	if st.Format != "2mass-psc" || len(stars) != 2 || stars[0].V != color.ToV("J", 12.5, teff) || stars[1].Teff != DefaultTeff {
		t.Errorf("%+v, %+v", stars, st)
	}
	for reason, line := range map[string]int64{"upper_limit": 3, "not_point_source": 4, "magnitude_missing": 5} {
		if k := st.Skipped[reason]; k.N != 1 || k.FirstLine != line {
			t.Errorf("%s: %+v, want line %d", reason, k, line)
		}
	}
}

// Tycho-2's own records: the observed place stands in where the mean one is blank, and a supplement's star moves from J1991.25.
func TestTychoRecords(t *testing.T) {
	t.Parallel()
	stars, _ := mustLoad(t, filepath.Join(oddDir, "tyc2_sample.dat"), Options{})
	if stars[0].Pos != UnitVector(2.31750494, 2.23184345) || stars[5].Pos != UnitVector(1.80874194, 2.31573611) {
		t.Error("mean or observed place is off")
	}
	if v := 8.670 - 0.090*(10.488-8.670); math.Abs(stars[1].V-v) > 1e-12 {
		t.Errorf("V %g, want %g", stars[1].V, v)
	}
	stars, _ = mustLoad(t, filepath.Join(oddDir, "suppl_1_sample.dat"), Options{})
	dec := 0.31948829 - 9.1*8.75/3.6e6
	if a := angle(stars[2].Pos, UnitVector(4.36837051-32.1*8.75/3.6e6/math.Cos(dec*math.Pi/180), dec)); a > 2e-6 || stars[2].V != 10.279 {
		t.Errorf("0002 01127 2 is %g degrees off, V %g", a, stars[2].V)
	}
}

// Missing magnitudes of 0.0 in Tycho's columns do not shine like Vega.
func TestZeroMagnitudes(t *testing.T) {
	t.Parallel()
	stars, _ := mustLoad(t, filepath.Join(oddDir, "tycho2-mag6.fits"), Options{})
	for i, s := range stars {
		if s.V == 0 {
			t.Fatalf("star %d has V = 0", i)
		}
	}
}

func TestArchive(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: "a.csv", Mode: 0o600, Size: 3, Format: tar.FormatUSTAR}); err != nil {
		t.Fatal(err)
	}
	w.Write([]byte("a,b"))
	w.Close()
	z.Close()
	path := write(t, "a.tar.gz", packed.Bytes())
	_, _, err := load(path, Options{})
	checkRefusal(t, "tar.gz", path, err, "a tar archive")
}
