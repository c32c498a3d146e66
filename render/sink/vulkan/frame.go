package vulkan

import (
	"grsplat/render/fail"
	"grsplat/render/sink"
	"grsplat/vk"
)

// A frame is the sums on the device: bands of rows, each in a buffer of its own that one binding holds, in three planes.
type frame struct {
	w, h  int
	word  int // bytes of a sum
	bands []*band
}

// A band holds rows y0 to y0+rows-1. Exact sums have a second word: value = high*2^32 + sum.
type band struct {
	y0, rows  int
	sum, high *vk.Buffer
	lit       [2]int // rows first and last+1 that batches may have lit since the last carry
}

// touch notes that rows y0 to y1-1 of the frame may have changed.
func (b *band) touch(y0, y1 int) {
	if b.lit[0] == b.lit[1] {
		b.lit = [2]int{y0, y1}
		return
	}
	b.lit = [2]int{min(b.lit[0], y0), max(b.lit[1], y1)}
}

// bandAlign is a whole number of tiles of every path, so that a tile lies in one band.
const bandAlign = 32

// newFrame allocates black bands of at most bandRows rows each, if that is not 0.
func (e *Engine) newFrame(w, h, bandRows int) (*frame, error) {
	f := &frame{w: w, h: h, word: 8}
	if e.precision == sink.F32 {
		f.word = 4
	}
	row, limit := uint64(3*f.word*w), e.info.Limits.MaxBinding()
	if bandRows > 0 {
		limit = min(limit, uint64(bandRows)*row)
	}
	bands, err := vk.Bands(h, bandAlign, row, limit)
	if err != nil {
		return nil, fail.Backend("vulkan: %s: frame: %w", e.info.Name, err)
	}
	for _, rows := range bands {
		b := &band{y0: rows.Row, rows: rows.Rows}
		f.bands = append(f.bands, b)
		if err := f.allocate(e, b); err != nil {
			f.free()
			return nil, fail.Backend("vulkan: %w", err)
		}
	}
	if err := f.clear(e.device); err != nil {
		f.free()
		return nil, fail.Device("vulkan: %w", err)
	}
	return f, nil
}

func (f *frame) allocate(e *Engine, b *band) (err error) {
	size := uint64(3 * f.word * f.w * b.rows)
	if b.sum, err = e.device.NewBuffer("frame", size, vk.OnDevice); err == nil && e.precision == sink.Exact128 {
		b.high, err = e.device.NewBuffer("frame's second words", size, vk.OnDevice)
	}
	return err
}

// clear sets every sum to zero.
func (f *frame) clear(d *vk.Device) error {
	batch := d.Batch("clear the frame")
	for _, b := range f.bands {
		batch.Fill(b.sum.All(), 0)
		if b.high != nil {
			batch.Fill(b.high.All(), 0)
		}
	}
	_, err := batch.Run()
	return err
}

func (f *frame) free() {
	if f == nil {
		return
	}
	for _, b := range f.bands {
		b.sum.Free()
		b.high.Free()
	}
}
