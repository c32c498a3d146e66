package lens

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"

	"grsplat/render/fail"
	"grsplat/render/outfile"
)

// The .grlens file, all numbers little-endian:
//
//	8 bytes   magic "grlens\r\n"
//	uint32    version, 1
//	section   "header  "  JSON: Params and Stats
//	section   "vertices"  x, y, sky x, y, z, g of each vertex: 6 float64
//	section   "triangle"  the 3 vertices of each triangle: uint32
//	section   "magnify "  the magnification of each triangle: float64
//
// A section is its name (8 bytes), the length of its content (uint64), the content, and the CRC-32C of all three (uint32).

const (
	magic         = "grlens\r\n"
	formatVersion = 1
	maxHeader     = 1 << 16
	vertexBytes   = 48
	triangleBytes = 12
)

var (
	sections   = [4]string{"header  ", "vertices", "triangle", "magnify "}
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

type header struct {
	Params
	Stats Stats `json:"stats"`
}

// Save writes the map to path, whole or not at all. An existing file is replaced only if force is set.
func (m *Map) Save(path string, force bool) error {
	f, err := outfile.Create(path, force)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := m.Write(f); err != nil {
		return fmt.Errorf("map: save %s: %w", path, err)
	}
	return f.Commit()
}

// Write writes the map in the format of a .grlens file.
func (m *Map) Write(w io.Writer) error {
	head, err := json.Marshal(header{m.Params, m.Stats})
	if err != nil {
		return err
	}
	out := &writer{w: bufio.NewWriterSize(w, 1<<18)}
	out.bytes([]byte(magic))
	out.uint32(formatVersion)
	out.section(sections[0], len(head), func() { out.bytes(head) })
	out.section(sections[1], len(m.Vertex)*vertexBytes, func() {
		for i := range m.Vertex {
			v := &m.Vertex[i]
			for _, x := range [...]float64{v.X, v.Y, v.Sky[0], v.Sky[1], v.Sky[2], v.G} {
				out.uint64(math.Float64bits(x))
			}
		}
	})
	out.section(sections[2], len(m.Triangle)*triangleBytes, func() {
		for _, t := range m.Triangle {
			for _, v := range t {
				out.uint32(uint32(v))
			}
		}
	})
	out.section(sections[3], len(m.Mu)*8, func() {
		for _, mu := range m.Mu {
			out.uint64(math.Float64bits(mu))
		}
	})
	if out.err != nil {
		return out.err
	}
	return out.w.Flush()
}

// writer keeps the first error and the checksum of the current section.
type writer struct {
	w    *bufio.Writer
	sum  uint32
	err  error
	word [8]byte
}

func (w *writer) bytes(p []byte) {
	w.sum = crc32.Update(w.sum, castagnoli, p)
	if _, err := w.w.Write(p); err != nil && w.err == nil {
		w.err = err
	}
}

func (w *writer) uint32(v uint32) {
	binary.LittleEndian.PutUint32(w.word[:4], v)
	w.bytes(w.word[:4])
}

func (w *writer) uint64(v uint64) {
	binary.LittleEndian.PutUint64(w.word[:], v)
	w.bytes(w.word[:])
}

func (w *writer) section(name string, length int, content func()) {
	w.sum = 0
	w.bytes([]byte(name))
	w.uint64(uint64(length))
	content()
	w.uint32(w.sum)
}

// Load reads a map. A file that is damaged, truncated or no map at all is refused as bad input, with the section's name.
func Load(path string) (*Map, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fail.Input("map: load: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fail.Input("map: load: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fail.Input("map: load: %s: not a regular file", path)
	}
	m, err := read(f, info.Size())
	if err != nil {
		return nil, fail.Input("map: load: %s: %w", path, err)
	}
	return m, nil
}

// read parses a map of size bytes; nothing is allocated that the size does not bear out.
func read(r io.Reader, size int64) (*Map, error) {
	in := &reader{r: r, left: size}
	var start [len(magic) + 4]byte
	if err := in.fill(start[:]); err != nil {
		return nil, errors.New("not a .grlens file: too short")
	}
	if string(start[:len(magic)]) != magic {
		return nil, errors.New("not a .grlens file: wrong magic")
	}
	if v := binary.LittleEndian.Uint32(start[len(magic):]); v != formatVersion {
		return nil, fmt.Errorf("version %d: this program reads version %d", v, formatVersion)
	}
	raw, err := in.section(sections[0], -1)
	if err != nil {
		return nil, err
	}
	m, err := parseHeader(raw)
	if err != nil {
		return nil, fmt.Errorf("section header: %w", err)
	}
	for _, read := range []func(*reader) error{m.readVertices, m.readTriangles, m.readMagnification} {
		if err := read(in); err != nil {
			return nil, err
		}
	}
	if in.left != 0 {
		return nil, fmt.Errorf("%d bytes after the last section", in.left)
	}
	return m, m.prepare()
}

func parseHeader(raw []byte) (*Map, error) {
	var h header
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&h); err != nil {
		return nil, err
	}
	if err := h.Params.Check(); err != nil {
		return nil, err
	}
	if s := h.Stats; s.Vertices < 3 || s.Triangles < 1 || s.Vertices > math.MaxInt32 || s.Triangles > math.MaxInt32 {
		return nil, fmt.Errorf("%d vertices and %d triangles", s.Vertices, s.Triangles)
	}
	return &Map{Params: h.Params, Stats: h.Stats}, nil
}
