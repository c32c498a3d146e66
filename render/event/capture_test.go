package event

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"testing"

	"grsplat/render/fail"
)

func sample(n int) []Event {
	events := make([]Event, n)
	for i := range events {
		x := float64(i)
		events[i] = Event{X: x, Y: -x, R: x / 3, G: math.SmallestNonzeroFloat64, B: -1e300, Flux: 1 + x, Support: 5}
	}
	return events
}

func written(t testing.TB, events []Event) ([]byte, Manifest) {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(events); err != nil {
		t.Fatal(err)
	}
	m, err := w.Finish(Manifest{Width: 30, Height: 20, Selection: "all", PSF: PSF{FWHM: 2.7, Phases: 8, Sampling: "centre"}, Inputs: map[string]string{"a": "b"}})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), m
}

func readAll(raw []byte, chunk int) ([]Event, Manifest, error) {
	c, err := OpenCapture(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, Manifest{}, err
	}
	var all []Event
	buf := make([]Event, chunk)
	for {
		n, err := c.Read(buf)
		all = append(all, buf[:n]...)
		if errors.Is(err, io.EOF) {
			return all, c.Manifest, nil
		}
		if err != nil {
			return nil, c.Manifest, err
		}
	}
}

func TestCaptureRoundTrip(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 1024, 2500} {
		events := sample(n)
		raw, m := written(t, events)
		got, read, err := readAll(raw, 700)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != n || n > 0 && !reflect.DeepEqual(got, events) || !reflect.DeepEqual(read, m) || read.Events != int64(n) {
			t.Errorf("%d events came back as %d, manifest %+v", n, len(got), read)
		}
	}
}

// Every cut and every flipped byte is refused as bad input, none read as something else.
func TestCaptureDamage(t *testing.T) {
	t.Parallel()
	raw, _ := written(t, sample(3))
	for n := range raw {
		if _, _, err := readAll(raw[:n], 10); fail.Status(err) != fail.StatusInput {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
		bad := bytes.Clone(raw)
		bad[n] ^= 0x10
		if _, _, err := readAll(bad, 10); fail.Status(err) != fail.StatusInput {
			t.Fatalf("byte %d flipped: %v", n, err)
		}
	}
}

func FuzzOpenCapture(f *testing.F) {
	raw, _ := written(f, sample(2))
	f.Add(raw)
	f.Add([]byte(captureMagic + captureEnd))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if events, m, err := readAll(raw, 100); err == nil && int64(len(events)) != m.Events {
			t.Errorf("%d events, the manifest counts %d", len(events), m.Events)
		}
	})
}
