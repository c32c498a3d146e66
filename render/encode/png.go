package encode

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"runtime"
	"sync"

	"grsplat/render/fail"
	"grsplat/render/hdr"
)

// WritePNG writes f as an sRGB image of 8 or 16 bits a channel, row 0 on top. A pixel that is NaN or infinite is an error.
func WritePNG(w io.Writer, f *hdr.Frame, depth int, s Stretch) error {
	if err := s.Validate(); err != nil {
		return err
	}
	var img image.Image
	var pix []byte
	switch depth {
	case 8:
		p := image.NewNRGBA(image.Rect(0, 0, f.W, f.H))
		img, pix = p, p.Pix
	case 16:
		p := image.NewNRGBA64(image.Rect(0, 0, f.W, f.H))
		img, pix = p, p.Pix
	default:
		return fmt.Errorf("encode: png: %d bits a channel, want 8 or 16", depth)
	}
	m := newMapper(s)
	if err := rows(f.H, func(y int) error { return m.row(f, y, depth, pix[y*f.W*depth/2:]) }); err != nil {
		return err
	}
	if err := (&png.Encoder{CompressionLevel: png.DefaultCompression}).Encode(w, img); err != nil {
		return fmt.Errorf("encode: png: %w", err)
	}
	return nil
}

// rows calls each for every y in [0,h) from as many goroutines as there are processors and returns the first error.
func rows(h int, each func(y int) error) error {
	workers := min(runtime.GOMAXPROCS(0), h)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for k := range workers {
		wg.Go(func() {
			for y := k; y < h && errs[k] == nil; y += workers {
				errs[k] = each(y)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// row maps row y of f and stores it as big-endian RGBA of the given depth.
func (m *mapper) row(f *hdr.Frame, y, depth int, out []byte) error {
	for x := range f.W {
		i := y*f.W + x
		rgb := [3]float64{f.Plane[0][i], f.Plane[1][i], f.Plane[2][i]}
		for c, v := range rgb {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fail.Usage("encode: png: pixel (%d,%d) of plane %c is %g: choose a smaller exposure", x, y, "RGB"[c], v)
			}
		}
		shown := m.display(rgb)
		if depth == 8 {
			for c, v := range shown {
				out[4*x+c] = uint8(math.Round(255 * transfer(v)))
			}
			out[4*x+3] = 0xff
			continue
		}
		for c, v := range shown {
			binary.BigEndian.PutUint16(out[8*x+2*c:], uint16(math.Round(65535*transfer(v))))
		}
		binary.BigEndian.PutUint16(out[8*x+6:], 0xffff)
	}
	return nil
}
