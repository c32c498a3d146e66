package catalog

import (
	"bytes"

	"grsplat/render/catalog/fits"
	"grsplat/render/catalog/parquet"
	"grsplat/render/catalog/table"
	"grsplat/render/catalog/text"
	"grsplat/render/catalog/votable"
	"grsplat/render/fail"
)

// refused are formats that are told apart only to be refused by name.
var refused = []struct {
	at    int
	magic string
	what  string
}{
	{257, "ustar", "a tar archive; unpack it first"},
	{0, "PK\x03\x04", "a zip archive; unpack it first"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"},
	{0, "\xfd7zXZ\x00", "compressed by xz; decompress it first (gz, bz2 and zst are read)"},
	{0, "\x1f\x9d", "compressed by compress (.Z); decompress it first"},
	{0, "\x1f\x8b", "compressed twice; decompress it once"},
	{0, "\x89HDF\r\n\x1a\n", "an HDF5 file; convert it to FITS, VOTable, CSV or Parquet"},
	{0, "ARROW1", "an Arrow IPC file; convert it to Parquet"},
	{0, "SQLite format 3", "an SQLite database; export a table as CSV"},
	{0, "\x89PNG", "a PNG image, not a catalogue"},
	{0, "\xff\xd8\xff", "a JPEG image, not a catalogue"},
	{0, "%PDF", "a PDF document, not a catalogue"},
	{0, "\x7fELF", "a program, not a catalogue"},
	{0, "\xff\xfe", "UTF-16 text; convert it to UTF-8"},
	{0, "\xfe\xff", "UTF-16 text; convert it to UTF-8"},
	{0, "{", "JSON, not a table"},
}

// openTable tells the format of a stream by its content and reads the header.
func openTable(s *stream, opt Options) (table.Reader, error) {
	head, err := s.r.Peek(4096)
	if len(head) == 0 {
		return nil, s.explain(err)
	}
	for _, f := range refused {
		if len(head) > f.at && bytes.HasPrefix(head[f.at:], []byte(f.magic)) {
			return nil, fail.Input("%s", f.what)
		}
	}
	start := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	lower := bytes.ToLower(start[:min(len(start), 64)])
	switch {
	case bytes.HasPrefix(head, []byte("SIMPLE  =")):
		return fits.Open(s.r, hasPositions(opt.Columns))
	case bytes.HasPrefix(head, []byte("PAR1")):
		if s.packed != "" {
			return nil, fail.Input("a Parquet file inside %s; decompress it first", s.packed)
		}
		return parquet.OpenFile(s.file)
	case bytes.HasPrefix(lower, []byte("<!doctype html")), bytes.HasPrefix(lower, []byte("<html")):
		return nil, fail.Input("an HTML page, not a catalogue")
	case bytes.HasPrefix(start, []byte("<")):
		return votable.Open(s.r, hasPositions(opt.Columns))
	case bytes.IndexByte(head, 0) >= 0:
		return nil, fail.Input("a binary file of no kind that is read here (FITS, VOTable, Parquet, text)")
	case len(start) == 0 && len(head) < 4096:
		return nil, fail.Input("the file holds only blanks")
	}
	return text.Open(s.r)
}
