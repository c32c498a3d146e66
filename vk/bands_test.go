package vk

import (
	"testing"
	"time"
)

// Bands tile the rows in order, none exceeds the range, every offset is aligned and no two overlap.
func TestBands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rows                      int
		rowBytes, maxRange, align uint64
		bands                     int
	}{
		{2160, 3840 * 24, 1 << 27, 256, 2}, // a 4K frame of double RGB on lavapipe
		{10, 24, 24, 16, 10},
		{10, 24, 240, 1, 1},
		{10, 24, 239, 0, 2},
		{16384, 16384 * 8, 1<<32 - 1, 16, 1},
		{16384, 16384 * 24, 1<<32 - 1, 16, 2},
	} {
		bands, err := Bands(c.rows, c.rowBytes, c.maxRange, c.align)
		if err != nil || len(bands) != c.bands {
			t.Errorf("%+v: %d bands, %v", c, len(bands), err)
		}
		row, end := 0, uint64(0)
		for _, b := range bands {
			if b.Row != row || b.Rows < 1 || b.Bytes != uint64(b.Rows)*c.rowBytes || b.Bytes > c.maxRange || b.Offset < end || b.Offset%max(c.align, 1) != 0 {
				t.Errorf("%+v: band %+v after row %d, byte %d", c, b, row, end)
			}
			row, end = b.Row+b.Rows, b.Offset+b.Bytes
		}
		if row != c.rows {
			t.Errorf("%+v: %d rows covered", c, row)
		}
	}
	if _, err := Bands(1, 25, 24, 1); err == nil {
		t.Error("a row beyond the range was cut")
	}
}

func TestGrid(t *testing.T) {
	t.Parallel()
	d := &Device{info: Info{Limits: RequiredLimits()}}
	for _, n := range []uint64{1, 65535, 65536, 65537, 131071, 1 << 24, 65535 * 65535} {
		x, y, err := d.Grid(n)
		if err != nil || x > 65535 || y > 65535 || uint64(x)*uint64(y) < n || uint64(x)*uint64(y) >= n+uint64(y) {
			t.Errorf("%d groups: %d x %d, %v", n, x, y, err)
		}
	}
	for _, n := range []uint64{0, 65535*65535 + 1} {
		if _, _, err := d.Grid(n); err == nil {
			t.Errorf("%d groups fit", n)
		}
	}
}

func TestPacer(t *testing.T) {
	t.Parallel()
	p := Pacer{Budget: 100 * time.Millisecond, First: 1000, Most: 1 << 20}
	if p.Units() != 1000 {
		t.Errorf("first %d", p.Units())
	}
	p.Took(1000, 1e6) // 1 ms: 100,000 would fit, growth is eightfold
	if p.Units() != 8000 {
		t.Errorf("second %d", p.Units())
	}
	p.Took(8000, 8e6)
	p.Took(64000, 64e6)
	if n := p.Units(); n < 99999 || n > 100000 {
		t.Errorf("settled at %d", n)
	}
	p.Took(100000, 1e9) // ten times slower: down at once
	if n := p.Units(); n < 9999 || n > 10000 {
		t.Errorf("slowed to %d", n)
	}
	for range 9 {
		p.Took(p.Units(), 1)
	}
	if p.Units() != 1<<20 {
		t.Errorf("bounded to %d", p.Units())
	}
	p.Took(0, 5)
	p.Took(5, 0)
	if p.Units() != 1<<20 {
		t.Error("an empty measurement counted")
	}
	if (&Pacer{}).Units() != 1 {
		t.Error("a pacer may not stop")
	}
}
