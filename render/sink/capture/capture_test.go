package capture

import (
	"bytes"
	"context"
	"testing"

	"grsplat/render/event"
	"grsplat/render/psf"
	"grsplat/render/sink/sinktest"
)

// Cached events are recorded up to the limit, direct ones never; the manifest's PSF reads back.
func TestCapture(t *testing.T) {
	t.Parallel()
	f := sinktest.PSF(func(p *psf.Params) { p.CacheRadius, p.MaxCacheFlux = 6, 100 })
	var b bytes.Buffer
	w, err := event.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	s := New(w, f, 5)
	front, err := s.Front()
	if err != nil {
		t.Fatal(err)
	}
	chunk := make([]event.Event, 8)
	for i := range chunk {
		chunk[i] = event.Event{X: float64(i), Flux: 1}
	}
	chunk[2].Flux = 1e3
	if err := front.Deposit(context.Background(), chunk); err != nil {
		t.Fatal(err)
	}
	if st := s.Stats(); st.Events != 8 || st.Direct != 1 || st.PathEvents["capture"] != 5 || st.PathEvents["left out"] != 2 {
		t.Errorf("%+v", st)
	}
	if _, err := w.Finish(event.Manifest{Width: 9, Height: 9, PSF: Describe(f.Params)}); err != nil {
		t.Fatal(err)
	}
	c, err := event.OpenCapture(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	got := make([]event.Event, 9)
	if n, err := c.Read(got); n != 5 || err != nil || got[1].X != 1 || got[2].X != 3 {
		t.Errorf("read %d (%v): %+v", n, err, got)
	}
	if p, err := Params(c.Manifest.PSF); err != nil || p != f.Params {
		t.Errorf("%+v, %v", p, err)
	}
}
