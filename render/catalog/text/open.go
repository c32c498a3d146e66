package text

import (
	"bufio"
	"bytes"
	"strings"

	"grsplat/render/catalog/table"
	"grsplat/render/fail"
)

// Open reads the header of a text table and returns a reader of its rows. The format is told from the first lines. r's
// buffer should hold at least the longest header line.
func Open(r *bufio.Reader) (*Reader, error) {
	if head, _ := r.Peek(3); bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		if _, err := r.Discard(3); err != nil {
			return nil, err
		}
	}
	head, _ := r.Peek(r.Size())
	if bytes.Contains(head, []byte("Byte-by-byte Description")) {
		return nil, fail.Input("a CDS or AAS description of fixed columns (byte-by-byte), not a table with a header")
	}
	first, _, _ := bytes.Cut(head, newline)
	line := strings.TrimRight(string(first), "\r ")
	switch fields := strings.Count(line, "|") + 1; {
	case strings.HasPrefix(line, "# %ECSV"):
		return openECSV(r)
	case strings.HasPrefix(line, `\`), strings.HasPrefix(line, "|") && strings.HasSuffix(line, "|"):
		return openIPAC(r)
	case fields == len(tycho) && isTycho(line):
		return openRaw(r, "tycho2", tycho, 2000), nil
	case fields == len(tychoSupplement) && isTycho(line):
		return openRaw(r, "tycho2-supplement", tychoSupplement, supplementEpoch), nil
	case fields == len(twoMass) && firstIsNumber(line):
		return openRaw(r, "2mass-psc", twoMass, 2000), nil
	}
	return openDelimited(r)
}

// isTycho tells a record that begins with a Tycho identifier: 0001 00008 1|.
func isTycho(line string) bool {
	id, _, _ := strings.Cut(line, "|")
	parts := strings.Fields(id)
	if len(parts) != 3 {
		return false
	}
	for _, part := range parts {
		if v, ok := table.ParseNumber([]byte(part)); !ok || v != v {
			return false
		}
	}
	return true
}
