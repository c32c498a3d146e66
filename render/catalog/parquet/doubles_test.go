package parquet

import (
	"bytes"
	"testing"

	"grsplat/render/fail"
)

// What Write writes, ReadDoubles reads back to the bit, over more than one page.
func TestDoubles(t *testing.T) {
	t.Parallel()
	rows := make([]MovingRow, 3500)
	for i := range rows {
		rows[i].Healpix, rows[i].RA, rows[i].PMDec = int64(i), float64(i)/7, -float64(i)
	}
	var out bytes.Buffer
	if err := write(&out, rows, 1000); err != nil {
		t.Fatal(err)
	}
	file := bytes.NewReader(out.Bytes())
	var sum [2]int
	n, err := ReadDoubles(file, file.Size(), []string{"ra", "pmdec"}, func(column int, row int64, values []float64) error {
		for i, v := range values {
			r := &rows[row+int64(i)]
			if v == [2]float64{r.RA, r.PMDec}[column] {
				sum[column]++
			}
		}
		return nil
	})
	if err != nil || n != int64(len(rows)) || sum != [2]int{len(rows), len(rows)} {
		t.Errorf("%d rows, right %v, %v", n, sum, err)
	}
	for _, name := range []string{"_healpix_29", "none"} {
		if _, err := ReadDoubles(file, file.Size(), []string{name}, nil); fail.Status(err) != fail.StatusInput {
			t.Errorf("column %s: %v", name, err)
		}
	}
}
