package votable

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"

	"grsplat/render/catalog/table"
	"grsplat/render/fail"
)

const (
	pieceLen = 512 << 10
	maxRow   = 16 << 20 // bytes, a TR or a binary row
)

// rows reads TABLEDATA. Pieces end after a </TR>; Decode reads the cells.
type rows struct {
	info   *table.Info
	fields []field
	r      *bufio.Reader
	rest   []byte
	row    int64
	ended  bool // </TABLEDATA> has been seen
	eof    bool
}

func newRows(r *bufio.Reader, fields []field, info *table.Info) *rows {
	return &rows{info: info, fields: fields, r: r}
}

func (r *rows) Info() *table.Info { return r.info }

// Next cuts a piece of whole rows.
func (r *rows) Next(raw *table.Raw) error {
	buf := append(raw.Data[:0], r.rest...)
	r.rest = r.rest[:0]
	for size := pieceLen; ; size += pieceLen {
		if err := r.fill(&buf, size); err != nil {
			return err
		}
		if r.ended && len(buf) == 0 {
			return io.EOF
		}
		end, count, done := scanRows(buf)
		if done {
			r.ended, r.eof = true, true
		}
		if end > 0 {
			if !done {
				r.rest = append(r.rest, buf[end:]...)
			}
			raw.Data, raw.First, raw.Rows = buf[:end], r.row+1, count
			r.row += count
			return nil
		}
		switch {
		case done:
			return io.EOF
		case r.eof:
			return fail.Input("votable: truncated: the file ends after %d rows without </TABLEDATA>", r.row)
		case len(buf) > maxRow:
			return fail.Input("votable: row %d: no </TR> in %d bytes", r.row+1, len(buf))
		}
	}
}

// fill reads until buf holds size bytes.
func (r *rows) fill(buf *[]byte, size int) error {
	for len(*buf) < size && !r.eof {
		room := size - len(*buf)
		if cap(*buf)-len(*buf) < room {
			*buf = append(make([]byte, 0, len(*buf)+room), *buf...)
		}
		n, err := r.r.Read((*buf)[len(*buf) : len(*buf)+room])
		*buf = (*buf)[:len(*buf)+n]
		if errors.Is(err, io.EOF) {
			r.eof = true
		} else if err != nil {
			return err
		}
	}
	return nil
}

// scanRows returns the length of the whole rows in buf, their number, and whether the table ends after them.
func scanRows(buf []byte) (end int, count int64, done bool) {
	for at := 0; ; {
		tag, from, past := nextTag(buf, at)
		if past < 0 {
			return end, count, false
		}
		at = past
		switch {
		case from < 0: // a comment or CDATA
		case tag.is("TR") && (tag.closing || tag.empty):
			end = past
			count++
		case tag.is("TABLEDATA") && tag.closing:
			return end, count, true
		}
	}
}

// tag is an element's start or end.
type tag struct {
	name           []byte // without prefix
	closing, empty bool
}

func (t tag) is(name string) bool { return string(t.name) == name }

// nextTag finds the next tag at or after at. past is the index behind it, or -1 if it is not whole in buf; from is the index of its
// '<', or -1 for a comment, CDATA section or processing instruction, which are stepped over like a tag.
func nextTag(buf []byte, at int) (t tag, from, past int) {
	k := bytes.IndexByte(buf[at:], '<')
	if k < 0 {
		return t, -1, -1
	}
	from = at + k
	body := buf[from:]
	if len(body) > 1 && (body[1] == '!' || body[1] == '?') {
		if open, past, special := markup(body); special {
			if past < 0 {
				return t, -1, -1
			}
			return t, -1, from + open + past
		}
	}
	end := bytes.IndexByte(body, '>')
	if end < 0 {
		return t, -1, -1
	}
	name := body[1:end]
	if t.closing = len(name) > 0 && name[0] == '/'; t.closing {
		name = name[1:]
	}
	if n := len(name); n > 0 && name[n-1] == '/' {
		t.empty, name = true, name[:n-1]
	}
	for i, c := range name {
		if c <= ' ' {
			name = name[:i]
			break
		}
	}
	t.name = name[bytes.IndexByte(name, ':')+1:]
	return t, from, from + end + 1
}

// markup measures the comment, CDATA section or processing instruction that body begins with: the length of its opening, and of what
// follows up to its end, or -1 if that is not there.
func markup(body []byte) (open, past int, special bool) {
	for _, m := range [...][2]string{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}} {
		if bytes.HasPrefix(body, []byte(m[0])) {
			end := bytes.Index(body[len(m[0]):], []byte(m[1]))
			if end < 0 {
				return 0, -1, true
			}
			return len(m[0]), end + len(m[1]), true
		}
	}
	return 0, 0, false
}

// Decode reads the cells of a piece.
func (r *rows) Decode(raw *table.Raw, want []table.Want, b *table.Block) error {
	b.Reset(want)
	cells := make([][]byte, len(want))
	wants := make([][]int, len(r.fields))
	for k, w := range want {
		wants[w.Column] = append(wants[w.Column], k)
	}
	column, cellStart := 0, -1
	for at := 0; at < len(raw.Data); {
		t, from, past := nextTag(raw.Data, at)
		if past < 0 {
			break
		}
		at = past
		switch {
		case from < 0:
		case t.is("TD"):
			if t.closing && cellStart >= 0 || t.empty {
				cell := []byte(nil)
				if !t.empty {
					cell = plainText(raw.Data[cellStart:from])
				}
				r.setCell(cells, wants, column, cell)
				column++
				cellStart = -1
			} else {
				cellStart = past
			}
		case t.is("TR") && (t.closing || t.empty):
			fault := table.OK
			if column < len(r.fields) {
				fault = table.TooFew
			}
			b.Append(raw.First+int64(b.Rows), fault, want, cells)
			column, cellStart = 0, -1
		}
	}
	return nil
}

// setCell stores a cell where it is wanted. Cells beyond the last FIELD mean nothing and are ignored, as astropy does.
func (r *rows) setCell(cells [][]byte, wants [][]int, column int, cell []byte) {
	if column >= len(wants) {
		return
	}
	if f := &r.fields[column]; f.hasNull && string(bytes.TrimSpace(cell)) == f.null {
		cell = nil
	}
	for _, k := range wants[column] {
		cells[k] = cell
	}
}

// plainText takes comments and CDATA brackets out of a cell and expands XML's five entities and character references.
func plainText(cell []byte) []byte {
	cell = bytes.TrimSpace(cell)
	if !bytes.ContainsAny(cell, "&<") {
		return cell
	}
	var out []byte
	for i := 0; i < len(cell); {
		rest := cell[i:]
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			i = skipPast(cell, i, "-->")
		case bytes.HasPrefix(rest, []byte("<![CDATA[")):
			past := skipPast(cell, i, "]]>")
			out = append(out, bytes.TrimSuffix(cell[i+len("<![CDATA["):past], []byte("]]>"))...)
			i = past
		case rest[0] == '&':
			text, n := entity(rest)
			out = append(out, text...)
			i += n
		default:
			out = append(out, rest[0])
			i++
		}
	}
	return bytes.TrimSpace(out)
}

func skipPast(cell []byte, from int, end string) int {
	k := bytes.Index(cell[from:], []byte(end))
	if k < 0 {
		return len(cell)
	}
	return from + k + len(end)
}

var entities = map[string]string{"lt": "<", "gt": ">", "amp": "&", "quot": `"`, "apos": "'"}

// entity expands the reference that s begins with and returns its length; one that is not known stays as it is.
func entity(s []byte) (text string, n int) {
	end := bytes.IndexByte(s[:min(len(s), 12)], ';')
	if end < 0 {
		return "&", 1
	}
	name := string(s[1:end])
	if text, ok := entities[name]; ok {
		return text, end + 1
	}
	if len(name) > 1 && name[0] == '#' {
		base, digits := 10, name[1:]
		if digits[0] == 'x' {
			base, digits = 16, digits[1:]
		}
		if code, err := strconv.ParseUint(digits, base, 21); err == nil {
			return string(rune(code)), end + 1
		}
	}
	return "&", 1
}
