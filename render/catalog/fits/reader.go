package fits

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"grsplat/render/catalog/table"
	"grsplat/render/fail"
)

const (
	pieceLen = 512 << 10
	maxRow   = 16 << 20 // bytes
)

// Reader streams the rows of one table.
type Reader struct {
	info    table.Info
	columns []column
	r       io.Reader
	width   int   // bytes of a row
	rows    int64 // of the table
	row     int64 // rows handed out
}

// Open skips to the first table that accept takes. If it takes none, the error is accept's about the first table.
func Open(r *bufio.Reader, accept func(*table.Info) error) (*Reader, error) {
	var first error
	for hdu := 0; ; hdu++ {
		h, err := readHeader(r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		size, err := h.dataSize()
		if err != nil {
			return nil, err
		}
		if kind := h["XTENSION"]; kind == "BINTABLE" || kind == "TABLE" || kind == "A3DTABLE" {
			rd, err := newReader(r, h)
			if err == nil {
				err = accept(&rd.info)
			}
			if err == nil {
				return rd, nil
			}
			if first == nil {
				first = err
			}
		}
		padded := (size + block - 1) / block * block
		if _, err := io.CopyN(io.Discard, r, padded); err != nil {
			break // the last HDU may lack its padding; a truncated table is found where it is read
		}
	}
	if first == nil {
		first = fail.Input("a FITS file without a table extension (an image?)")
	}
	return nil, first
}

func newReader(r io.Reader, h header) (*Reader, error) {
	if h["ZTABLE"] == "T" {
		return nil, fail.Input("fits: a tile-compressed table; funpack decompresses it")
	}
	info, columns, err := h.columns()
	if err != nil {
		return nil, err
	}
	width, err := h.integer("NAXIS1", 0)
	if err != nil {
		return nil, err
	}
	rows, err := h.integer("NAXIS2", 0)
	if err != nil {
		return nil, err
	}
	if width > maxRow {
		return nil, fail.Input("fits: rows of %d bytes; the most is %d", width, maxRow)
	}
	rd := &Reader{columns: columns, r: r, width: int(width), rows: rows}
	rd.info = table.Info{Format: "fits-bintable", Columns: info}
	if h["XTENSION"] == "TABLE" {
		rd.info.Format = "fits-ascii"
	}
	return rd, nil
}

// Info describes the table.
func (r *Reader) Info() *table.Info { return &r.info }

// Next reads the next rows. A table that ends before NAXIS2 rows is an error.
func (r *Reader) Next(raw *table.Raw) error {
	if r.row >= r.rows || r.width == 0 {
		return io.EOF
	}
	n := min(max(int64(pieceLen/r.width), 1), r.rows-r.row)
	var err error
	if raw.Data, err = table.ReadFull(r.r, raw.Data, int(n)*r.width); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fail.Input("fits: truncated: the data end in row %d of %d", r.row+int64(len(raw.Data)/r.width)+1, r.rows)
		}
		return err
	}
	raw.First, raw.Rows = r.row+1, n
	r.row += n
	return nil
}

// Decode decodes the wanted columns, column by column.
func (r *Reader) Decode(raw *table.Raw, want []table.Want, b *table.Block) error {
	b.Reset(want)
	b.Rows = int(raw.Rows)
	for i := range raw.Rows {
		b.Line = append(b.Line, raw.First+i)
		b.Fault = append(b.Fault, table.OK)
	}
	for k, w := range want {
		c := &r.columns[w.Column]
		for i := range b.Rows {
			row := raw.Data[i*r.width:][:r.width]
			if w.Kind == table.Text {
				b.Text[k] = append(b.Text[k], bytes.Trim(row[c.offset:c.offset+c.width], " \x00"))
				continue
			}
			v, ok := c.number(row)
			if !ok {
				v, ok = table.Parse(row[c.offset:c.offset+c.width], w.Kind)
			}
			if !ok {
				b.Fault[i] = table.Unparsable
			}
			b.Num[k] = append(b.Num[k], v)
		}
	}
	return nil
}
