package text

import (
	"bytes"
	"io"

	"grsplat/render/catalog/table"
)

// Reader reads the lines that follow a header.
type Reader struct {
	info    table.Info
	chunks  chunker
	split   splitter
	comment byte // lines that begin with it are no rows; 0: none do
}

// Info describes the table.
func (r *Reader) Info() *table.Info { return &r.info }

// Next cuts the next piece of about half a MiB.
func (r *Reader) Next(raw *table.Raw) error { return r.chunks.next(raw) }

// Decode splits and parses the records of a piece. Blank lines and comments are not rows.
func (r *Reader) Decode(raw *table.Raw, want []table.Want, b *table.Block) error {
	b.Reset(want)
	slot, again := slots(want)
	cells := make([][]byte, len(want))
	data, line := raw.Data, raw.First
	quoted := r.chunks.quotes && bytes.IndexByte(data, '"') >= 0
	for len(data) > 0 {
		n := 0
		if quoted {
			n = recordLen(data, r.chunks.delim)
		} else {
			n = bytes.IndexByte(data, '\n') + 1
		}
		if n <= 0 {
			n = len(data)
		}
		record, lines := data[:n], int64(1)
		if quoted {
			lines = int64(max(bytes.Count(record, newline), 1))
		}
		data = data[n:]
		record = bytes.TrimRight(record, "\r\n")
		if !r.skips(record) {
			fault := r.split.split(record, slot, cells)
			for _, k := range again {
				cells[k] = cells[slot[want[k].Column]]
			}
			b.Append(line, fault, want, cells)
		}
		line += lines
	}
	return nil
}

// skips tells lines that are no rows.
func (r *Reader) skips(record []byte) bool {
	if len(record) == 0 || r.comment != 0 && record[0] == r.comment {
		return true
	}
	return record[0] <= ' ' && len(bytes.TrimSpace(record)) == 0
}

// slots inverts want: for each column up to the last wanted one, the first want of it; again lists the others.
func slots(want []table.Want) (slot, again []int) {
	for k, w := range want {
		for len(slot) <= w.Column {
			slot = append(slot, -1)
		}
		if slot[w.Column] >= 0 {
			again = append(again, k)
		} else {
			slot[w.Column] = k
		}
	}
	return slot, again
}

// newReader starts with data that lies behind a header; line is the number of its first line.
func newReader(r io.Reader, line int64, quotes bool) *Reader {
	return &Reader{chunks: chunker{r: r, quotes: quotes, line: line}}
}
