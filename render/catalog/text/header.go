package text

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"grsplat/render/catalog/table"
	"grsplat/render/fail"
)

// lines reads a header line by line.
type lines struct {
	r    *bufio.Reader
	line int64 // lines read
}

// next returns the next line without its end. It is the caller's to keep.
func (l *lines) next() (string, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > MaxLine {
			return "", fail.Input("line %d: longer than 1 MiB (not a table)", l.line+1)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
			return "", err
		}
		l.line++
		return strings.TrimRight(string(line), "\r\n"), nil
	}
}

// peek shows the line after the next n lines without reading it, as far as it is in the buffer.
func (l *lines) peek(n int) string {
	head, _ := l.r.Peek(l.r.Size())
	for ; n > 0; n-- {
		head = head[bytes.IndexByte(head, '\n')+1:]
	}
	line, _, _ := bytes.Cut(head, newline)
	return strings.TrimRight(string(line), "\r")
}

// atEnd tells whether nothing follows.
func (l *lines) atEnd() bool {
	_, err := l.r.Peek(1)
	return err != nil
}

// openDelimited reads the header of a CSV, TSV or other delimited table: the first line that is neither blank nor a comment,
// else the last comment line before the data (the ASCII form of TOPCAT and NumPy).
func openDelimited(r *bufio.Reader) (*Reader, error) {
	l := &lines{r: r}
	header, err := l.findHeader()
	if errors.Is(err, io.EOF) {
		return nil, fail.Input("no header line: only blank lines and comments")
	}
	if err != nil {
		return nil, err
	}
	if strings.IndexByte(header, '\r') >= 0 {
		return nil, fail.Input("lines that end in a carriage return alone; convert them to line feeds")
	}
	delim := findDelimiter(header)
	names := headerFields(header, delim)
	for _, name := range names {
		if v, ok := table.ParseNumber([]byte(name)); ok && v == v {
			return nil, fail.Input("no header line: line %d holds numbers, not column names", l.line)
		}
	}
	columns := make([]table.Column, len(names))
	for i, name := range names {
		columns[i].Name = name
	}
	if err := l.skipUnits(columns, delim); err != nil {
		return nil, err
	}
	return delimitedReader(l, columns, delim), nil
}

// delimitedReader reads the rows after l.
func delimitedReader(l *lines, columns []table.Column, delim byte) *Reader {
	rd := newReader(l.r, l.line+1, true)
	rd.comment, rd.chunks.delim = '#', delim
	rd.info.Columns = columns
	rd.info.Format = formatNames[delim]
	if delim == ' ' {
		rd.split = &blanks{columns: len(columns)}
	} else {
		rd.split = &delimited{delim: delim, quotes: true, columns: len(columns)}
	}
	return rd
}

var formatNames = map[byte]string{',': "csv", '\t': "tsv", ';': "csv", '|': "psv", ' ': "ascii"}

// findHeader returns the header line.
func (l *lines) findHeader() (string, error) {
	comment := ""
	for {
		next := l.peek(0)
		blank := strings.TrimSpace(next) == ""
		if !blank && next[0] != '#' {
			if comment != "" && firstIsNumber(next) {
				return comment, nil
			}
			return l.next()
		}
		line, err := l.next()
		if err != nil {
			return "", err
		}
		if text := strings.TrimSpace(strings.TrimLeft(line, "#")); text != "" {
			comment = text
		}
	}
}

// firstIsNumber tells whether a line's first field is a number.
func firstIsNumber(line string) bool {
	first := headerFields(line, findDelimiter(line))[0]
	v, ok := table.ParseNumber([]byte(first))
	return ok && v == v
}

// findDelimiter guesses the delimiter from a header line.
func findDelimiter(header string) byte {
	for _, d := range []byte{'\t', ',', ';', '|'} {
		if strings.IndexByte(header, d) >= 0 {
			return d
		}
	}
	return ' '
}

// headerFields splits a header line and trims the names.
func headerFields(header string, delim byte) (names []string) {
	if delim == ' ' {
		for _, name := range strings.Fields(header) {
			names = append(names, strings.Trim(name, `"`))
		}
		if names == nil {
			names = []string{""}
		}
		return names
	}
	rest, more := []byte(header), true
	for more {
		var cell []byte
		cell, rest, more = quotedField(rest, delim)
		names = append(names, strings.TrimSpace(string(cell)))
	}
	if n := len(names); n > 1 && names[n-1] == "" {
		names = names[:n-1]
	}
	return names
}

// skipUnits skips what VizieR's TSV and psql put under the header: a line of dashes, or a line of units and one of dashes.
func (l *lines) skipUnits(columns []table.Column, delim byte) error {
	if isRuler(l.peek(0)) {
		_, err := l.next()
		return err
	}
	if !isRuler(l.peek(1)) {
		return nil
	}
	units, err := l.next()
	if err != nil {
		return err
	}
	for i, unit := range headerFields(units, delim) {
		if i < len(columns) && delim != ' ' {
			columns[i].Unit = unit
		}
	}
	_, err = l.next()
	return err
}

// isRuler tells a line of dashes.
func isRuler(line string) bool {
	return strings.Contains(line, "--") && strings.Trim(line, "-+|,; \t") == ""
}
