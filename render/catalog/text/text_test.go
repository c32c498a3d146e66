package text

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"grsplat/render/catalog/table"
	"grsplat/render/catalog/table/tabletest"
)

func FuzzText(f *testing.F) {
	for _, pattern := range []string{"*.tbl", "*.dat", "*.cat", "*.ecsv", "README"} {
		tabletest.Seed(f, "../../../testdata/odd", pattern)
	}
	f.Add([]byte("ra,dec,mag\n1,2,3\n\"1\n\",\"2\"\"\",\n"))
	f.Add([]byte("\xef\xbb\xbfa\tb\ndeg\tmag\n---\t---\n1\t2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := Open(bufio.NewReader(bytes.NewReader(data))); err == nil {
			tabletest.Drain(t, r)
		}
	})
}

// read returns the text cells of every row; nil for a faulty one.
func read(t *testing.T, content string) (columns []table.Column, rows [][]string) {
	t.Helper()
	r, err := Open(bufio.NewReader(strings.NewReader(content)))
	if err != nil {
		t.Fatal(err)
	}
	columns = r.Info().Columns
	var want []table.Want
	for i := range columns {
		want = append(want, table.Want{Column: i, Kind: table.Text})
	}
	var raw table.Raw
	var b table.Block
	if err := r.Next(&raw); err != nil {
		t.Fatal(err)
	}
	if err := r.Decode(&raw, want, &b); err != nil {
		t.Fatal(err)
	}
	for i := range b.Rows {
		var row []string
		if b.Fault[i] == table.OK {
			for k := range want {
				row = append(row, string(b.Text[k][i]))
			}
		}
		rows = append(rows, row)
	}
	return columns, rows
}

func TestHeadersAndCells(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, content, columns, rows string }{
		{"csv", "a,\"b, c\",d\n1,\"x \"\"y\"\"\n,z\",3\n", "a|b, c|d", "1|x \"y\"\n,z|3"},
		{"empty last cell", "a,b,c\n1,2,\n1,2\n1,2,3,\n1,2,3,4\n", "a|b|c", "1|2|;;1|2|3;"},
		{"semicolons", "a;b\n1;2\n", "a|b", "1|2"},
		{"vizier tsv", "#\n# preamble\na\tb\ndeg\tmag\n---\t---\n1\t2\n", "a|b", "1|2"},
		{"psql", " a | b\n---+---\n 1 | 2\n", "a|b", " 1 | 2"},
		{"blanks", "a  b c\n  1 \"x y\"\t3\n1 2\n", "a|b|c", "1|x y|3;"},
		{"topcat ascii", "# a b\n1 2\n", "a|b", "1|2"},
		{"no end of line", "a,b\n1,2", "a|b", "1|2"},
		{"ecsv", "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: a, unit: deg, datatype: float64}\n# - {name: b, datatype: string}\n# schema: astropy-2.0\na b\n1 \"\"\n", "a|b", "1|"},
		{"ipac", "\\k = 1\n|  a |---b--|\n| int|real  |\n|    | mag  |\n|    |null  |\n  1    null \n 1234   7\n", "a|b", "1|;1234|7"},
	}
	for _, tt := range tests {
		columns, rows := read(t, tt.content)
		var names, lines []string
		for _, c := range columns {
			names = append(names, c.Name)
		}
		for _, row := range rows {
			lines = append(lines, strings.Join(row, "|"))
		}
		if got := strings.Join(names, "|"); got != tt.columns {
			t.Errorf("%s: columns %q, want %q", tt.name, got, tt.columns)
		}
		if got := strings.Join(lines, ";"); got != tt.rows {
			t.Errorf("%s: rows %q, want %q", tt.name, got, tt.rows)
		}
	}
}

// ECSV's YAML gives UCDs in both of astropy's layouts.
func TestECSVMetadata(t *testing.T) {
	t.Parallel()
	columns, _ := read(t, "# %ECSV 0.9\n# ---\n# delimiter: ','\n# datatype:\n# - name: x\n#   unit: deg\n#   datatype: float64\n#   meta: !!omap\n#   - {ucd: POS_EQ_RA_MAIN}\n# -\n#   name: y\n#   datatype: string\n#   meta:\n#     ucd: pos.eq.dec;meta.main\nx,y\n1,2\n")
	want := []table.Column{{Name: "x", Unit: "deg", UCD: "POS_EQ_RA_MAIN"}, {Name: "y", UCD: "pos.eq.dec;meta.main", Text: true}}
	for i := range want {
		if columns[i] != want[i] {
			t.Errorf("column %d: %+v, want %+v", i, columns[i], want[i])
		}
	}
}
