// Package votable streams the first fitting table of a VOTable (IVOA Recommendation VOTable 1.5): TABLEDATA, BINARY and
// BINARY2. The header goes through encoding/xml; the rows do not, because a token at a time is too slow for millions of
// them. Nothing is fetched and no entity but XML's own five is expanded.
package votable

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"grsplat/render/catalog/table"
	"grsplat/render/fail"
)

// maxHeader is the most bytes before the data of a table.
const maxHeader = 64 << 20

// field is one FIELD.
type field struct {
	table.Column
	null     string // VALUES null
	hasNull  bool
	ref      string
	datatype string
	array    string // arraysize
}

// coosys is a COOSYS or the part of TIMESYS and COOSYS that matters.
type coosys struct {
	system string
	epoch  float64
}

// document walks the XML up to the data.
type document struct {
	dec     *xml.Decoder
	systems map[string]coosys
	failure string // text of an error that the server reports
	status  string // QUERY_STATUS
	first   error  // why the first table was not taken
}

// Open finds the first table that accept takes and reads up to its rows.
func Open(r *bufio.Reader, accept func(*table.Info) error) (table.Reader, error) {
	if head, _ := r.Peek(3); bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		if _, err := r.Discard(3); err != nil {
			return nil, err
		}
	}
	utf8, err := asUTF8(r)
	if err != nil {
		return nil, err
	}
	limited := &limitReader{r: utf8, left: maxHeader}
	d := &document{dec: xml.NewDecoder(limited), systems: map[string]coosys{}}
	d.dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	root := false
	for {
		tok, err := d.dec.Token()
		if errors.Is(err, io.EOF) {
			return nil, d.nothing()
		}
		if err != nil {
			return nil, fail.Input("votable: %w", err)
		}
		start, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		switch name := start.Name.Local; {
		case !root && name != "VOTABLE":
			return nil, fail.Input("XML with the root element %s, not a VOTable", name)
		case name == "VOTABLE":
			root = true
		case name == "INFO":
			err = d.info(start)
		case name == "COOSYS":
			d.coosys(start)
		case name == "TABLE":
			var rd table.Reader
			if rd, err = d.table(utf8, accept); rd != nil {
				limited.left = 0 // the rows are read past the decoder
				return rd, nil
			}
		}
		if err != nil {
			return nil, fail.Input("votable: %w", err)
		}
	}
}

// nothing says why there is no table.
func (d *document) nothing() error {
	switch {
	case d.failure != "" || d.status == "ERROR":
		return fail.Input("an error document of the server, not a catalogue: %s", oneLine(d.failure))
	case d.first != nil:
		return d.first
	}
	return fail.Input("a VOTable without a table")
}

// oneLine shortens a server's message.
func oneLine(s string) string {
	s = strings.Trim(strings.Join(strings.Fields(s), " "), `"'`)
	if len(s) > 120 {
		s = strings.ToValidUTF8(s[:120], "") + "..."
	}
	return strconv.Quote(s)
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// info keeps QUERY_STATUS and error messages.
func (d *document) info(e xml.StartElement) error {
	name, value := attribute(e, "name"), attribute(e, "value")
	isError := strings.EqualFold(name, "error")
	if !isError && name != "QUERY_STATUS" {
		return nil
	}
	if name == "QUERY_STATUS" {
		d.status = value
		isError = value == "ERROR"
	}
	if !isError || d.failure != "" {
		return nil
	}
	if d.failure = value; value == "" || value == "ERROR" {
		var text string
		if err := d.dec.DecodeElement(&text, &e); err != nil {
			return err
		}
		d.failure = text
	}
	return nil
}

func (d *document) coosys(e xml.StartElement) {
	epoch, err := strconv.ParseFloat(strings.TrimLeft(attribute(e, "epoch"), "JB"), 64)
	if err != nil {
		epoch = 0
	}
	d.systems[attribute(e, "ID")] = coosys{attribute(e, "system"), epoch}
}

// table reads a TABLE's FIELDs. It returns a reader if the table is taken and has data, and nil after a table that is not.
func (d *document) table(r *bufio.Reader, accept func(*table.Info) error) (table.Reader, error) {
	var fields []field
	inField := false
	for {
		tok, err := d.dec.Token()
		if err != nil {
			return nil, err
		}
		switch e := tok.(type) {
		case xml.StartElement:
			switch name := e.Name.Local; name {
			case "FIELD":
				fields, inField = append(fields, newField(e)), true
			case "VALUES":
				if null := attribute(e, "null"); inField && null != "" {
					fields[len(fields)-1].null, fields[len(fields)-1].hasNull = null, true
				}
			case "TABLEDATA", "BINARY", "BINARY2", "FITS", "PARQUET":
				info, err := d.tableInfo(fields, name)
				if err == nil {
					err = accept(info)
				}
				if err == nil {
					return d.data(r, fields, info, name)
				}
				if d.first == nil {
					d.first = err
				}
				if err := d.dec.Skip(); err != nil {
					return nil, err
				}
			}
		case xml.EndElement:
			switch e.Name.Local {
			case "FIELD":
				inField = false
			case "TABLE":
				return nil, d.noData(fields, accept)
			}
		}
	}
}

// noData is the end of a table without DATA, or after one that was not taken.
func (d *document) noData(fields []field, accept func(*table.Info) error) error {
	if d.first != nil {
		return nil
	}
	info, err := d.tableInfo(fields, "TABLEDATA")
	if err == nil {
		err = accept(info)
	}
	if err == nil {
		err = fail.Input("a VOTable with columns and no data")
	}
	d.first = err
	return nil
}

func newField(e xml.StartElement) field {
	f := field{ref: attribute(e, "ref"), datatype: attribute(e, "datatype"), array: attribute(e, "arraysize")}
	f.Name, f.UCD, f.Unit = attribute(e, "name"), attribute(e, "ucd"), attribute(e, "unit")
	if f.Name == "" {
		f.Name = attribute(e, "ID")
	}
	f.Text = f.datatype == "char" || f.datatype == "unicodeChar"
	return f
}

// tableInfo describes the table; the epoch is that of the first field that refers to a coordinate system.
func (d *document) tableInfo(fields []field, data string) (*table.Info, error) {
	info := &table.Info{Format: "votable-" + strings.ToLower(data)}
	for _, f := range fields {
		info.Columns = append(info.Columns, f.Column)
		system, ok := d.systems[f.ref]
		if !ok || f.ref == "" {
			continue
		}
		if strings.Contains(strings.ToUpper(system.system), "FK4") {
			return nil, fail.Input("votable: positions of the FK4 system (B1950); convert them to ICRS")
		}
		if info.Epoch == 0 {
			info.Epoch = system.epoch
		}
	}
	if d.status == "OVERFLOW" {
		info.Note = "the server cut the result short (QUERY_STATUS OVERFLOW)"
	}
	return info, nil
}

// data starts a reader of the rows. The decoder has read up to the end of the start tag and no further.
func (d *document) data(r *bufio.Reader, fields []field, info *table.Info, name string) (table.Reader, error) {
	switch name {
	case "TABLEDATA":
		return newRows(r, fields, info), nil
	case "FITS", "PARQUET":
		return nil, fail.Input("%s inside VOTable; extract it first", name)
	}
	for {
		tok, err := d.dec.Token()
		if err != nil {
			return nil, err
		}
		e, ok := tok.(xml.StartElement)
		if !ok || e.Name.Local != "STREAM" {
			continue
		}
		if href := attribute(e, "href"); href != "" {
			return nil, fail.Input("the data are elsewhere (href %s) and are not fetched", oneLine(href))
		}
		if encoding := attribute(e, "encoding"); encoding != "base64" {
			return nil, fail.Input("%s stream with encoding %q, not base64", name, encoding)
		}
		return newBinary(r, fields, info, name == "BINARY2")
	}
}

// asUTF8 looks at the declared encoding and converts Latin-1; other encodings than it, ASCII and UTF-8 are refused.
func asUTF8(r *bufio.Reader) (*bufio.Reader, error) {
	head, _ := r.Peek(256)
	declaration, _, _ := bytes.Cut(head, []byte("?>"))
	_, rest, found := bytes.Cut(declaration, []byte("encoding="))
	if !bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<?xml")) || !found || len(rest) < 2 {
		return r, nil
	}
	name, _, _ := bytes.Cut(rest[1:], rest[:1])
	switch strings.ToLower(string(name)) {
	case "utf-8", "utf8", "us-ascii", "ascii":
		return r, nil
	case "iso-8859-1", "latin1", "windows-1252":
		return bufio.NewReaderSize(&latin1{r: r}, 64<<10), nil
	}
	return nil, fail.Input("votable: encoding %s; convert it to UTF-8", oneLine(string(name)))
}

// latin1 turns Latin-1 into UTF-8.
type latin1 struct {
	r       io.Reader
	pending []byte
}

func (l *latin1) Read(p []byte) (int, error) {
	if len(l.pending) == 0 {
		var raw [4096]byte
		n, err := l.r.Read(raw[:])
		l.pending = l.pending[:0]
		for _, c := range raw[:n] {
			l.pending = append(l.pending, string(rune(c))...)
		}
		if n == 0 {
			return 0, err
		}
	}
	n := copy(p, l.pending)
	l.pending = l.pending[n:]
	return n, nil
}

// limitReader bounds what the XML decoder may read, which keeps tokens in memory. It is a ByteReader so that the decoder
// reads no further than the token that it returns.
type limitReader struct {
	r    *bufio.Reader
	left int
}

func (l *limitReader) ReadByte() (byte, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("more than %d bytes before the data", maxHeader)
	}
	l.left--
	return l.r.ReadByte()
}

func (l *limitReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c, err := l.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = c
	return 1, nil
}
