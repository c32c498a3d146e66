package replay

import (
	"errors"
	"testing"

	"grsplat/render/event"
	"grsplat/render/psf"
)

func testPSF(t *testing.T) *psf.PSF {
	t.Helper()
	p := psf.Defaults()
	p.CacheRadius = 6
	f, err := psf.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The first state after seed 12345 is 6364136223846793005*12345 + 1442695040888963407 mod 2^64 = 2021368500568277588 (Python 3).
func TestFirstDraw(t *testing.T) {
	t.Parallel()
	s := lcg(DefaultSeed)
	got := s.draw()
	if want := float64(uint64(2021368500568277588)>>11) / (1 << 53); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEventsFillTheSquare(t *testing.T) {
	t.Parallel()
	spec := Synthetic{Events: event.ChunkLen + 5, Spread: 200, Seed: DefaultSeed, W: 300, H: 100}
	var sizes []int
	err := spec.Each(testPSF(t), func(chunk []event.Event) error {
		sizes = append(sizes, len(chunk))
		for _, e := range chunk {
			if !(e.X >= 50 && e.X < 250 && e.Y >= 0 && e.Y < 100 && e.R >= 0.5 && e.R < 1.5 && e.Flux >= 1 && e.Flux < 2 && e.Support == 6) {
				t.Fatalf("event %+v is outside what was asked for", e)
			}
		}
		return nil
	})
	if err != nil || len(sizes) != 2 || sizes[0] != event.ChunkLen || sizes[1] != 5 {
		t.Errorf("chunks of %v, %v", sizes, err)
	}
}

func TestEachStopsAndRefuses(t *testing.T) {
	t.Parallel()
	stop := errors.New("enough")
	spec := Synthetic{Events: 3, Spread: 1, FluxDecades: 2, W: 9, H: 9}
	if err := spec.Each(testPSF(t), func([]event.Event) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v, want the visitor's error", err)
	}
	for _, bad := range []Synthetic{{Events: -1, Spread: 1, W: 9, H: 9}, {Spread: 0, W: 9, H: 9}, {Spread: 1, W: 0, H: 9}, {Spread: 1, FluxDecades: -1, W: 9, H: 9}} {
		if bad.Check() == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
}
