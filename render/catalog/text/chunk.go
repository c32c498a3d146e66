// Package text reads catalogues that are lines: delimited, whitespace-separated and fixed-width tables. Lines are cut into
// pieces by one goroutine and split into cells and parsed by many.
package text

import (
	"bytes"
	"errors"
	"io"

	"grsplat/render/catalog/table"
	"grsplat/render/fail"
)

const (
	// pieceLen is how many bytes of lines make a piece.
	pieceLen = 512 << 10
	// MaxLine is the longest line that is read, in bytes.
	MaxLine = 1 << 20
)

// chunker cuts a stream into pieces of whole records.
type chunker struct {
	r      io.Reader
	quotes bool   // records may hold line ends between double quotes
	delim  byte   // after which a quoted field may begin; ' ' stands for spaces and tabs
	rest   []byte // read, and not yet part of a piece
	line   int64  // number of the line that rest begins with, from 1
	eof    bool
}

// next fills raw with whole records: up to the last line end in about pieceLen bytes.
func (c *chunker) next(raw *table.Raw) error {
	buf := append(raw.Data[:0], c.rest...)
	c.rest = c.rest[:0]
	for size := pieceLen; ; size += pieceLen {
		var err error
		if buf, err = c.fill(buf, size); err != nil {
			return err
		}
		if len(buf) == 0 {
			return io.EOF
		}
		end := len(buf)
		if !c.eof {
			end = c.lastRecord(buf)
		}
		if err := c.checkLines(buf, end); err != nil {
			return err
		}
		if end == 0 {
			continue
		}
		c.rest = append(c.rest, buf[end:]...)
		raw.Data, raw.First = buf[:end], c.line
		c.line += int64(bytes.Count(raw.Data, newline))
		return nil
	}
}

var newline = []byte{'\n'}

// fill reads until buf holds size bytes or the stream ends.
func (c *chunker) fill(buf []byte, size int) ([]byte, error) {
	if cap(buf) < size {
		buf = append(make([]byte, 0, size), buf...)
	}
	for len(buf) < size && !c.eof {
		n, err := c.r.Read(buf[len(buf):size])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			c.eof = true
		} else if err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// lastRecord returns the length of the whole records in buf, which begins with one.
func (c *chunker) lastRecord(buf []byte) int {
	if !c.quotes || bytes.IndexByte(buf, '"') < 0 {
		return bytes.LastIndexByte(buf, '\n') + 1
	}
	end := 0
	for end < len(buf) {
		n := recordLen(buf[end:], c.delim)
		if n < 0 {
			break
		}
		end += n
	}
	return end
}

// recordLen returns the length of the first record of data with its line end, or -1 if that is not in data. A quote opens a
// quoted field only where a field begins (RFC 4180).
func recordLen(data []byte, delim byte) int {
	for i, start := 0, true; i < len(data); i++ {
		switch c := data[i]; {
		case c == '\n':
			return i + 1
		case c == '"' && start:
			n := quotedLen(data[i:])
			if n < 0 {
				return -1
			}
			i += n - 1
			start = false
		default:
			start = c == delim || delim == ' ' && c == '\t'
		}
	}
	return -1
}

// quotedLen returns the length of the quoted field that data begins with, its quotes included, or -1 if it does not end.
func quotedLen(data []byte) int {
	for i := 1; i < len(data); i++ {
		k := bytes.IndexByte(data[i:], '"')
		if k < 0 {
			return -1
		}
		i += k
		if i+1 >= len(data) || data[i+1] != '"' {
			return i + 1
		}
		i++
	}
	return -1
}

// checkLines refuses a record longer than MaxLine among buf[:end], or an unfinished one after it.
func (c *chunker) checkLines(buf []byte, end int) error {
	if len(buf)-end > MaxLine {
		return fail.Input("line %d: longer than 1 MiB (%s)", c.line+int64(bytes.Count(buf[:end], newline)), c.why())
	}
	if end <= MaxLine {
		return nil
	}
	line := c.line
	for rest := buf[:end]; len(rest) > MaxLine; line++ {
		n := bytes.IndexByte(rest, '\n') + 1
		if n == 0 || n > MaxLine {
			return fail.Input("line %d: longer than 1 MiB (%s)", line, c.why())
		}
		rest = rest[n:]
	}
	return nil
}

func (c *chunker) why() string {
	if c.quotes {
		return "a quote that is not closed, or not a table"
	}
	return "not a table"
}
