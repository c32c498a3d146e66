// Package parquet streams the flat columns of a Parquet file through github.com/parquet-go/parquet-go, whose panics on damaged files become
// errors and whose allocations are bounded beforehand.
package parquet

import (
	"errors"
	"io"
	"os"
	"strings"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"grsplat/render/catalog/table"
	"grsplat/render/fail"
)

// pieceRows is how many rows make a piece.
const pieceRows = 32 << 10

// Reader streams the rows of a file.
type Reader struct {
	info    table.Info
	leaf    []int // column of the file for each column of info
	file    *pq.File
	want    []table.Want
	cursors []*cursor
	group   int   // row group after the open one
	left    int64 // rows of the open row group
	row     int64 // rows handed out
}

// OpenFile reads the footer. The file stays the caller's and must stay open.
func OpenFile(f *os.File) (*Reader, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return open(f, st.Size())
}

func open(r io.ReaderAt, size int64) (rd *Reader, err error) {
	defer guard(&err)
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	file, err := pq.OpenFile(r, size, pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	if err != nil {
		return nil, fail.Input("parquet: %w", err)
	}
	rd = &Reader{file: file, info: table.Info{Format: "parquet"}}
	for _, path := range file.Schema().Columns() {
		leaf, ok := file.Schema().Lookup(path...)
		if !ok || leaf.MaxRepetitionLevel > 0 || !leaf.Node.Leaf() {
			continue
		}
		text, ok := usable(leaf.Node.Type())
		if !ok {
			continue
		}
		rd.info.Columns = append(rd.info.Columns, table.Column{Name: strings.Join(path, "."), Text: text})
		rd.leaf = append(rd.leaf, leaf.ColumnIndex)
	}
	return rd, nil
}

// usable tells the physical types that hold numbers and strings. Decimals would need their scale and are left out.
func usable(t pq.Type) (text, ok bool) {
	if logical := t.LogicalType(); logical != nil {
		if _, ok := logical.Value.(*format.DecimalType); ok {
			return false, false
		}
	}
	switch t.Kind() {
	case pq.Boolean, pq.Int32, pq.Int64, pq.Float, pq.Double:
		return false, true
	case pq.ByteArray:
		return true, true
	}
	return false, false
}

// guard turns a panic of the library into an error: it panics on some damaged files.
func guard(err *error) {
	if p := recover(); p != nil {
		*err = fail.Input("parquet: damaged: %v", p)
	}
}

// Info describes the table.
func (r *Reader) Info() *table.Info { return &r.info }

// Select names the columns that Next decodes.
func (r *Reader) Select(want []table.Want) { r.want = want }

// Next decodes the next rows into raw.Block: decoding takes little of the time that turning rows into stars does, and pages
// do not end at the same rows in all columns.
func (r *Reader) Next(raw *table.Raw) (err error) {
	defer guard(&err)
	for r.left == 0 {
		if err := r.nextGroup(); err != nil {
			return err
		}
	}
	n := int(min(r.left, pieceRows))
	b := &raw.Block
	b.Reset(r.want)
	for i := range n {
		b.Line = append(b.Line, r.row+int64(i)+1)
		b.Fault = append(b.Fault, table.OK)
	}
	b.Rows = n
	for k, w := range r.want {
		if err := r.cursors[k].read(n, w.Kind, k, b); err != nil {
			return fail.Input("parquet: column %s, row %d: %w", r.info.Columns[w.Column].Name, r.row+1, ended(err))
		}
	}
	raw.First, raw.Rows = r.row+1, int64(n)
	r.row += int64(n)
	r.left -= int64(n)
	return nil
}

// ended keeps io.EOF, which means the end of the table to a caller, from meaning the early end of a column.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Decode hands over the block that Next has decoded.
func (r *Reader) Decode(raw *table.Raw, _ []table.Want, b *table.Block) error {
	raw.Block, *b = *b, raw.Block
	return nil
}

// nextGroup opens the wanted columns of the next row group.
func (r *Reader) nextGroup() error {
	for _, c := range r.cursors {
		c.close()
	}
	r.cursors = r.cursors[:0]
	groups := r.file.RowGroups()
	if r.group >= len(groups) {
		return io.EOF
	}
	group, meta := groups[r.group], &r.file.Metadata().RowGroups[r.group]
	chunks := group.ColumnChunks()
	for _, w := range r.want {
		leaf := r.leaf[w.Column]
		if err := r.checkChunk(&meta.Columns[leaf].MetaData, meta.NumRows); err != nil {
			return err
		}
		r.cursors = append(r.cursors, &cursor{pages: chunks[leaf].Pages()})
	}
	r.left = meta.NumRows
	r.group++
	return nil
}

func (r *Reader) checkChunk(m *format.ColumnMetaData, rows int64) error {
	from := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		from = m.DictionaryPageOffset
	}
	if from < 4 || m.TotalCompressedSize < 0 || from > r.file.Size()-m.TotalCompressedSize || rows < 0 || m.NumValues != rows {
		return fail.Input("parquet: damaged: column chunk of %d values and %d bytes at %d for %d rows", m.NumValues, m.TotalCompressedSize, from, rows)
	}
	return checkPages(r.file, from, m.TotalCompressedSize, m.NumValues)
}
