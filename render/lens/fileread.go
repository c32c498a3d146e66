package lens

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"strings"
)

// reader reads sections and knows how much of the file is left.
type reader struct {
	r    io.Reader
	left int64
}

func (in *reader) fill(p []byte) error {
	if int64(len(p)) > in.left {
		return errors.New("truncated")
	}
	n, err := io.ReadFull(in.r, p)
	in.left -= int64(n)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("truncated")
	}
	return err
}

// section returns the content of the next section, which must have the name and, unless negative, the length.
func (in *reader) section(name string, length int64) ([]byte, error) {
	content, err := in.content(name, length)
	if err != nil {
		return nil, fmt.Errorf("section %s: %w", strings.TrimSpace(name), err)
	}
	return content, nil
}

func (in *reader) content(name string, length int64) ([]byte, error) {
	var head [16]byte
	if err := in.fill(head[:]); err != nil {
		return nil, err
	}
	if string(head[:8]) != name {
		return nil, fmt.Errorf("damaged: found section %q", head[:8])
	}
	n := binary.LittleEndian.Uint64(head[8:])
	switch {
	case length >= 0 && n != uint64(length):
		return nil, fmt.Errorf("damaged: %d bytes where the header means %d", n, length)
	case length < 0 && n > maxHeader:
		return nil, fmt.Errorf("damaged: %d bytes", n)
	case n > uint64(max(0, in.left-4)):
		return nil, errors.New("truncated")
	}
	content := make([]byte, n+4)
	if err := in.fill(content); err != nil {
		return nil, err
	}
	sum := crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, content[:n])
	if binary.LittleEndian.Uint32(content[n:]) != sum {
		return nil, errors.New("damaged: wrong checksum")
	}
	return content[:n], nil
}

func (m *Map) readVertices(in *reader) error {
	raw, err := in.section(sections[1], int64(m.Stats.Vertices)*vertexBytes)
	if err != nil {
		return err
	}
	m.Vertex = make([]Vertex, m.Stats.Vertices)
	for i := range m.Vertex {
		var f [6]float64
		for j := range f {
			f[j] = math.Float64frombits(binary.LittleEndian.Uint64(raw[i*vertexBytes+8*j:]))
			if !(math.Abs(f[j]) <= 1e9) {
				return fmt.Errorf("section vertices: vertex %d holds %v", i, f[j])
			}
		}
		m.Vertex[i] = Vertex{X: f[0], Y: f[1], Sky: flush(Vec{f[2], f[3], f[4]}), G: f[5]}
		if !(norm(m.Vertex[i].Sky) > 1e-9 && f[5] > 0) {
			return fmt.Errorf("section vertices: vertex %d has no direction or no frequency", i)
		}
	}
	return nil
}

func (m *Map) readTriangles(in *reader) error {
	raw, err := in.section(sections[2], int64(m.Stats.Triangles)*triangleBytes)
	if err != nil {
		return err
	}
	m.Triangle = make([][3]int32, m.Stats.Triangles)
	for i := range m.Triangle {
		for j := range 3 {
			v := binary.LittleEndian.Uint32(raw[i*triangleBytes+4*j:])
			if v >= uint32(len(m.Vertex)) {
				return fmt.Errorf("section triangle: triangle %d names vertex %d of %d", i, v, len(m.Vertex))
			}
			m.Triangle[i][j] = int32(v)
		}
	}
	return nil
}

func (m *Map) readMagnification(in *reader) error {
	raw, err := in.section(sections[3], int64(m.Stats.Triangles)*8)
	if err != nil {
		return err
	}
	m.Mu = make([]float64, m.Stats.Triangles)
	for i := range m.Mu {
		m.Mu[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
		if !(m.Mu[i] >= 0 && m.Mu[i] <= math.MaxFloat64) {
			return fmt.Errorf("section magnify: triangle %d is magnified %v times", i, m.Mu[i])
		}
	}
	return nil
}
