package fits

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"grsplat/render/catalog/table"
	"grsplat/render/catalog/table/tabletest"
	"grsplat/render/fail"
)

func takeAll(*table.Info) error { return nil }

func FuzzFITS(f *testing.F) {
	tabletest.Seed(f, "../../../testdata/odd", "*.fits")
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := Open(bufio.NewReader(bytes.NewReader(data)), takeAll); err == nil {
			tabletest.Drain(t, r)
		}
	})
}

// makeFile is a primary HDU without data and a table with the given cards and data.
func makeFile(data []byte, cards ...string) []byte {
	var out bytes.Buffer
	for _, header := range [][]string{{"SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0"}, cards} {
		n := out.Len()
		for _, card := range append(header, "END") {
			fmt.Fprintf(&out, "%-80s", card)
		}
		for (out.Len()-n)%block != 0 {
			out.WriteByte(' ')
		}
	}
	out.Write(data)
	for out.Len()%block != 0 {
		out.WriteByte(0)
	}
	return out.Bytes()
}

var binaryCards = []string{"XTENSION= 'BINTABLE'", "BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 9", "NAXIS2  = 2", "PCOUNT  = 0", "GCOUNT  = 1", "TFIELDS = 5",
	"TFORM1  = 'I'", "TNULL1  = -1", "TFORM2  = '1I'", "TSCAL2  = 0.5D0 / half", "TZERO2  = 3", "TTYPE2  = 'it''s'", "TFORM3  = '2A'", "TFORM4  = '0D'", "TFORM5  = '3B'"}

func TestBinaryTable(t *testing.T) {
	t.Parallel()
	file := makeFile([]byte{255, 255, 0, 4, 'x', ' ', 1, 2, 3, 0, 7, 255, 254, 'y', 'z', 4, 5, 6}, binaryCards...)
	r, err := Open(bufio.NewReader(bytes.NewReader(file)), takeAll)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Info().Columns); n != 3 || r.Info().Columns[1].Name != "it's" || !r.Info().Columns[2].Text {
		t.Fatalf("columns %+v", r.Info().Columns)
	}
	var raw table.Raw
	var b table.Block
	want := []table.Want{{Column: 0, Kind: table.Number}, {Column: 1, Kind: table.Number}, {Column: 2, Kind: table.Text}}
	if err := errors.Join(r.Next(&raw), r.Decode(&raw, want, &b)); err != nil {
		t.Fatal(err)
	}
	if b.Rows != 2 || !math.IsNaN(b.Num[0][0]) || b.Num[0][1] != 7 || b.Num[1][0] != 5 || b.Num[1][1] != 2 || string(b.Text[2][0]) != "x" {
		t.Errorf("%+v", b)
	}
	if err := r.Next(&raw); !errors.Is(err, io.EOF) {
		t.Errorf("after the last row: %v", err)
	}
}

// Sizes that lie are refused without the memory that they ask for.
func TestLies(t *testing.T) {
	t.Parallel()
	replace := func(card, by string) []byte {
		cards := append([]string(nil), binaryCards...)
		for i := range cards {
			if strings.HasPrefix(cards[i], card) {
				cards[i] = by
			}
		}
		return makeFile(make([]byte, 18), cards...)
	}
	tests := []struct {
		file []byte
		want string
	}{
		{replace("NAXIS2", "NAXIS2  = 9000000000"), "truncated: the data end in row"},
		{replace("NAXIS1", "NAXIS1  = 900000000"), "rows of 900000000 bytes"},
		{replace("NAXIS1", "NAXIS1  = 5"), "does not fit"},
		{replace("NAXIS2", "NAXIS2  = 9223372036854775807"), "impossible data size"},
		{replace("TFIELDS", "TFIELDS = 2000"), "TFIELDS"},
		{replace("TFORM1", "TFORM1  = '99999999999J'"), "TFORM1"},
		{replace("TFORM1", "TFORM1  = 'Z'"), "TFORM1"},
		{replace("TSCAL2", "TSCAL2  = 'x'"), "TSCAL2"},
		{makeFile(nil, "XTENSION= 'IMAGE'", "BITPIX  = 8", "NAXIS   = 0"), "without a table"},
		{makeFile(nil)[:block], "without a table"},
	}
	for _, tt := range tests {
		r, err := Open(bufio.NewReader(bytes.NewReader(tt.file)), takeAll)
		if err == nil {
			var raw table.Raw
			err = r.Next(&raw)
		}
		if fail.Status(err) != fail.StatusInput || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v; want %q", err, tt.want)
		}
	}
}
