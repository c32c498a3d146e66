package text

import (
	"bytes"

	"grsplat/render/catalog/table"
)

// A splitter finds the wanted cells of one record. cells has a slot for each want; slot[column] is the slot that wants a
// column, or -1. A column wanted twice is copied afterwards.
type splitter interface {
	split(line []byte, slot []int, cells [][]byte) table.Fault
}

// delimited splits at a delimiter byte; quoted fields follow RFC 4180.
type delimited struct {
	delim   byte
	quotes  bool
	columns int
}

func (d *delimited) split(line []byte, slot []int, cells [][]byte) table.Fault {
	if d.quotes && bytes.IndexByte(line, '"') >= 0 {
		return d.splitQuoted(line, slot, cells)
	}
	column := 0
	for {
		end := bytes.IndexByte(line, d.delim)
		cell := line
		if end >= 0 {
			cell = line[:end]
		}
		if column < len(slot) {
			if k := slot[column]; k >= 0 {
				cells[k] = cell
			}
		} else {
			// Every wanted cell is found: the rest is only counted.
			last := line[bytes.LastIndexByte(line, d.delim)+1:]
			return d.count(column+1+bytes.Count(line, []byte{d.delim}), last)
		}
		column++
		if end < 0 {
			return d.count(column, cell)
		}
		line = line[end+1:]
	}
}

// count compares the number of fields with the header's. One more is allowed for a trailing delimiter, after which the last
// field is blank.
func (d *delimited) count(fields int, last []byte) table.Fault {
	switch {
	case fields < d.columns:
		return table.TooFew
	case fields > d.columns && (fields > d.columns+1 || len(bytes.Trim(last, " \t")) > 0):
		return table.TooMany
	}
	return table.OK
}

func (d *delimited) splitQuoted(line []byte, slot []int, cells [][]byte) table.Fault {
	column := 0
	for {
		cell, rest, more := quotedField(line, d.delim)
		if column < len(slot) && slot[column] >= 0 {
			cells[slot[column]] = cell
		}
		column++
		if !more {
			return d.count(column, cell)
		}
		line = rest
	}
}

// quotedField cuts the first field of line, without its quotes; more tells whether a delimiter followed it.
func quotedField(line []byte, delim byte) (cell, rest []byte, more bool) {
	if len(line) == 0 || line[0] != '"' {
		end := bytes.IndexByte(line, delim)
		if end < 0 {
			return line, nil, false
		}
		return line[:end], line[end+1:], true
	}
	cell, after := unquote(line)
	end := bytes.IndexByte(after, delim)
	if end < 0 {
		return cell, nil, false
	}
	return cell, after[end+1:], true
}

// unquote cuts the quoted field that line begins with; one that does not end takes the whole line.
func unquote(line []byte) (cell, after []byte) {
	n := quotedLen(line)
	if n < 0 {
		return bytes.ReplaceAll(line[1:], []byte(`""`), []byte(`"`)), nil
	}
	return bytes.ReplaceAll(line[1:n-1], []byte(`""`), []byte(`"`)), line[n:]
}

// blanks splits at runs of spaces and tabs.
type blanks struct{ columns int }

func (s *blanks) split(line []byte, slot []int, cells [][]byte) table.Fault {
	column := 0
	for {
		line = bytes.TrimLeft(line, " \t")
		if len(line) == 0 {
			break
		}
		var cell []byte
		if line[0] == '"' {
			cell, line = unquote(line)
		} else if end := bytes.IndexAny(line, " \t"); end >= 0 {
			cell, line = line[:end], line[end:]
		} else {
			cell, line = line, nil
		}
		if column < len(slot) && slot[column] >= 0 {
			cells[slot[column]] = cell
		}
		column++
	}
	switch {
	case column < s.columns:
		return table.TooFew
	case column > s.columns:
		return table.TooMany
	}
	return table.OK
}

// fixed cuts columns at byte positions: start[i] to start[i+1], the last to the end of the line. What lies beyond a short line is missing.
type fixed struct {
	start []int
	null  [][]byte // per column: the spelling of a missing value beside the usual ones; nil for none
}

func (f *fixed) split(line []byte, slot []int, cells [][]byte) table.Fault {
	for column, k := range slot {
		if k < 0 {
			continue
		}
		from, to := min(f.start[column], len(line)), len(line)
		if column+1 < len(f.start) {
			to = min(f.start[column+1], len(line))
		}
		cell := bytes.Trim(line[from:to], " \t")
		if null := f.null[column]; null != nil && bytes.Equal(cell, null) {
			cell = nil
		}
		cells[k] = cell
	}
	return table.OK
}
