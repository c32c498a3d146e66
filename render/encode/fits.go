package encode

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"

	"codeberg.org/astrogo/fitsio"

	"grsplat/render/fail"
	"grsplat/render/hdr"
)

// WriteFITS writes f as the primary HDU of a FITS file with the planes R, G, B along the third axis. bitpix is -32 for
// float32 or -64 for float64 pixels. Beside the frame it takes twice the size of the file in memory.
func WriteFITS(w io.Writer, f *hdr.Frame, bitpix int, h Header) error {
	var pixels any
	var err error
	switch bitpix {
	case -32:
		pixels, err = flatten[float32](f)
	case -64:
		pixels, err = flatten[float64](f)
	default:
		err = fmt.Errorf("encode: fits: BITPIX %d is neither -32 nor -64", bitpix)
	}
	if err != nil {
		return err
	}
	return write(w, bitpix, []int{f.W, f.H, 3}, pixels, h, nil)
}

// flatten copies the planes in the order of the file, rows bottom-up. A value that is not finite, or leaves the range of T,
// is an error.
func flatten[T float32 | float64](f *hdr.Frame) ([]T, error) {
	out := make([]T, 0, 3*f.W*f.H)
	for c, plane := range f.Plane {
		for y := f.H - 1; y >= 0; y-- {
			for x, v := range plane[y*f.W : (y+1)*f.W] {
				t := T(v)
				if d := t - t; d != 0 { // NaN or infinite
					return nil, badPixel(c, x, y, v)
				}
				out = append(out, t)
			}
		}
	}
	return out, nil
}

func badPixel(plane, x, y int, v float64) error {
	reason := "a FITS image holds finite pixels only: choose a smaller exposure"
	if !math.IsNaN(v) && !math.IsInf(v, 0) {
		reason = "beyond float32: choose a smaller exposure or a float64 file (--hdr-precision f64)"
	}
	return fail.Usage("encode: fits: pixel (%d,%d) of plane %c is %g: %s", x, y, "RGB"[plane], v, reason)
}

// WriteSums writes exact sums as a BITPIX 64 image of four axes, W x H x 3 x 2: along the fourth axis the high and the low
// 64 bits of the 128-bit two's-complement sums, the low words as the signed integers of the same bits. QBITS is k of the
// quantum 2^-k. Such files are merged and compared without rounding; they take 48 bytes a pixel.
func WriteSums(w io.Writer, s *hdr.Sums, h Header) error {
	pixels := make([]int64, 0, 6*s.W*s.H)
	for _, plane := range s.Hi {
		for y := s.H - 1; y >= 0; y-- {
			pixels = append(pixels, plane[y*s.W:(y+1)*s.W]...)
		}
	}
	for _, plane := range s.Lo {
		for y := s.H - 1; y >= 0; y-- {
			for _, v := range plane[y*s.W : (y+1)*s.W] {
				pixels = append(pixels, int64(v))
			}
		}
	}
	extra := []fitsio.Card{
		{Name: "SUMS128", Value: true, Comment: "exact sums, axis 4: high word, low word"},
		{Name: "QBITS", Value: s.Bits, Comment: "pixel = (high*2^64 + unsigned low) * 2^-QBITS"},
	}
	return write(w, 64, []int{s.W, s.H, 3, 2}, pixels, h, extra)
}

// write encodes one primary HDU.
func write(w io.Writer, bitpix int, axes []int, pixels any, h Header, extra []fitsio.Card) error {
	header, err := h.build(bitpix, axes, extra)
	if err != nil {
		return err
	}
	image, err := fitsio.NewPrimaryHDU(header)
	if err != nil {
		return fmt.Errorf("encode: fits: %w", err)
	}
	if err := image.Write(pixels); err != nil {
		return fmt.Errorf("encode: fits: %w", err)
	}
	seal(image.Header(), image.Raw())
	out := &keeper{w: w}
	file, err := fitsio.Create(out)
	if err != nil {
		return fmt.Errorf("encode: fits: %w", err)
	}
	if err := errors.Join(file.Write(image), file.Close()); err != nil {
		return fmt.Errorf("encode: fits: %w", cmp.Or(out.err, err))
	}
	return nil
}

// keeper keeps the first error of a writer, of which package fitsio passes on the text only.
type keeper struct {
	w   io.Writer
	err error
}

func (k *keeper) Write(p []byte) (int, error) {
	n, err := k.w.Write(p)
	k.err = cmp.Or(k.err, err)
	return n, err
}
