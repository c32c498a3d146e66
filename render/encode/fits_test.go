package encode

import (
	"bytes"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"grsplat/render/fail"
	"grsplat/render/hdr"
)

func encodeFrame(t testing.TB, f *hdr.Frame, bitpix int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteFITS(&b, f, bitpix, testHeader()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	f := corners(5, 7)
	f.Plane[0][3] = math.Pi
	f.Plane[1][0] = math.Copysign(0, -1)
	f.Plane[2][34] = -5e-324
	data := encodeFrame(t, f, -64)
	m, err := decode(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if d, err := hdr.Compare(m.Frame, f, 0); err != nil || !d.Identical || m.Pixels() != m.Frame {
		t.Errorf("difference %+v, %v", d, err)
	}
	data = encodeFrame(t, f, -32)
	if len(data)%blockSize != 0 {
		t.Errorf("%d bytes are no whole blocks", len(data))
	}
	m, err = decode(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Frame.Plane[0][3]; got != float64(float32(math.Pi)) {
		t.Errorf("pi is %g as float32", got)
	}
}

func TestSumsRoundTrip(t *testing.T) {
	t.Parallel()
	s := hdr.NewSums(3, 2, 51)
	for c := range 3 {
		for i := range 6 {
			s.Add(c, i, int64(c-1)<<60+int64(i), uint64(i)*0x9e3779b97f4a7c15)
		}
	}
	var b bytes.Buffer
	if err := WriteSums(&b, s, testHeader()); err != nil {
		t.Fatal(err)
	}
	m, err := decode(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if m.Sums.SHA256() != s.SHA256() {
		t.Error("sums change on their way through a file")
	}
	want := hdr.NewFrame(3, 2)
	s.Resolve(want)
	if d, _ := hdr.Compare(m.Pixels(), want, 0); !d.Identical {
		t.Errorf("pixels differ: %+v", d)
	}
}

func TestOnlyFinitePixels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v      float64
		bitpix int
		reason string
	}{
		{math.NaN(), -32, "pixel (2,1) of plane G is NaN: a FITS image holds finite pixels only"},
		{math.Inf(-1), -64, "pixel (2,1) of plane G is -Inf: a FITS"},
		{1e39, -32, "pixel (2,1) of plane G is 1e+39: beyond float32"},
	} {
		f := corners(4, 3)
		f.Plane[1][1*4+2] = c.v
		err := WriteFITS(&bytes.Buffer{}, f, c.bitpix, testHeader())
		if err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%g: %v", c.v, err)
		}
	}
	if err := WriteFITS(&bytes.Buffer{}, corners(2, 2), 16, testHeader()); err == nil {
		t.Error("BITPIX 16 is written")
	}
}

func TestHeaderRefusals(t *testing.T) {
	t.Parallel()
	long, nan := testHeader(), testHeader()
	long.Creator = strings.Repeat("x", 69)
	nan.WCS = &WCS{Projection: "TAN", Scale: math.NaN()}
	for _, h := range []Header{long, nan} {
		if err := WriteFITS(&bytes.Buffer{}, corners(2, 2), -32, h); err == nil || !strings.HasPrefix(err.Error(), "encode: fits: C") {
			t.Errorf("error %v", err)
		}
	}
	if _, err := NewWCS("sin", 2, 2, 1, 0, 0, 0); err == nil {
		t.Error("an unknown projection is accepted")
	}
	if _, err := NewWCS("car", 2, 2, 1, 0, 5, 0); err == nil {
		t.Error("a CAR image off the equator is accepted")
	}
	if w, _ := NewWCS("zea", 2, 2, 1, -10, 5, 0); w.CRVal[0] != 350 {
		t.Errorf("CRVAL1 %g", w.CRVal[0])
	}
	failing := iotest.ErrReader(os.ErrClosed)
	if _, err := decode(failing, 1e6); err == nil {
		t.Error("a read error is lost")
	}
}

func TestDate(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	if d, err := Date(); err != nil || d.Format(time.RFC3339) != "2023-11-14T22:13:20Z" {
		t.Errorf("date %v, %v", d, err)
	}
	for _, bad := range []string{"", "-1", "tomorrow", "253402300800"} {
		t.Setenv("SOURCE_DATE_EPOCH", bad)
		if _, err := Date(); err == nil {
			t.Errorf("SOURCE_DATE_EPOCH=%q is accepted", bad)
		}
	}
	if err := os.Unsetenv("SOURCE_DATE_EPOCH"); err != nil {
		t.Fatal(err)
	}
	if d, err := Date(); err != nil || time.Since(d).Abs() > time.Minute {
		t.Errorf("date %v, %v", d, err)
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "short", strings.Repeat("x", 200), strings.Repeat("some words ", 30), strings.Repeat(" ", 90) + "x"} {
		lines := wrap(s, 72)
		for _, line := range lines {
			if len(line) > 72 {
				t.Errorf("line of %d characters", len(line))
			}
		}
		squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if squeeze(strings.Join(lines, "")) != squeeze(s) {
			t.Errorf("%q becomes %q", s, lines)
		}
	}
}

func TestRefusesWhatIsNotAnImage(t *testing.T) {
	t.Parallel()
	whole := encodeFrame(t, corners(4, 3), -32)
	edit := func(old, new string) []byte {
		b := bytes.Clone(whole)
		i := bytes.Index(b, []byte(old))
		if i < 0 {
			t.Fatalf("no %q in the header", old)
		}
		copy(b[i:], new)
		return b
	}
	flip := func(i int) []byte {
		b := bytes.Clone(whole)
		b[i] ^= 1
		return b
	}
	for reason, data := range map[string][]byte{
		"empty file":                     {},
		"not a FITS file":                []byte("\x89PNG not an image"),
		"truncated in the header":        whole[:1000],
		"truncated: 0 bytes of pixels":   whole[:bytes.Index(whole, []byte("END     "))/blockSize*blockSize+blockSize],
		"truncated: ":                    edit("NAXIS1  =                    4", "NAXIS1  =             10000000"),
		"want 3 with -32 or -64":         edit("BITPIX  =                  -32", "BITPIX  =                   16"),
		"no image in the primary HDU":    edit("NAXIS   =                    3", "NAXIS   =                    0"),
		"want three planes":              edit("NAXIS3  =                    3", "NAXIS3  =                    1"),
		`damaged header: NAXIS2 is "3x"`: edit("NAXIS2  =                    3", "NAXIS2  =                   3x"),
		"damaged header: no NAXIS2":      edit("NAXIS2  ", "MAXIS2  "),
		"NAXIS2 is -3":                   edit("NAXIS2  =                    3", "NAXIS2  =                   -3"),
		"damaged pixels: DATASUM":        flip(len(whole) - blockSize + 9),
		"damaged header: CHECKSUM":       edit("HISTORY size", "HISTORY sizE"),
		"scaled pixels":                  edit("BUNIT   = 'adu     '          ", "BSCALE  =                  2.0"),
	} {
		// An edited header fails its checksum too; drop the card where another reason is wanted.
		if reason == "scaled pixels" {
			copy(data[bytes.Index(data, []byte("CHECKSUM")):], "CHACKSUM")
		}
		_, err := decode(bytes.NewReader(data), int64(len(data)))
		if err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("got %v, want %q", err, reason)
		}
	}
	endless := bytes.Repeat(whole[:80], 36*1001)
	if _, err := decode(bytes.NewReader(endless), int64(len(endless))); err == nil || !strings.Contains(err.Error(), "without END") {
		t.Errorf("an endless header: %v", err)
	}
}

func TestReadFITSStatus(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"testdata/none.fits", "testdata", "testdata/judge.py", os.DevNull} {
		if _, err := ReadFITS(path); fail.Status(err) != fail.StatusInput || !strings.HasPrefix(err.Error(), "fits: ") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// FuzzDecode: no file, however damaged, makes the reader panic or allocate beyond its size.
func FuzzDecode(f *testing.F) {
	whole := encodeFrame(f, corners(4, 3), -32)
	f.Add(whole)
	f.Add(whole[:blockSize])
	var sums bytes.Buffer
	if err := WriteSums(&sums, hdr.NewSums(2, 1, 44), testHeader()); err != nil {
		f.Fatal(err)
	}
	f.Add(sums.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decode(bytes.NewReader(data), int64(len(data)))
		if err == nil && (m.Frame == nil) == (m.Sums == nil) {
			t.Error("neither or both of frame and sums")
		}
	})
}

// The error of a full disk comes through the FITS library whole, with the exit status it carries.
func TestWriteErrorKeepsItsStatus(t *testing.T) {
	t.Parallel()
	full := fail.Input("output: no space left on device")
	err := WriteFITS(refuser{full}, hdr.NewFrame(4, 3), -32, Header{Date: time.Unix(0, 0)})
	if !errors.Is(err, full) || fail.Status(err) != fail.StatusInput {
		t.Errorf("error %v, status %d", err, fail.Status(err))
	}
}

type refuser struct{ err error }

func (r refuser) Write([]byte) (int, error) { return 0, r.err }
