package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"grsplat/render/catalog/table"
	"grsplat/render/catalog/table/tabletest"
	"grsplat/render/fail"
)

func FuzzParquet(f *testing.F) {
	f.Add(small(f, pq.Compression(&pq.Snappy)))
	f.Add(small(f, pq.Compression(&pq.Zstd), pq.DataPageVersion(1)))
	f.Add([]byte("PAR1\x15\x02\x05\x00\x00\x00PAR1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := open(bytes.NewReader(data), int64(len(data))); err == nil {
			tabletest.Drain(t, r)
		}
	})
}

type row struct {
	RA   float64  `parquet:"ra"`
	Dec  float32  `parquet:"dec"`
	Mag  *float64 `parquet:"mag,optional"`
	Name string   `parquet:"name,dict"`
}

func small(t testing.TB, options ...pq.WriterOption) []byte {
	var out bytes.Buffer
	w := pq.NewGenericWriter[row](&out, options...)
	for i := range 40 {
		r := row{RA: float64(i), Dec: float32(i) / 2, Name: fmt.Sprint("n", i%3)}
		if i%4 != 0 {
			r.Mag = &r.RA
		}
		if _, err := w.Write([]row{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A file of pyarrow's: several row groups of many pages, nulls, dictionaries, narrow types and columns that are no scalars.
func TestForeign(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/foreign.parquet")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := OpenFile(f)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, c := range r.Info().Columns {
		at[c.Name] = i
	}
	if len(at) != 9 || at["s.x"] == 0 { // without list and price
		t.Fatalf("columns %v", at)
	}
	want := []table.Want{{Column: at["dec"]}, {Column: at["phot_g_mean_mag"]}, {Column: at["teff"]}, {Column: at["ph_qual"], Kind: table.Text},
		{Column: at["flag"]}, {Column: at["s.x"]}, {Column: at["s.y"]}}
	r.Select(want)
	var raw table.Raw
	var b table.Block
	n := 0
	for {
		err := r.Next(&raw)
		if errors.Is(err, io.EOF) {
			break
		}
		if err = errors.Join(err, r.Decode(&raw, want, &b)); err != nil {
			t.Fatal(err)
		}
		for i := range b.Rows {
			mag, qual := float64(n%15), []string{"AAA", "UUU"}[n%2]
			if n%10 == 0 {
				mag = math.NaN()
			}
			if n%7 == 0 {
				qual = ""
			}
			if b.Line[i] != int64(n+1) || b.Num[0][i] != float64(float64(n)*0.03)-75 || math.Float64bits(b.Num[1][i]) != math.Float64bits(mag) ||
				b.Num[2][i] != float64(5000+n%3) || string(b.Text[3][i]) != qual || b.Num[4][i] != float64(n%2) || b.Num[5][i] != float64(n) || !math.IsNaN(b.Num[6][i]) {
				t.Fatalf("row %d: %v %v %v %q %v %v", n, b.Num[0][i], b.Num[1][i], b.Num[2][i], b.Text[3][i], b.Num[4][i], b.Num[5][i])
			}
			n++
		}
	}
	if n != 5000 {
		t.Errorf("%d rows", n)
	}
}

// Every truncation and every flipped byte of the footer and the page headers ends in an error of status 3 or in a table, never in a panic.
func TestDamage(t *testing.T) {
	t.Parallel()
	file := small(t, pq.Compression(&pq.Uncompressed))
	read := func(data []byte) error {
		r, err := open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return err
		}
		tabletest.Drain(t, r)
		return nil
	}
	for n := range len(file) {
		if err := read(file[:n]); fail.Status(err) != fail.StatusInput {
			t.Fatalf("cut to %d of %d: %v", n, len(file), err)
		}
		for _, flip := range []byte{1, 0x80, 0xff} {
			damaged := bytes.Clone(file)
			damaged[n] ^= flip
			if err := read(damaged); err != nil && fail.Status(err) != fail.StatusInput {
				t.Fatalf("byte %d ^ %#x: %v", n, flip, err)
			}
		}
	}
}
