package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"grsplat/cmd/internal/cli"
	"grsplat/render/encode"
	"grsplat/render/fail"
	"grsplat/render/hdr"
)

func fitsFile(t *testing.T, w, h int, edit func(*hdr.Frame)) string {
	t.Helper()
	f := hdr.NewFrame(w, h)
	for c := range f.Plane {
		for i := range f.Plane[c] {
			f.Plane[c][i] = 1 + float64(i)
		}
	}
	edit(f)
	var b bytes.Buffer
	if err := encode.WriteFITS(&b, f, -64, encode.Header{Creator: "test", Date: time.Unix(0, 0)}); err != nil {
		t.Fatal(err)
	}
	return tempFile(t, b.Bytes())
}

func tempFile(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.fits")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func runCLI(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = program().Dispatch(context.Background(), cli.NewConsole("grsplat", &out, &errs), args)
	return status, out.String(), errs.String()
}

func TestCompare(t *testing.T) {
	t.Parallel()
	b := fitsFile(t, 4, 3, func(*hdr.Frame) {})
	same := fitsFile(t, 4, 3, func(*hdr.Frame) {})
	off := fitsFile(t, 4, 3, func(f *hdr.Frame) { f.Plane[1][3] *= 1.25 })
	for _, c := range []struct {
		args   []string
		status int
	}{
		{[]string{same, b, "--max-rel", "0"}, 0},
		{[]string{off, b}, 0},
		{[]string{off, b, "--max-rel", "0.25"}, 0},
		{[]string{off, b, "--max-rel", "0.2"}, fail.StatusTolerance},
		{[]string{off, b, "--max-rel", "0.2", "--floor", "0.5"}, 0},
		{[]string{b}, fail.StatusUsage},
		{[]string{b, same, "--max-rel", "NaN"}, fail.StatusUsage},
		{[]string{b, same, "--floor", "1"}, fail.StatusUsage},
		{[]string{b, filepath.Join(t.TempDir(), "none.fits")}, fail.StatusInput},
		{[]string{b, fitsFile(t, 3, 4, func(*hdr.Frame) {})}, fail.StatusInput},
	} {
		status, _, stderr := runCLI(append([]string{"compare"}, c.args...)...)
		if status != c.status || (status != 0) != (strings.Count(stderr, "\n") == 1) {
			t.Errorf("%v: status %d, %q, want %d", c.args[1:], status, stderr, c.status)
		}
	}
	_, out, _ := runCLI("compare", off, b, "--json")
	var got struct {
		Identical bool
		MaxAbs    float64   `json:"max_abs"`
		MaxRel    float64   `json:"max_rel"`
		RGB       []float64 `json:"flux_rel_rgb"`
		Y         float64   `json:"flux_rel_y"`
		Pixels    int
		Differing int
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if got.Identical || got.MaxAbs != 1 || got.MaxRel != 0.25 || got.Pixels != 12 || got.Differing != 1 || got.RGB[0] != 0 ||
		!(math.Abs(got.RGB[1]-1.0/78) < 1e-15) || !(got.Y > 0 && got.Y < got.RGB[1]) {
		t.Errorf("%s", out)
	}
	if _, out, _ = runCLI("compare", same, b); !strings.Contains(out, "identical             true") {
		t.Errorf("%s", out)
	}
}

// A NaN in a file that another program wrote never passes a tolerance.
func TestCompareNaN(t *testing.T) {
	t.Parallel()
	b := fitsFile(t, 4, 3, func(*hdr.Frame) {})
	data, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	// The first pixel becomes NaN, and the sums' cards lose their names, as in a file without them.
	copy(data[len(data)-2880:], []byte{0x7f, 0xf8})
	data = bytes.ReplaceAll(data, []byte("DATASUM ="), []byte("OLDSUM  ="))
	data = bytes.ReplaceAll(data, []byte("CHECKSUM="), []byte("OLDCHECK="))
	nan := tempFile(t, data)
	status, out, _ := runCLI("compare", nan, b, "--max-rel", "1e300", "--json")
	if status != fail.StatusTolerance || !strings.Contains(out, `"max_rel": null`) {
		t.Errorf("status %d: %s", status, out)
	}
}

func TestCompareSums(t *testing.T) {
	t.Parallel()
	file := func(lo uint64) string {
		s := hdr.NewSums(2, 2, 44)
		s.Add(0, 0, 1<<40, lo)
		var b bytes.Buffer
		if err := encode.WriteSums(&b, s, encode.Header{Creator: "test"}); err != nil {
			t.Fatal(err)
		}
		return tempFile(t, b.Bytes())
	}
	a, same, other := file(7), file(7), file(8)
	if _, out, _ := runCLI("compare", a, same, "--json"); !strings.Contains(out, `"identical": true`) {
		t.Errorf("equal sums: %s", out)
	}
	// One quantum in 2^104 is lost by rounding to float64, but not by the comparison.
	if _, out, _ := runCLI("compare", a, other, "--json"); !strings.Contains(out, `"identical": false`) || !strings.Contains(out, `"differing": 0`) {
		t.Errorf("sums one quantum apart: %s", out)
	}
}
