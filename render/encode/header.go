package encode

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"codeberg.org/astrogo/fitsio"
)

// Header is what a FITS file says beside its pixels.
type Header struct {
	Creator string    // program and version, CREATOR
	Date    time.Time // DATE, written in UTC to the second
	Unit    string    // BUNIT, empty for none
	History []string  // HISTORY, one entry for each line that a reader should see; long ones wrap
	WCS     *WCS      // nil where the image has no celestial coordinates
}

// WCS is a celestial coordinate system of FITS WCS papers I and II (Greisen & Calabretta 2002, Calabretta & Greisen 2002) in
// ICRS. Angles are in degrees.
type WCS struct {
	Projection string     // TAN, CAR or ZEA
	CRPix      [2]float64 // reference pixel; the first pixel's centre is 1, rows counted bottom-up
	CRVal      [2]float64 // right ascension and declination of the reference point
	Scale      float64    // degrees of the projection plane to the pixel
	Roll       float64    // the camera turned clockwise on the sky image; stars turn the other way
	LonPole    float64    // native longitude of the celestial pole

	read []fitsio.Card // of a file, instead of the above
}

// NewWCS returns the coordinates of a w x h pixel image centred on (ra, dec) with the given scale at its centre, in degrees
// of the projection plane to the pixel: for TAN, 180/pi over the focal length in pixels. A CAR image is centred on the
// equator at ra; dec must be 0.
func NewWCS(projection string, w, h int, scale, ra, dec, roll float64) (*WCS, error) {
	s := &WCS{
		Projection: strings.ToUpper(projection),
		CRPix:      [2]float64{float64(w+1) / 2, float64(h+1) / 2},
		CRVal:      [2]float64{math.Mod(math.Mod(ra, 360)+360, 360), dec},
		Scale:      scale, Roll: roll, LonPole: 180,
	}
	switch s.Projection {
	case "TAN", "ZEA":
	case "CAR":
		if dec != 0 {
			return nil, errors.New("encode: wcs: a CAR image is centred on the equator")
		}
		s.LonPole = 0
	default:
		return nil, fmt.Errorf("encode: wcs: projection %q is none of TAN, CAR, ZEA", projection)
	}
	return s, nil
}

// cards writes the system with CDELT and PC. Right is west and up is north at roll 0, so CDELT1 is negative; a roll turns
// the stars counter-clockwise, and PC turns them back.
func (s *WCS) cards() []fitsio.Card {
	if s.read != nil {
		return slices.Clone(s.read)
	}
	sin, cos := math.Sincos(s.Roll * math.Pi / 180)
	if s.Roll == 0 {
		sin, cos = 0, 1
	}
	return []fitsio.Card{
		{Name: "CTYPE1", Value: "RA---" + s.Projection, Comment: "right ascension"},
		{Name: "CTYPE2", Value: "DEC--" + s.Projection, Comment: "declination"},
		{Name: "CTYPE3", Value: "RGB", Comment: "planes: red, green, blue"},
		{Name: "CUNIT1", Value: "deg"},
		{Name: "CUNIT2", Value: "deg"},
		{Name: "CRPIX1", Value: s.CRPix[0]},
		{Name: "CRPIX2", Value: s.CRPix[1]},
		{Name: "CRVAL1", Value: s.CRVal[0]},
		{Name: "CRVAL2", Value: s.CRVal[1]},
		{Name: "CDELT1", Value: -s.Scale},
		{Name: "CDELT2", Value: s.Scale},
		{Name: "PC1_1", Value: cos},
		{Name: "PC1_2", Value: sin},
		{Name: "PC2_1", Value: 0 - sin},
		{Name: "PC2_2", Value: cos},
		{Name: "LONPOLE", Value: s.LonPole},
		{Name: "RADESYS", Value: "ICRS"},
	}
}

// Date returns the moment that DATE names: SOURCE_DATE_EPOCH (seconds since 1970, reproducible-builds.org) where the
// environment has it, else now.
func Date() (time.Time, error) {
	epoch, ok := os.LookupEnv("SOURCE_DATE_EPOCH")
	if !ok {
		return time.Now().UTC(), nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	// 253402300799 is the last second of the year 9999, the last that DATE can hold.
	if err != nil || seconds < 0 || seconds > 253402300799 {
		return time.Time{}, fmt.Errorf("encode: date: SOURCE_DATE_EPOCH is %q, not seconds since 1970", epoch)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// build returns the whole header of a primary HDU, with CHECKSUM and DATASUM still to be set.
func (h *Header) build(bitpix int, axes []int, extra []fitsio.Card) (*fitsio.Header, error) {
	cards := []fitsio.Card{
		{Name: "SIMPLE", Value: true, Comment: "conforms to FITS standard"},
		{Name: "BITPIX", Value: bitpix, Comment: "bits per pixel; negative: IEEE floating point"},
		{Name: "NAXIS", Value: len(axes), Comment: "number of axes"},
	}
	for i, n := range axes {
		cards = append(cards, fitsio.Card{Name: "NAXIS" + strconv.Itoa(i+1), Value: n})
	}
	if h.Unit != "" {
		cards = append(cards, fitsio.Card{Name: "BUNIT", Value: h.Unit, Comment: "unit of the pixels"})
	}
	cards = append(cards, extra...)
	if h.WCS != nil {
		cards = append(cards, h.WCS.cards()...)
	}
	cards = append(cards,
		fitsio.Card{Name: "DATE", Value: h.Date.UTC().Format("2006-01-02T15:04:05"), Comment: "file creation, UTC"},
		fitsio.Card{Name: "CREATOR", Value: h.Creator, Comment: "program"},
		fitsio.Card{Name: "DATASUM", Value: "0", Comment: "sum of the data"},
		fitsio.Card{Name: "CHECKSUM", Value: strings.Repeat("0", 16), Comment: "of header and data"})
	for i := range cards {
		if err := clean(&cards[i]); err != nil {
			return nil, err
		}
	}
	for _, entry := range h.History {
		for _, line := range wrap(ascii(entry), 72) {
			cards = append(cards, fitsio.Card{Name: "HISTORY", Comment: line})
		}
	}
	return fitsio.NewHeader(cards, fitsio.IMAGE_HDU, bitpix, axes), nil
}

// clean makes a card's value fit for a card: ASCII, quotes doubled, finite.
func clean(card *fitsio.Card) error {
	switch v := card.Value.(type) {
	case string:
		quoted := strings.ReplaceAll(ascii(v), "'", "''")
		if len(quoted) > 68 {
			return fmt.Errorf("encode: fits: %s is longer than a card: %q", card.Name, v)
		}
		card.Value = quoted
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("encode: fits: %s is %v, which a card cannot hold", card.Name, v)
		}
	}
	return nil
}

// ascii escapes what a FITS header may not hold (anything but 0x20 to 0x7e) the way Go writes it in a string.
func ascii(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r >= ' ' && r <= '~' {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRuneToASCII(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}

// wrap breaks s into lines of at most width characters, at a space where there is one in the second half of the line.
// Continued lines begin with a space, so that entries can be told apart.
func wrap(s string, width int) []string {
	var lines []string
	for len(s) > width {
		cut := strings.LastIndexByte(s[:width+1], ' ')
		if cut < width/2 {
			cut = width
		}
		lines = append(lines, strings.TrimRight(s[:cut], " "))
		s = " " + strings.TrimLeft(s[cut:], " ")
	}
	return append(lines, s)
}
