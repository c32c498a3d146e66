package vk

import (
	"testing"
	"time"
)

// Bands tile the rows in order, none exceeds the range, and all but the last are aligned.
func TestBands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rows, align        int
		rowBytes, maxBytes uint64
		bands              int
	}{
		{2160, 32, 3840 * 24, 1 << 27, 2}, // a 4K frame of double RGB on lavapipe
		{10, 1, 24, 24, 10},
		{10, 1, 24, 240, 1},
		{10, 4, 24, 239, 2},
		{10, 32, 24, 240, 1}, // all fit: nothing to align
		{16384, 32, 16384 * 8, 1<<32 - 1, 1},
		{16384, 32, 16384 * 24, 1<<32 - 1, 2},
	} {
		bands, err := Bands(c.rows, c.align, c.rowBytes, c.maxBytes)
		if err != nil || len(bands) != c.bands {
			t.Errorf("%+v: %d bands, %v", c, len(bands), err)
		}
		row := 0
		for i, b := range bands {
			if b.Row != row || b.Rows < 1 || uint64(b.Rows)*c.rowBytes > c.maxBytes || i < len(bands)-1 && b.Rows%c.align != 0 {
				t.Errorf("%+v: band %+v after row %d", c, b, row)
			}
			row = b.Row + b.Rows
		}
		if row != c.rows {
			t.Errorf("%+v: %d rows covered", c, row)
		}
	}
	for _, rows := range []int{1, 64} {
		if _, err := Bands(rows, 32, 25, 24); err == nil {
			t.Error("a row beyond the range was cut")
		}
	}
	if n := (Limits{MaxStorageBufferRange: 1 << 32, MaxMemoryAllocationSize: 1 << 30}).MaxBinding(); n != 1<<30 {
		t.Errorf("binding of %d bytes", n)
	}
	if n := (Limits{MaxStorageBufferRange: 1 << 27}).MaxBinding(); n != 1<<27 {
		t.Errorf("binding of %d bytes", n)
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
