package encode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"codeberg.org/astrogo/fitsio"

	"grsplat/render/fail"
	"grsplat/render/hdr"
)

// Image is the content of a FITS file: pixels, or exact sums to be merged. One of the two is nil.
type Image struct {
	Frame   *hdr.Frame
	Sums    *hdr.Sums
	History []string // as Header has it
	WCS     *WCS     // nil where the file has no celestial coordinates
}

// Pixels returns the frame, or the sums rounded to one.
func (m *Image) Pixels() *hdr.Frame {
	if m.Frame != nil {
		return m.Frame
	}
	f := hdr.NewFrame(m.Sums.W, m.Sums.H)
	m.Sums.Resolve(f)
	return f
}

// ReadFITS reads an image that this package or another program wrote: a primary HDU of three planes, float32 or float64, or
// exact sums. Whatever is not that, is cut short, or fails its own CHECKSUM or DATASUM is refused as bad input (exit
// status 3). Pixels may be NaN, so that a comparison can find them.
func ReadFITS(path string) (*Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fail.Input("fits: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fail.Input("fits: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fail.Input("fits: read %s: not a regular file", path)
	}
	m, err := decode(f, info.Size())
	if err != nil {
		return nil, fail.Input("fits: read %s: %w", path, err)
	}
	return m, nil
}

// maxHeader bounds the header of a file that is not one of ours.
const maxHeader = 1000 * blockSize

// decode reads a file of the given size. The header's sizes are checked against it before anything is allocated.
func decode(r io.Reader, size int64) (*Image, error) {
	text, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	bitpix, axes, err := layout(text)
	if err != nil {
		return nil, err
	}
	bytesPerPixel := int64(max(bitpix, -bitpix) / 8)
	for _, n := range axes {
		bytesPerPixel *= int64(n) // layout keeps the product below 2^63
	}
	if data := size - int64(len(text)); data < bytesPerPixel {
		return nil, fmt.Errorf("truncated: %d bytes of pixels where the header promises %d", max(data, 0), bytesPerPixel)
	}
	image, err := library(io.MultiReader(bytes.NewReader(text), r))
	if err != nil {
		return nil, err
	}
	if err := verify(image, text); err != nil {
		return nil, err
	}
	m, err := convert(image, bitpix, axes)
	if err != nil {
		return nil, err
	}
	m.History, m.WCS = history(text), readWCS(image.Header())
	return m, nil
}

// history joins what wrap broke.
func history(text []byte) (entries []string) {
	for i := 0; i < len(text); i += 80 {
		line, ok := strings.CutPrefix(string(text[i:i+80]), "HISTORY ")
		if !ok {
			continue
		}
		line = strings.TrimRight(line, " ")
		if strings.HasPrefix(line, " ") && len(entries) > 0 {
			entries[len(entries)-1] += line
		} else {
			entries = append(entries, line)
		}
	}
	return entries
}

// readWCS keeps the cards of a file's coordinates as they stand there.
func readWCS(h *fitsio.Header) *WCS {
	cards := (&WCS{}).cards()
	for i := range cards {
		card := h.Get(cards[i].Name)
		if card == nil {
			return nil
		}
		cards[i].Value = card.Value
	}
	return &WCS{read: cards}
}

// readHeader returns the blocks up to the one with END.
func readHeader(r io.Reader) ([]byte, error) {
	var text []byte
	block := make([]byte, blockSize)
	for len(text) < maxHeader {
		if n, err := io.ReadFull(r, block); err != nil {
			switch {
			case len(text) == 0 && n == 0:
				return nil, errors.New("empty file")
			case len(text) == 0 && !bytes.HasPrefix(block[:n], []byte("SIMPLE  =")):
				return nil, errors.New("not a FITS file")
			case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
				return nil, errors.New("truncated in the header")
			}
			return nil, err
		}
		if len(text) == 0 && !bytes.HasPrefix(block, []byte("SIMPLE  =")) {
			return nil, errors.New("not a FITS file")
		}
		text = append(text, block...)
		for i := 0; i < blockSize; i += 80 {
			if bytes.Equal(block[i:i+8], []byte("END     ")) {
				return text, nil
			}
		}
	}
	return nil, errors.New("header without END")
}

// layout reads BITPIX and the axes from their fixed format (FITS standard 4.0, section 4.4.1) and refuses an image that is not
// three planes of floating-point numbers or exact sums.
func layout(text []byte) (bitpix int, axes []int, err error) {
	if bitpix, err = integer(text, "BITPIX"); err != nil {
		return 0, nil, err
	}
	naxis, err := integer(text, "NAXIS")
	if err != nil {
		return 0, nil, err
	}
	if naxis == 0 {
		return 0, nil, errors.New("no image in the primary HDU")
	}
	if !(naxis == 3 && (bitpix == -32 || bitpix == -64)) && !(naxis == 4 && bitpix == 64) {
		return 0, nil, fmt.Errorf("%d axes with BITPIX %d: want 3 with -32 or -64, or 4 with 64", naxis, bitpix)
	}
	for i := 1; i <= naxis; i++ {
		n, err := integer(text, "NAXIS"+strconv.Itoa(i))
		if err != nil {
			return 0, nil, err
		}
		if n < 1 || n > 1<<24 {
			return 0, nil, fmt.Errorf("NAXIS%d is %d", i, n)
		}
		axes = append(axes, n)
	}
	if axes[2] != 3 || naxis == 4 && axes[3] != 2 {
		return 0, nil, fmt.Errorf("axes %v: want three planes, R G B", axes)
	}
	return bitpix, axes, nil
}

// integer returns the value of a mandatory card.
func integer(text []byte, name string) (int, error) {
	key := fmt.Sprintf("%-8s= ", name)
	for i := 0; i < len(text); i += 80 {
		line := string(text[i : i+80])
		if strings.HasPrefix(line, key) {
			value, _, _ := strings.Cut(line[10:], "/")
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil {
				return 0, fmt.Errorf("damaged header: %s is %q", name, strings.TrimSpace(value))
			}
			return n, nil
		}
	}
	return 0, fmt.Errorf("damaged header: no %s", name)
}

// library decodes the first HDU with package fitsio, which panics on some damaged headers.
func library(r io.Reader) (image fitsio.Image, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("damaged header: %v", e)
		}
	}()
	hdu, err := fitsio.NewDecoder(r).DecodeHDU()
	if err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	image, ok := hdu.(fitsio.Image)
	if !ok {
		return nil, errors.New("no image in the primary HDU")
	}
	return image, nil
}

// verify checks DATASUM and CHECKSUM where the file has them.
func verify(image fitsio.Image, text []byte) error {
	sum := onesSum(0, image.Raw())
	if card := image.Header().Get("DATASUM"); card != nil {
		if want := strings.TrimSpace(fmt.Sprint(card.Value)); want != strconv.FormatUint(uint64(sum), 10) {
			return fmt.Errorf("damaged pixels: DATASUM is %s, the data's sum %d", want, sum)
		}
	}
	if image.Header().Get("CHECKSUM") != nil {
		if total := onesSum(sum, text); total != 0xffffffff && total != 0 {
			return fmt.Errorf("damaged header: CHECKSUM leaves %#x", total)
		}
	}
	for name, want := range map[string]float64{"BSCALE": 1, "BZERO": 0} {
		if card := image.Header().Get(name); card != nil && fmt.Sprint(card.Value) != fmt.Sprint(want) {
			return fmt.Errorf("%s is %v: scaled pixels are not supported", name, card.Value)
		}
	}
	return nil
}

// convert turns big-endian pixels with rows bottom-up into a frame or sums.
func convert(image fitsio.Image, bitpix int, axes []int) (*Image, error) {
	w, h, raw := axes[0], axes[1], image.Raw()
	n := w * h
	// at returns the index in the file of pixel i of the k-th plane.
	at := func(k, i int) int { return k*n + (h-1-i/w)*w + i%w }
	if bitpix != 64 {
		f := hdr.NewFrame(w, h)
		for c, plane := range f.Plane {
			for i := range plane {
				if bitpix == -32 {
					plane[i] = float64(math.Float32frombits(binary.BigEndian.Uint32(raw[4*at(c, i):])))
				} else {
					plane[i] = math.Float64frombits(binary.BigEndian.Uint64(raw[8*at(c, i):]))
				}
			}
		}
		return &Image{Frame: f}, nil
	}
	card := image.Header().Get("QBITS")
	if card == nil {
		return nil, errors.New("integers without QBITS are not exact sums")
	}
	bits, ok := card.Value.(int)
	if !ok || bits < 0 || bits > 126 {
		return nil, fmt.Errorf("QBITS is %v", card.Value)
	}
	s := hdr.NewSums(w, h, bits)
	for c := range s.Hi {
		for i := range s.Hi[c] {
			s.Hi[c][i] = int64(binary.BigEndian.Uint64(raw[8*at(c, i):]))
			s.Lo[c][i] = binary.BigEndian.Uint64(raw[8*at(c+3, i):])
		}
	}
	return &Image{Sums: s}, nil
}
