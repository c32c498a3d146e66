package parquet

import (
	"errors"
	"fmt"
	"io"
	"slices"

	pq "github.com/parquet-go/parquet-go"

	"grsplat/render/fail"
)

// ReadDoubles reads whole columns of plain doubles without nulls, page by page and without copying a value: the fast way
// into the files of a store. fn receives runs of each column in turn, with the index of the name and the row of the first
// value; it must not keep values. The result is the number of rows. Pages carry CRC-32 sums, which the library checks.
func ReadDoubles(r io.ReaderAt, size int64, names []string, fn func(column int, row int64, values []float64) error) (rows int64, err error) {
	defer guard(&err)
	rd, err := open(r, size)
	if err != nil {
		return 0, err
	}
	leaves := make([]int, len(names))
	for k, name := range names {
		leaf, ok := rd.file.Schema().Lookup(name)
		if !ok || leaf.MaxDefinitionLevel > 0 || leaf.MaxRepetitionLevel > 0 || leaf.Node.Type().Kind() != pq.Double {
			return 0, fail.Input("parquet: no column of plain doubles %q", name)
		}
		leaves[k] = leaf.ColumnIndex
	}
	for g, group := range rd.file.RowGroups() {
		meta := &rd.file.Metadata().RowGroups[g]
		for k, leaf := range leaves {
			if err := rd.checkChunk(&meta.Columns[leaf].MetaData, meta.NumRows); err != nil {
				return 0, err
			}
			n, err := readChunk(group.ColumnChunks()[leaf], func(at int64, values []float64) error { return fn(k, rows+at, values) })
			if err == nil && n != meta.NumRows {
				err = fail.Input("%d values for %d rows", n, meta.NumRows)
			}
			if err != nil {
				return 0, fail.Input("parquet: column %s: %w", names[k], ended(err))
			}
		}
		rows += meta.NumRows
	}
	return rows, nil
}

// readChunk hands the pages of one column chunk to fn.
func readChunk(chunk pq.ColumnChunk, fn func(at int64, values []float64) error) (n int64, err error) {
	pages := chunk.Pages()
	defer pages.Close()
	for n < chunk.NumValues() {
		page, err := pages.ReadPage()
		if err != nil {
			return n, err
		}
		if page.Dictionary() != nil {
			pq.Release(page)
			return n, fmt.Errorf("a dictionary page")
		}
		data := page.Data()
		values := data.Double()
		err = fn(n, values)
		n += int64(len(values))
		pq.Release(page)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// Row of a store's file. Positions are at J2000; X, Y, Z repeat them as a unit vector, so that a scan needs no trigonometry.
type Row struct {
	Healpix int64   `parquet:"_healpix_29,delta"` // nested cell of order 29, which HATS sorts by
	RA      float64 `parquet:"ra,plain"`          // degrees
	Dec     float64 `parquet:"dec,plain"`
	X       float64 `parquet:"x,plain"`
	Y       float64 `parquet:"y,plain"`
	Z       float64 `parquet:"z,plain"`
	V       float64 `parquet:"v_mag,plain"`
	Teff    float64 `parquet:"teff,plain"` // kelvin
}

// MovingRow is a Row with proper motion.
type MovingRow struct {
	Row
	PMRA  float64 `parquet:"pmra,plain"` // mas/yr, with cos(dec)
	PMDec float64 `parquet:"pmdec,plain"`
}

// pageRows is the most rows of a page of Write, well below what a reader accepts.
const pageRows = 1 << 20

// Write writes a file of one row group with pages of up to pageRows, uncompressed: the values are noise to a compressor. Equal
// rows give equal bytes, for which each file has a writer of its own: the library's Reset leaves traces of the file before.
func Write[T Row | MovingRow](out io.Writer, rows []T) error { return write(out, rows, pageRows) }

func write[T Row | MovingRow](out io.Writer, rows []T, pageRows int) error {
	w := pq.NewGenericWriter[T](out, pq.CreatedBy("grsplat", "1", "store"), pq.Compression(&pq.Uncompressed),
		pq.PageBufferSize(8*min(len(rows), pageRows)), pq.MaxRowsPerRowGroup(int64(max(len(rows), 1))), pq.DataPageStatistics(false))
	var err error
	for chunk := range slices.Chunk(rows, pageRows) {
		_, writeErr := w.Write(chunk)
		err = errors.Join(err, writeErr)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return fmt.Errorf("parquet: write: %w", err)
	}
	return nil
}
