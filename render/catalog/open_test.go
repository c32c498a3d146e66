package catalog

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"grsplat/render/fail"
)

// write puts a file into a fresh folder and returns its path.
func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// load reads a catalogue whole.
func load(path string, opt Options) (stars []Star, st Stats, err error) {
	src, err := Open(path, opt)
	if err != nil {
		return nil, st, err
	}
	err = src.Read(context.Background(), func(batch []Star) error {
		stars = append(stars, batch...)
		return nil
	})
	return stars, src.Stats(), err
}

func mustLoad(t *testing.T, path string, opt Options) ([]Star, Stats) {
	t.Helper()
	stars, st, err := load(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	if st.Rows != st.Stars+st.SkippedTotal() || st.Stars != int64(len(stars)) || st.Magnitudes.Total != st.Stars {
		t.Fatalf("%s: %d rows, %d stars, %d skipped, %d read, %d in the histogram", path, st.Rows, st.Stars, st.SkippedTotal(), len(stars), st.Magnitudes.Total)
	}
	return stars, st
}

// Every kind of bad row of the issue, each with its reason and line.
func TestBadRows(t *testing.T) {
	t.Parallel()
	rows := []struct{ row, reason string }{
		{"10,20,5.5", ""},
		{"-350,20,5.5", ""}, // RA is taken mod 360
		{"730,90,5.5", ""},
		{"10,20,NaN", "magnitude_missing"},
		{"10,20,inf", "magnitude_sentinel"},
		{"10,20,", "magnitude_missing"},
		{"10,20,null", "magnitude_missing"},
		{`10,20,\N`, "magnitude_missing"},
		{"10,20,99", "magnitude_sentinel"},
		{"10,20,-99.99", "magnitude_sentinel"},
		{"10,20,1e308", "magnitude_sentinel"},
		{"10,20,1e999", "magnitude_sentinel"},
		{"10,90.0001,5", "position_off_sphere"},
		{"10,-91,5", "position_off_sphere"},
		{"inf,20,5", "position_off_sphere"},
		{",20,5", "position_missing"},
		{"10,nan,5", "position_missing"},
		{"10,20,bright", "unparsable"},
		{"10,2o,5", "unparsable"},
		{"0x10,20,5", "unparsable"},
		{"10,20", "too_few_fields"},
		{"10", "too_few_fields"},
		{"10,20,5,6,7", "too_many_fields"},
		{"10,20,6,", ""}, // a trailing delimiter
		{`"10","20","6.5"`, ""},
		{" 10 , 20 , +6.5e0 ", ""},
	}
	want := map[string]Skip{}
	text := "ra,dec,vmag\r\n\n# a comment\n" // data begin in line 4
	stars := 0
	for i, r := range rows {
		text += r.row + "\n"
		if r.reason == "" {
			stars++
			continue
		}
		k := want[r.reason]
		if k.N == 0 {
			k.FirstLine = int64(i + 4)
		}
		k.N++
		want[r.reason] = k
	}
	_, st := mustLoad(t, write(t, "bad.csv", []byte(text)), Options{})
	if st.Rows != int64(len(rows)) || st.Stars != int64(stars) || !maps.Equal(st.Skipped, want) {
		t.Errorf("rows %d, stars %d, skipped %v; want %d, %d, %v", st.Rows, st.Stars, st.Skipped, len(rows), stars, want)
	}
}

// What cannot be read is refused in one line that says what it is, with status 3.
func TestBadInput(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprintln(z, "ra,dec,mag")
	for i := range 20000 {
		fmt.Fprintf(z, "%d,%d,%d.%03d\n", i%360, i%90, i%9, i%997)
	}
	z.Close()
	gz := append([]byte(nil), packed.Bytes()...)
	tests := []struct {
		name string
		data string
		want string
	}{
		{"empty", "", "the file is empty"},
		{"blank", " \n\n", "only blanks"},
		{"binary", "\x00\x01\x02\x03binary", "a binary file"},
		{"header only", "ra,dec,mag\n", "a header and no rows"},
		{"no dec", "ra,mag\n1,2\n", "no declination column"},
		{"no ra", "dec,mag\n1,2\n", "no right ascension column"},
		{"no position", "a,b\n1,2\n", "no sky positions"},
		{"no magnitude", "ra,dec,x\n1,2,3\n", "no magnitude column"},
		{"duplicate", "ra,dec,mag,mag\n1,2,3,4\n", `column "mag" appears 2 times`},
		{"no header", "1.5,2.5,3.5\n1,2,3\n", "no header line"},
		{"carriage returns", "ra,dec,mag\r1,2,3\r", "carriage return"},
		{"comments only", "# ra dec\n# mag\n", "no header line"},
		{"long line", "ra,dec,mag\n1,2,3\n" + strings.Repeat("x", 3<<20) + "\n", "line 3: longer than 1 MiB"},
		{"long header", strings.Repeat("x", 3<<20) + "\n", "longer than 1 MiB"},
		{"open quote", "ra,dec,mag,n\n1,2,3,\"x\n" + strings.Repeat("1,2,3,4\n", 1<<17+1<<16), "line 2: longer than 1 MiB (a quote"},
		{"no star", "ra,dec,mag\n1,2,99\n1,95,3\n", "no usable star in 2 rows"},
		{"truncated gz", string(gz[:len(gz)/2]), "truncated gz"},
		{"gz of nothing", string(gz[:5]), "gzip"},
		{"tar", strings.Repeat("\x00", 257) + "ustar", "tar archive"},
		{"zip", "PK\x03\x04 ", "zip archive"},
		{"html", "<!DOCTYPE html><html></html>", "HTML page"},
		{"xml", "<?xml version='1.0'?><svg/>", "not a VOTable"},
		{"png", "\x89PNG\r\n", "PNG image"},
		{"json", "{}", "JSON"},
	}
	for _, tt := range tests {
		path := write(t, "f", []byte(tt.data))
		_, _, err := load(path, Options{})
		checkRefusal(t, tt.name, path, err, tt.want)
	}
	dir := t.TempDir()
	_, _, err := load(dir, Options{})
	checkRefusal(t, "directory", dir, err, "a directory without")
	_, _, err = load(filepath.Join(dir, "none"), Options{})
	checkRefusal(t, "no file", "none", err, "no such file")
}

func checkRefusal(t *testing.T, name, path string, err error, want string) {
	t.Helper()
	if err == nil || fail.Status(err) != fail.StatusInput || !strings.Contains(err.Error(), want) ||
		!strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 500 {
		t.Errorf("%s: status %d, error %q; want status 3 and %q", name, fail.Status(err), err, want)
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	path := write(t, "f.csv", []byte("RA,Dec,other,phot_g_mean_mag,b-v\n10,20,3,4,0.5\n"))
	for _, tt := range []struct {
		columns, band string
		wantBand      string
		wantMag       string
	}{
		{"", "", "G", "phot_g_mean_mag"},
		{"mag=other", "", "V", "other"},
		{"mag=OTHER", "J", "J", "other"},
		{"mag=phot_g_mean_mag", "", "G", "phot_g_mean_mag"},
		{"vmag=other", "", "V", "other"},
	} {
		columns, err := ParseColumns(tt.columns)
		if err != nil {
			t.Fatal(err)
		}
		_, st := mustLoad(t, path, Options{Columns: columns, Band: tt.band})
		if st.Band != tt.wantBand || !slices.Contains(slices.Collect(maps.Values(st.Columns)), tt.wantMag) {
			t.Errorf("%+v: band %s, columns %v", tt, st.Band, st.Columns)
		}
	}
	for _, bad := range []string{"mag", "=x", "colour=x", "ra=a,ra=b"} {
		if _, err := ParseColumns(bad); fail.Status(err) != fail.StatusUsage {
			t.Errorf("%q: %v", bad, err)
		}
	}
	_, _, err := load(path, Options{Columns: map[string]string{"ra": "alpha"}})
	checkRefusal(t, "column that is not there", path, err, `no column "alpha"`)
	if _, err := Open(path, Options{Band: "Q"}); fail.Status(err) != fail.StatusUsage {
		t.Errorf("band Q: %v", err)
	}
}

// An error of the callee comes back as it is, and a cancelled context as itself.
func TestReadStops(t *testing.T) {
	t.Parallel()
	src := Embedded(Options{Workers: 3})
	mine := fmt.Errorf("mine")
	if err := src.Read(context.Background(), func([]Star) error { return mine }); err != mine {
		t.Errorf("callee's error: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := src.Read(ctx, func([]Star) error { return nil }); fail.Status(err) != fail.StatusInterrupt {
		t.Errorf("cancelled: %v", err)
	}
}
