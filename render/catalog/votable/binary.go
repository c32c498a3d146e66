package votable

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"grsplat/render/catalog/table"
	"grsplat/render/fail"
)

// binaryField says how a field is stored.
type binaryField struct {
	scalar   table.Scalar // of a single number; NotScalar for anything else
	size     int          // bytes of one element; bits are counted apart
	count    int          // elements; 0 for a variable number, preceded by a 4-byte count
	null     int64
	hasNull  bool
	variable bool
	bits     bool
}

var datatypes = map[string]struct {
	scalar table.Scalar
	size   int
}{
	"boolean": {table.Bool, 1}, "unsignedByte": {table.Uint8, 1}, "short": {table.Int16, 2}, "int": {table.Int32, 4},
	"long": {table.Int64, 8}, "float": {table.Float32, 4}, "double": {table.Float64, 8}, "char": {table.NotScalar, 1},
	"unicodeChar": {table.NotScalar, 2}, "floatComplex": {table.NotScalar, 8}, "doubleComplex": {table.NotScalar, 16},
	"bit": {table.NotScalar, 1},
}

// binaryRows reads BINARY and BINARY2 streams.
type binaryRows struct {
	info   *table.Info
	fields []binaryField
	text   []bool // string fields
	flags  int    // bytes of null flags before each row of BINARY2
	r      *bufio.Reader
	row    int64
}

func newBinary(r *bufio.Reader, fields []field, info *table.Info, flags bool) (table.Reader, error) {
	b := &binaryRows{info: info, r: bufio.NewReaderSize(base64.NewDecoder(base64.StdEncoding, &base64Text{r: r}), 64<<10)}
	if flags {
		b.flags = (len(fields) + 7) / 8
	}
	for _, f := range fields {
		bf, err := newBinaryField(f)
		if err != nil {
			return nil, err
		}
		b.fields = append(b.fields, bf)
		b.text = append(b.text, f.Text)
	}
	return b, nil
}

func newBinaryField(f field) (bf binaryField, err error) {
	kind, ok := datatypes[f.datatype]
	if !ok {
		return bf, fail.Input("field %s: unknown datatype %s", oneLine(f.Name), oneLine(f.datatype))
	}
	bf = binaryField{size: kind.size, count: 1, bits: f.datatype == "bit"}
	for _, dim := range strings.Split(f.array, "x") {
		switch dim = strings.TrimSpace(dim); {
		case dim == "":
		case strings.HasSuffix(dim, "*"):
			bf.variable = true
		default:
			n, err := strconv.Atoi(dim)
			if err != nil || n < 0 || n > maxRow || bf.count*n > maxRow {
				return bf, fail.Input("field %s: arraysize %s", oneLine(f.Name), oneLine(f.array))
			}
			bf.count *= n
		}
	}
	if bf.count == 1 && !bf.variable {
		bf.scalar = kind.scalar
	}
	if f.hasNull && bf.scalar.IsInteger() {
		if bf.null, err = strconv.ParseInt(f.null, 0, 64); err != nil {
			return bf, fail.Input("field %s: null %s", oneLine(f.Name), oneLine(f.null))
		}
		bf.hasNull = true
	}
	return bf, nil
}

func (b *binaryRows) Info() *table.Info { return b.info }

// Next reads whole rows, field by field where their length varies.
func (b *binaryRows) Next(raw *table.Raw) error {
	raw.Data = raw.Data[:0]
	raw.First, raw.Rows = b.row+1, 0
	for len(raw.Data) < pieceLen {
		if _, err := b.r.Peek(1); err != nil && raw.Rows > 0 {
			break
		} else if err != nil {
			return b.explain(err, true)
		}
		var err error
		if raw.Data, err = b.readRow(raw.Data); err != nil {
			return b.explain(err, false)
		}
		b.row++
		raw.Rows++
	}
	return nil
}

// explain turns a decoder's error into a reason; atStart tells that the stream ended between rows.
func (b *binaryRows) explain(err error, atStart bool) error {
	switch {
	case errors.Is(err, io.EOF) && atStart:
		return io.EOF
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fail.Input("votable: truncated: the stream ends in row %d", b.row+1)
	}
	var corrupt base64.CorruptInputError
	if errors.As(err, &corrupt) {
		return fail.Input("votable: base64 stream: %w", err)
	}
	return err
}

// readRow appends one row to buf.
func (b *binaryRows) readRow(buf []byte) ([]byte, error) {
	start := len(buf)
	buf, err := b.take(buf, b.flags)
	for i := 0; err == nil && i < len(b.fields); i++ {
		f := &b.fields[i]
		elements := f.count
		if f.variable {
			if buf, err = b.take(buf, 4); err != nil {
				break
			}
			n := binary.BigEndian.Uint32(buf[len(buf)-4:])
			if n > maxRow {
				return buf, fail.Input("votable: row %d: an array of %d elements", b.row+1, n)
			}
			elements = int(n)
		}
		if buf, err = b.take(buf, f.bytes(elements)); err == nil && len(buf)-start > maxRow {
			return buf, fail.Input("votable: row %d: longer than %d bytes", b.row+1, maxRow)
		}
	}
	return buf, err
}

// bytes of n elements. Bits are packed.
func (f *binaryField) bytes(n int) int {
	if f.bits {
		return (n + 7) / 8
	}
	return n * f.size
}

// take appends n bytes of the stream to buf.
func (b *binaryRows) take(buf []byte, n int) ([]byte, error) {
	for n > 0 {
		step := min(n, 64<<10)
		at := len(buf)
		buf = append(buf, make([]byte, step)...)
		got, err := io.ReadFull(b.r, buf[at:])
		if err != nil {
			return buf[:at+got], io.ErrUnexpectedEOF
		}
		n -= step
	}
	return buf, nil
}

// Decode walks the rows of a piece.
func (b *binaryRows) Decode(raw *table.Raw, want []table.Want, out *table.Block) error {
	out.Reset(want)
	wants := make([][]int, len(b.fields))
	for k, w := range want {
		wants[w.Column] = append(wants[w.Column], k)
	}
	data := raw.Data
	for i := range raw.Rows {
		out.Line = append(out.Line, raw.First+i)
		out.Fault = append(out.Fault, table.OK)
		out.Rows++
		flags := data[:b.flags]
		data = data[b.flags:]
		for column := range b.fields {
			f := &b.fields[column]
			elements := f.count
			if f.variable {
				elements = int(binary.BigEndian.Uint32(data))
				data = data[4:]
			}
			n := f.bytes(elements)
			null := b.flags > 0 && flags[column/8]&(0x80>>(column%8)) != 0
			for _, k := range wants[column] {
				b.value(column, data[:n], null, want[k].Kind, k, out)
			}
			data = data[n:]
		}
	}
	return nil
}

// value appends one cell to want k.
func (b *binaryRows) value(column int, cell []byte, null bool, kind table.Kind, k int, out *table.Block) {
	f := &b.fields[column]
	if f.size == 2 && b.text[column] {
		cell = narrow(cell)
	}
	text := bytes.Trim(cell, " \x00")
	if kind == table.Text {
		out.Text[k] = append(out.Text[k], text)
		return
	}
	v, ok := table.Missing(), true
	switch {
	case null, f.hasNull && f.scalar.Int(cell) == f.null:
	case f.scalar != table.NotScalar:
		v = f.scalar.Float(cell)
	case b.text[column]:
		v, ok = table.Parse(text, kind)
	default:
		ok = false
	}
	if !ok {
		out.Fault[out.Rows-1] = table.Unparsable
	}
	if math.IsNaN(v) {
		v = table.Missing()
	}
	out.Num[k] = append(out.Num[k], v)
}

// narrow keeps the low bytes of UCS-2 text: numbers and flags are ASCII.
func narrow(wide []byte) []byte {
	out := make([]byte, 0, len(wide)/2)
	for i := 1; i < len(wide); i += 2 {
		out = append(out, wide[i])
	}
	return out
}

// base64Text passes on the text up to the next tag. The decoder above it skips line ends; other blanks are dropped here.
type base64Text struct {
	r     *bufio.Reader
	ended bool
}

func (t *base64Text) Read(p []byte) (n int, err error) {
	if t.ended {
		return 0, io.EOF
	}
	for n < len(p) {
		c, err := t.r.ReadByte()
		if err == nil && c != '<' {
			if c > ' ' {
				p[n] = c
				n++
			}
			continue
		}
		t.ended = true
		if err != nil && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err == nil && n == 0 {
			err = io.EOF
		}
		return n, err
	}
	return n, nil
}
