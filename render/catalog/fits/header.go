// Package fits streams the first fitting table of a FITS file, binary or ASCII (FITS Standard 4.0, Pence et al. 2010, sections 4 and 7).
//
// It is its own because the project's FITS library loads a whole HDU into memory, needs a seekable file and decodes rows
// through reflection; a catalogue may be a hundred gigabytes behind gzip, with heaps and sizes that do not deserve trust.
package fits

import (
	"io"
	"strconv"
	"strings"

	"grsplat/render/fail"
)

const (
	block     = 2880
	cardLen   = 80
	maxBlocks = 4096 // of one header: 147,456 cards
)

// header holds the first value of each keyword, strings unquoted.
type header map[string]string

// readHeader reads one header. io.EOF means that there is none.
func readHeader(r io.Reader) (header, error) {
	h := header{}
	var buf [block]byte
	for n := 0; n < maxBlocks; n++ {
		if _, err := io.ReadFull(r, buf[:]); err != nil {
			if n == 0 {
				return nil, io.EOF // padding or junk after the last HDU is allowed
			}
			return nil, fail.Input("fits: header: %w", io.ErrUnexpectedEOF)
		}
		for at := 0; at < block; at += cardLen {
			card := string(buf[at : at+cardLen])
			key := strings.TrimRight(card[:8], " ")
			if key == "END" {
				return h, nil
			}
			if card[8:10] != "= " {
				continue
			}
			if _, seen := h[key]; !seen {
				h[key] = cardValue(card[10:])
			}
		}
		if n == 0 && h["SIMPLE"] == "" && h["XTENSION"] == "" {
			return nil, io.EOF
		}
	}
	return nil, fail.Input("fits: header: no END card in %d blocks", maxBlocks)
}

// cardValue returns a value without its comment; a doubled quote inside a string is one quote.
func cardValue(s string) string {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, "'") {
		value, _, _ := strings.Cut(s, "/")
		return strings.TrimSpace(value)
	}
	var value strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] == '\'' {
			if i+1 >= len(s) || s[i+1] != '\'' {
				break
			}
			i++
		}
		value.WriteByte(s[i])
	}
	return strings.TrimRight(value.String(), " ")
}

// integer returns a keyword's value, or an absent value's default.
func (h header) integer(key string, absent int64) (int64, error) {
	text, ok := h[key]
	if !ok {
		return absent, nil
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fail.Input("fits: header: %s = %q is not an integer", key, text)
	}
	return v, nil
}

// float returns a keyword's value, or def where it is absent.
func (h header) float(key string, def float64) (float64, error) {
	text, ok := h[key]
	if !ok {
		return def, nil
	}
	v, err := strconv.ParseFloat(strings.Replace(text, "D", "E", 1), 64)
	if err != nil {
		return 0, fail.Input("fits: header: %s = %q is not a number", key, text)
	}
	return v, nil
}

// dataSize returns the bytes of the HDU's data without padding: |BITPIX|/8 GCOUNT (PCOUNT + product of the axes).
func (h header) dataSize() (int64, error) {
	axes, err := h.integer("NAXIS", 0)
	if err != nil || axes == 0 {
		return 0, err
	}
	if axes < 0 || axes > 999 {
		return 0, fail.Input("fits: header: NAXIS = %d", axes)
	}
	product := 1.0
	for i := int64(1); i <= axes; i++ {
		n, err := h.integer("NAXIS"+strconv.FormatInt(i, 10), -1)
		if err != nil {
			return 0, err
		}
		if n < 0 {
			return 0, fail.Input("fits: header: NAXIS%d is missing or negative", i)
		}
		if n == 0 && i == 1 && h["GROUPS"] == "T" {
			n = 1
		}
		product *= float64(n)
	}
	bits, err := h.integer("BITPIX", 8)
	if err != nil {
		return 0, err
	}
	heap, err := h.integer("PCOUNT", 0)
	if err != nil {
		return 0, err
	}
	groups, err := h.integer("GCOUNT", 1)
	if err != nil {
		return 0, err
	}
	size := float64(max(bits, -bits)) / 8 * float64(groups) * (float64(heap) + product)
	if !(size >= 0 && size < 1<<53) {
		return 0, fail.Input("fits: header: impossible data size %g", size)
	}
	return int64(size), nil
}
