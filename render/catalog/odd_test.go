package catalog

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"grsplat/render/fail"
	"grsplat/tools/require"
)

const oddDir = "../../testdata/odd"

// oddFiles says what becomes of each file met in the wild: rows and stars, or the words of the refusal. Columns makes a file
// without a known magnitude readable, so that its rows are counted too.
var oddFiles = []struct {
	name        string
	columns     string
	rows, stars int64
	refused     string
}{
	{"README", "", 0, 0, "no sky positions"},
	{"LICENSES.txt", "", 0, 0, "no sky positions"},
	{"fits_ascii_table.fits", "", 0, 0, "no sky positions"},
	{"fits_ascii_table.fits", "ra=a,dec=b,mag=a", 5, 3, ""}, // b is a number between null and 345,
	{"fits_tb.fits", "", 0, 0, "no sky positions"},
	{"fits_tb.fits", "ra=c1,dec=c4,mag=c3", 2, 2, ""},
	{"fits_variable_length.fits", "", 0, 0, "no sky positions"},
	{"fits_zerowidth.fits", "", 0, 0, "no sky positions"},
	{"gaia_1710099405832VAL-result.vot", "", 2, 2, ""},
	{"gaia_dr2_ngc188_4876.fits", "", 4876, 4876, ""},
	{"gaia_dr3_nan_vs_empty.ecsv", "", 5, 5, ""},
	{"ipac_2mass_without_radec.tbl", "", 2412, 1532, ""}, // sexagesimal clon and clat; 880 rows whose J is an upper limit
	{"ipac_no_data.tbl", "", 0, 0, "no magnitude column"},
	{"ipac_no_data.tbl", "mag=v2", 0, 0, "a header and no rows"},
	{"ipac_small.tbl", "", 0, 0, "no magnitude column"},
	{"ipac_small.tbl", "mag=v2", 2, 0, "no usable star in 2 rows"},
	{"irsa-nph-error.xml", "", 0, 0, "error document of the server"},
	{"irsa-nph-m31.xml", "", 18, 10, ""},
	{"irsa-nph-m31.xml", "mag=j_m", 18, 10, ""},
	{"irsa_2mass_cone_1row.vot.xml", "", 1, 1, ""},
	{"mirage_TwoMass_test.cat", "", 94, 94, ""},
	{"suppl_1_sample.dat", "", 14, 14, ""},
	{"tyc2_sample.dat", "", 21, 21, ""},
	{"tycho2-mag6.fits", "", 4683, 4683, ""},
	{"usno-a2_3rows.fits", "", 0, 0, "no magnitude column of a known band"},
	{"usno-a2_3rows.fits", "mag=Bmag", 3, 2, ""}, // 99.9,
	{"vizier_binary2.xml", "", 0, 0, "no magnitude column of a known band"},
	{"vizier_binary2.xml", "mag=MajDiam", 20, 8, ""}, // twelve diameters above 40
	{"vizier_kang2010_nulls.xml", "", 50, 13, ""},    // galactic coordinates; 37 rows without J
	{"vizier_no_server_error.xml", "", 0, 0, "error document of the server"},
	{"vizier_table1.ReadMe", "", 0, 0, "description of fixed columns"},
	{"vizier_table1.dat", "", 0, 0, "no header line"},
	{"votable_empty_table.xml", "", 0, 0, "no sky positions"},
	{"votable_no_field_not_empty.xml", "", 0, 0, "no sky positions"},
	{"votable_too_many_columns.xml.gz", "", 0, 0, "no magnitude column of a known band"}, // an exposure list
	{"votable_too_many_columns.xml.gz", "mag=level", 1, 1, ""},
}

func TestOdd(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, tt := range oddFiles {
		seen[tt.name] = true
		t.Run(tt.name+" "+tt.columns, func(t *testing.T) {
			t.Parallel()
			columns, err := ParseColumns(tt.columns)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(oddDir, tt.name)
			_, st, err := load(path, Options{Columns: columns})
			switch {
			case tt.refused != "":
				checkRefusal(t, tt.name, path, err, tt.refused)
			case err != nil:
				t.Error(err)
			}
			if st.Rows != tt.rows || st.Stars != tt.stars || st.Rows != st.Stars+st.SkippedTotal() {
				t.Errorf("%d rows, %d stars, skipped %v; want %d, %d", st.Rows, st.Stars, st.Skipped, tt.rows, tt.stars)
			}
		})
	}
	entries, err := os.ReadDir(oddDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !seen[e.Name()] {
			t.Errorf("%s stands in no row of the table", e.Name())
		}
	}
}

// The row counts agree with those of astropy, wherever it reads a file.
func TestOddAgainstAstropy(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("/usr/bin/python3", "testdata/rows.py", oddDir).Output()
	require.Tool(t, "astropy", err)
	counts := map[string]int64{}
	if err := json.Unmarshal(out, &counts); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, tt := range oddFiles {
		if want, ok := counts[tt.name]; ok && (tt.refused == "" || tt.rows > 0) {
			compared++
			if tt.rows != want {
				t.Errorf("%s: %d rows, astropy reads %d", tt.name, tt.rows, want)
			}
		}
	}
	if compared < 14 {
		t.Errorf("astropy read only %d of the files", compared)
	}
}

// No file of the set takes more than ten times its size and a constant for buffers.
func TestOddMemory(t *testing.T) {
	const buffers = 40 << 20 // three pieces with their blocks and stars, the peeked head, the XML decoder
	for _, tt := range oddFiles {
		columns, err := ParseColumns(tt.columns)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(oddDir, tt.name)
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, _, err := load(path, Options{Columns: columns, Workers: 1}); err != nil && fail.Status(err) != fail.StatusInput {
			t.Error(err)
		}
		runtime.ReadMemStats(&after)
		if used := int64(after.TotalAlloc - before.TotalAlloc); used > 10*st.Size()+buffers {
			t.Errorf("%s (%d bytes): %d bytes allocated", tt.name, st.Size(), used)
		}
	}
}
