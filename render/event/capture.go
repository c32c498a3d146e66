package event

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"

	"grsplat/render/fail"
)

// A capture file holds events and a manifest that says where they come from:
//
//	magic "grsplat.events\x00\x01"      16 bytes
//	events                              56 bytes each, little-endian float64 in the order of Event
//	manifest                            JSON
//	manifest length, CRC-32C of it      two little-endian uint32
//	magic "grsplat.end\x00\x00\x00\x00\x01"  16 bytes
//
// The manifest comes last because it holds the events' number and hash, so that a capture is written in one pass.
const (
	captureMagic = "grsplat.events\x00\x01"
	captureEnd   = "grsplat.end\x00\x00\x00\x00\x01"
	recordBytes  = 56
	footerBytes  = 8 + len(captureEnd)
	maxManifest  = 1 << 20
)

// A Manifest describes the events of a capture.
type Manifest struct {
	Events    int64             `json:"events"`
	SHA256    string            `json:"sha256"` // of the events' bytes
	Width     int               `json:"width"`  // frame, px
	Height    int               `json:"height"`
	PSF       PSF               `json:"psf"`
	Selection string            `json:"selection"`        // the rule by which these events were chosen or drawn
	Inputs    map[string]string `json:"inputs,omitempty"` // SHA-256 of the files that they were made from, by name
	Program   string            `json:"program"`          // version that wrote the file
}

// PSF holds the parameters of the point spread function that the events' supports belong to, in pixels and units of flux.
type PSF struct {
	FWHM         float64 `json:"fwhm"`
	Beta         float64 `json:"beta"`
	Tail         float64 `json:"tail"`
	MinY         float64 `json:"min_y"`
	MaxCacheFlux float64 `json:"max_cache_flux"`
	CacheRadius  int     `json:"cache_radius"`
	Phases       int     `json:"phases"`
	Sampling     string  `json:"sampling"`
}

// A Writer writes a capture file.
type Writer struct {
	w    io.Writer
	hash hash.Hash
	n    int64
	buf  []byte
}

// NewWriter begins a capture on w, which the caller keeps and closes.
func NewWriter(w io.Writer) (*Writer, error) {
	if _, err := io.WriteString(w, captureMagic); err != nil {
		return nil, fmt.Errorf("capture: write: %w", err)
	}
	return &Writer{w: w, hash: sha256.New()}, nil
}

// Write appends events.
func (w *Writer) Write(events []Event) error {
	for len(events) > 0 {
		n := min(len(events), 1024)
		w.buf = w.buf[:0]
		for i := range events[:n] {
			w.buf = appendRecord(w.buf, &events[i])
		}
		w.hash.Write(w.buf)
		if _, err := w.w.Write(w.buf); err != nil {
			return fmt.Errorf("capture: write: %w", err)
		}
		w.n += int64(n)
		events = events[n:]
	}
	return nil
}

// Count is the number of events written so far.
func (w *Writer) Count() int64 { return w.n }

// Finish writes the manifest, with the number and hash of the events filled in, and returns it.
func (w *Writer) Finish(m Manifest) (Manifest, error) {
	m.Events, m.SHA256 = w.n, hex.EncodeToString(w.hash.Sum(nil))
	text, err := json.Marshal(m)
	if err != nil {
		return m, fmt.Errorf("capture: manifest: %w", err)
	}
	foot := binary.LittleEndian.AppendUint32(text, uint32(len(text)))
	foot = binary.LittleEndian.AppendUint32(foot, crc32.Checksum(text, castagnoli))
	if _, err := w.w.Write(append(foot, captureEnd...)); err != nil {
		return m, fmt.Errorf("capture: write: %w", err)
	}
	return m, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendRecord(b []byte, e *Event) []byte {
	for _, v := range [...]float64{e.X, e.Y, e.R, e.G, e.B, e.Flux, e.Support} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// A Capture is an open capture file.
type Capture struct {
	Manifest Manifest

	r    io.Reader // of the events
	hash hash.Hash
	left int64
}

// OpenCapture reads the manifest of a capture of size bytes. A file that is cut, damaged or of another kind is refused as bad input.
func OpenCapture(r io.ReaderAt, size int64) (*Capture, error) {
	head := make([]byte, len(captureMagic))
	if _, err := r.ReadAt(head, 0); err != nil || string(head) != captureMagic {
		return nil, fail.Input("capture: not a capture file")
	}
	foot := make([]byte, footerBytes)
	if _, err := r.ReadAt(foot, size-int64(footerBytes)); err != nil || string(foot[8:]) != captureEnd {
		return nil, fail.Input("capture: the file is cut off")
	}
	length := int64(binary.LittleEndian.Uint32(foot))
	start := size - int64(footerBytes) - length
	if length > maxManifest || start < int64(len(captureMagic)) {
		return nil, fail.Input("capture: manifest of %d bytes", length)
	}
	text := make([]byte, length)
	if _, err := r.ReadAt(text, start); err != nil {
		return nil, fail.Input("capture: manifest: %w", err)
	}
	if crc32.Checksum(text, castagnoli) != binary.LittleEndian.Uint32(foot[4:]) {
		return nil, fail.Input("capture: manifest: checksum differs")
	}
	c := &Capture{hash: sha256.New()}
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&c.Manifest); err != nil {
		return nil, fail.Input("capture: manifest: %w", err)
	}
	bytes := start - int64(len(captureMagic))
	if c.Manifest.Events < 0 || c.Manifest.Events > bytes/recordBytes || c.Manifest.Events*recordBytes != bytes {
		return nil, fail.Input("capture: %d bytes of events, the manifest counts %d", bytes, c.Manifest.Events)
	}
	if c.Manifest.Width < 1 || c.Manifest.Height < 1 {
		return nil, fail.Input("capture: manifest: frame of %dx%d px", c.Manifest.Width, c.Manifest.Height)
	}
	c.left = c.Manifest.Events
	c.r = io.NewSectionReader(r, int64(len(captureMagic)), bytes)
	return c, nil
}

// Read fills events from the file and returns how many it read, io.EOF after the last. With the last event it compares the hash.
func (c *Capture) Read(events []Event) (int, error) {
	if c.left == 0 {
		return 0, c.check()
	}
	n := int(min(int64(len(events)), c.left))
	raw := make([]byte, n*recordBytes)
	if _, err := io.ReadFull(c.r, raw); err != nil {
		return 0, fail.Input("capture: events: %w", err)
	}
	c.hash.Write(raw)
	for i := range events[:n] {
		v := func(k int) float64 {
			return math.Float64frombits(binary.LittleEndian.Uint64(raw[i*recordBytes+8*k:]))
		}
		events[i] = Event{X: v(0), Y: v(1), R: v(2), G: v(3), B: v(4), Flux: v(5), Support: v(6)}
	}
	c.left -= int64(n)
	return n, nil
}

// check returns io.EOF when the events have the manifest's hash.
func (c *Capture) check() error {
	if got := hex.EncodeToString(c.hash.Sum(nil)); got != c.Manifest.SHA256 {
		return fail.Input("capture: events: SHA-256 %s, the manifest has %s", got, c.Manifest.SHA256)
	}
	return io.EOF
}
