package catalog

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"grsplat/tools/require"
)

func TestRaDecDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := map[string]string{
		"RA000/Dec-10.csv": "ra,dec,mag\n1,-10,1\n2,-10,99\n",
		"RA000/Dec+00.csv": "ra,dec,mag\n", // a tile without stars
		"RA010/Dec000.csv": "RA,DEC,VMAG,B-V\n10,0,2,0.5\n",
		"notes.txt":        "not a tile",
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stars, st := mustLoad(t, dir, Options{})
	if len(stars) != 2 || st.Rows != 3 || st.Skipped["magnitude_sentinel"].N != 1 || stars[1].V != 2 {
		t.Errorf("%v, %+v", stars, st.Skipped)
	}
	if err := os.WriteFile(filepath.Join(dir, "RA010/Dec010.csv"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := load(dir, Options{})
	checkRefusal(t, "damaged tile", filepath.Join(dir, "RA010/Dec010.csv"), err, "empty")

	// Left out on request: the first tile, which the directory is opened by, and the last.
	if err := os.WriteFile(filepath.Join(dir, "RA000/Dec+00.csv"), []byte("garbage\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stars, st = mustLoad(t, dir, Options{AllowMissing: true})
	if len(stars) != 2 || st.Rows != 3 || len(st.Missing) != 2 || st.Tiles != 4 || st.TilesRead != 2 || !strings.Contains(st.Missing[0], "RA000/Dec+00.csv: no sky positions") {
		t.Errorf("%v, %+v", stars, st)
	}
}

// A HATS directory of someone else's: tiles at two orders, one of them a folder of parts.
func TestHATSDirectory(t *testing.T) {
	t.Parallel()
	foreign, err := os.ReadFile("parquet/testdata/foreign.parquet")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"dataset/Norder=1/Dir=0/Npix=10.parquet", "dataset/Norder=0/Dir=0/Npix=2.parquet", "dataset/Norder=1/Dir=0/Npix=9/part0.parquet"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, foreign, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tiles, err := findTiles(dir)
	if err != nil || !slices.EqualFunc(tiles, [][2]int{{0, 2}, {1, 9}, {1, 10}}, func(a tile, b [2]int) bool { return a.order == b[0] && a.pixel == b[1] }) {
		t.Errorf("tiles %v, %v", tiles, err)
	}
	_, st := mustLoad(t, dir, Options{})
	if st.Rows != 15000 || st.Band != "G" || st.Skipped["magnitude_missing"].N != 1500 {
		t.Errorf("%+v", st)
	}
}

// All of Tycho-2: every row is accounted for, and known stars are where they are (SIMBAD, J2000).
func TestTycho(t *testing.T) {
	t.Parallel()
	stars, st := mustLoad(t, require.Data(t, "tycho2.csv.gz"), Options{})
	if st.Rows != 2557501 || st.Stars != 2557501 {
		t.Errorf("%d rows, %d stars", st.Rows, st.Stars)
	}
	for _, known := range []struct {
		name       string
		ra, dec, v float64
	}{
		{"Sirius", 101.28715533, -16.71611586, -1.09}, // Hp
		{"Vega", 279.23473479, 38.78368896, 0.09},     // Hp
		{"Barnard", 269.45207500, 4.69339089, 9.6},
	} {
		pos, found := UnitVector(known.ra, known.dec), false
		for _, s := range stars {
			if math.Abs(s.V-known.v) < 0.1 && s.Pos[0]*pos[0]+s.Pos[1]*pos[1]+s.Pos[2]*pos[2] > math.Cos(2e-3*math.Pi/180) {
				found = true
			}
		}
		if !found {
			t.Errorf("no %s", known.name)
		}
	}
}

// The raw records of Tycho-2 give as many stars, each within the rounding of the CSV's coordinates.
func TestTychoRaw(t *testing.T) {
	t.Parallel()
	const records = "../../data/raw" // made by `./build.sh data`, and by test-long
	_, err := os.Stat(filepath.Join(records, "suppl_1.dat"))
	require.Tool(t, "tycho2-records", err)
	csv, _ := mustLoad(t, require.Data(t, "tycho2.csv.gz"), Options{})
	raw, st := mustLoad(t, filepath.Join(records, "tyc2.dat"), Options{})
	more, st2 := mustLoad(t, filepath.Join(records, "suppl_1.dat"), Options{})
	if st.Rows+st2.Rows != int64(len(csv)) {
		t.Fatalf("%d and %d rows of records, %d of CSV", st.Rows, st2.Rows, len(csv))
	}
	for i, s := range append(raw, more...) {
		if s.V != csv[i].V || s.Teff != csv[i].Teff || angle(s.Pos, csv[i].Pos) > 3e-6 {
			t.Fatalf("star %d: %+v, in the CSV %+v", i, s, csv[i])
		}
	}
}
