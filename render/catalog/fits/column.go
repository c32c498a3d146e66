package fits

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"grsplat/render/catalog/table"
	"grsplat/render/fail"
)

// column is one field of a row.
type column struct {
	offset, width int
	scalar        table.Scalar // NotScalar for strings
	ascii         bool         // an ASCII table's number: text in the row
	scale, zero   float64
	null          int64 // binary integers
	hasNull       bool
	nullText      []byte // ASCII tables
}

// number decodes a row's value: TSCAL value + TZERO, or missing.
func (c *column) number(row []byte) (v float64, ok bool) {
	cell := row[c.offset : c.offset+c.width]
	if c.scalar == table.NotScalar {
		text := bytes.Trim(cell, " \x00")
		if c.nullText != nil && bytes.Equal(text, c.nullText) {
			return table.Missing(), true
		}
		v, ok = table.ParseNumber(text)
	} else {
		if c.hasNull && c.scalar.IsInteger() && c.scalar.Int(cell) == c.null {
			return table.Missing(), true
		}
		v, ok = c.scalar.Float(cell), true
	}
	if c.scale != 1 || c.zero != 0 {
		v = v*c.scale + c.zero
	}
	return v, ok
}

// columns reads the column keywords. Columns from which no star could come (arrays, heap descriptors, zero width) are
// left out.
func (h header) columns() (info []table.Column, columns []column, err error) {
	fields, err := h.integer("TFIELDS", 0)
	if err != nil {
		return nil, nil, err
	}
	if fields < 0 || fields > 999 {
		return nil, nil, fail.Input("fits: header: TFIELDS = %d", fields)
	}
	width, err := h.integer("NAXIS1", 0)
	if err != nil {
		return nil, nil, err
	}
	ascii := h["XTENSION"] == "TABLE"
	offset := 0
	for i := 1; i <= int(fields); i++ {
		n := strconv.Itoa(i)
		var c column
		if ascii {
			c, err = h.asciiColumn(n)
		} else {
			c, offset, err = h.binaryColumn(n, offset)
		}
		if err == nil && (c.offset < 0 || c.width < 0 || int64(c.offset)+int64(c.width) > width) {
			err = fail.Input("fits: header: column %d does not fit into rows of %d bytes", i, width)
		}
		if err == nil {
			err = h.scaling(n, &c)
		}
		if err != nil {
			return nil, nil, err
		}
		text := c.scalar == table.NotScalar && !c.ascii
		if c.width == 0 || text && !strings.Contains(h["TFORM"+n], "A") {
			continue
		}
		info = append(info, table.Column{Name: strings.TrimSpace(h["TTYPE"+n]), UCD: h["TUCD"+n], Unit: h["TUNIT"+n], Text: text})
		columns = append(columns, c)
	}
	return info, columns, nil
}

// formSize is the bytes of one element by TFORM letter; bits are rounded up to bytes apart.
var formSize = map[byte]int{'L': 1, 'B': 1, 'I': 2, 'J': 4, 'K': 8, 'A': 1, 'E': 4, 'D': 8, 'C': 8, 'M': 16, 'P': 8, 'Q': 16}

var formScalar = map[byte]table.Scalar{'L': table.Bool, 'B': table.Uint8, 'I': table.Int16, 'J': table.Int32, 'K': table.Int64,
	'E': table.Float32, 'D': table.Float64}

// binaryColumn reads TFORMn of a binary table: an optional repeat count, a letter, and more that is ignored.
func (h header) binaryColumn(n string, offset int) (c column, next int, err error) {
	form := strings.TrimSpace(h["TFORM"+n])
	digits := 0
	for digits < len(form) && form[digits] >= '0' && form[digits] <= '9' {
		digits++
	}
	repeat := 1
	if digits > 0 {
		if repeat, err = strconv.Atoi(form[:digits]); err != nil || repeat > math.MaxInt32 {
			return c, 0, fail.Input("fits: header: TFORM%s = %q", n, form)
		}
	}
	if digits == len(form) {
		return c, 0, fail.Input("fits: header: TFORM%s = %q", n, form)
	}
	letter := form[digits]
	size, known := formSize[letter]
	width := repeat * size
	if letter == 'X' {
		width, known = (repeat+7)/8, true
	}
	if !known {
		return c, 0, fail.Input("fits: header: TFORM%s = %q", n, form)
	}
	c = column{offset: offset, width: width}
	if repeat == 1 {
		c.scalar = formScalar[letter]
	}
	return c, offset + width, nil
}

// asciiColumn reads TBCOLn and TFORMn of an ASCII table.
func (h header) asciiColumn(n string) (c column, err error) {
	start, err := h.integer("TBCOL"+n, 0)
	if err != nil {
		return c, err
	}
	form := strings.TrimSpace(h["TFORM"+n])
	if form == "" || !strings.Contains("AIFED", form[:1]) || start < 1 || start > math.MaxInt32 {
		return c, fail.Input("fits: header: TFORM%s = %q at TBCOL%s = %d", n, form, n, start)
	}
	digits, _, _ := strings.Cut(form[1:], ".")
	width, err := strconv.Atoi(digits)
	if err != nil || width > math.MaxInt32 {
		return c, fail.Input("fits: header: TFORM%s = %q", n, form)
	}
	c = column{offset: int(start) - 1, width: width, ascii: form[0] != 'A'}
	if null, ok := h["TNULL"+n]; ok {
		c.nullText = []byte(strings.TrimSpace(null))
	}
	return c, nil
}

// scaling reads TSCALn, TZEROn and, for binary integers, TNULLn.
func (h header) scaling(n string, c *column) (err error) {
	if c.scale, err = h.float("TSCAL"+n, 1); err != nil {
		return err
	}
	if c.zero, err = h.float("TZERO"+n, 0); err != nil {
		return err
	}
	if _, c.hasNull = h["TNULL"+n]; c.hasNull && c.scalar.IsInteger() {
		c.null, err = h.integer("TNULL"+n, 0)
	}
	return err
}
