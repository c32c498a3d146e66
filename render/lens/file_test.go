package lens

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"grsplat/render/fail"
)

func smallMap(t testing.TB) *Map {
	c := frame(60, 40, Tan)
	return build(t, Params{Camera: c, Spacetime: blackHole(40, c), Margin: 3, Depth: 8})
}

func raw(t testing.TB, m *Map) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := m.Write(&buf); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestSaveAndLoad(t *testing.T) {
	t.Parallel()
	m := smallMap(t)
	path := filepath.Join(t.TempDir(), "a.grlens")
	if err := m.Save(path, false); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, m) {
		t.Error("the loaded map differs")
	}
	if err := m.Save(path, false); fail.Status(err) != fail.StatusInput {
		t.Errorf("an existing file is overwritten: %v", err)
	}
	if err := m.Save(path, true); err != nil {
		t.Error(err)
	}
	first, err := m.SHA256()
	if err != nil {
		t.Fatal(err)
	}
	if second, err := got.SHA256(); err != nil || first != second {
		t.Errorf("hashes %s and %s, %v", first, second, err)
	}
}

func TestEveryDamageIsNamed(t *testing.T) {
	t.Parallel()
	file := raw(t, smallMap(t))
	// Where each section begins.
	at := len(magic) + 4
	for _, name := range sections {
		length := int(binary.LittleEndian.Uint64(file[at+8:]))
		word := strings.TrimSpace(name)
		for _, offset := range []int{at, at + 8, at + 16, at + 16 + length/2, at + 16 + length} {
			bad := bytes.Clone(file)
			bad[offset] ^= 0x40
			_, err := read(bytes.NewReader(bad), int64(len(bad)))
			if err == nil || !strings.Contains(err.Error(), "section "+word) {
				t.Errorf("byte %d of section %s: %v", offset-at, word, err)
			}
		}
		for _, cut := range []int{at + 4, at + 16, at + 16 + length - 1, at + 16 + length + 2} {
			_, err := read(bytes.NewReader(file[:cut]), int64(cut))
			if err == nil || !strings.Contains(err.Error(), "section "+word) {
				t.Errorf("cut in section %s: %v", word, err)
			}
		}
		at += frameBytes + length
	}
	for name, bad := range map[string][]byte{
		"empty": nil, "magic": []byte("grlens\n\n12345678"), "version": append([]byte(magic), 9, 0, 0, 0), "tail": append(bytes.Clone(file), 0),
	} {
		if _, err := read(bytes.NewReader(bad), int64(len(bad))); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

const frameBytes = 8 + 8 + 4 // name, length and checksum of a section

func TestLoadRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text := filepath.Join(folder, "a.txt")
	if err := os.WriteFile(text, []byte("not a map at all, but long enough"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, text, filepath.Join(folder, "none")} {
		if _, err := Load(path); fail.Status(err) != fail.StatusInput {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// tinyMap has a file of a few hundred bytes.
func tinyMap(t testing.TB) *Map {
	return build(t, Params{Camera: Camera{W: 8, H: 6, Projection: Tan}, Spacetime: Spec{Name: Minkowski}, Depth: 1})
}

func FuzzRead(f *testing.F) {
	file := raw(f, tinyMap(f))
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Fuzz(readAnything)
}

// FuzzSections damages what the checksums protect, with right checksums.
func FuzzSections(f *testing.F) {
	file := raw(f, tinyMap(f))
	var parts [len(sections)][]byte
	at := len(magic) + 4
	for i := range sections {
		length := int(binary.LittleEndian.Uint64(file[at+8:]))
		parts[i] = file[at+16 : at+16+length]
		at += frameBytes + length
	}
	f.Add(parts[0], parts[1], parts[2], parts[3])
	f.Fuzz(func(t *testing.T, a, b, c, d []byte) {
		var buf bytes.Buffer
		out := &writer{w: bufio.NewWriter(&buf)}
		out.bytes([]byte(magic))
		out.uint32(formatVersion)
		for i, part := range [][]byte{a, b, c, d} {
			out.section(sections[i], len(part), func() { out.bytes(part) })
		}
		if err := out.w.Flush(); err != nil {
			t.Fatal(err)
		}
		readAnything(t, buf.Bytes())
	})
}

// readAnything must refuse a file or return a map that can be used.
func readAnything(t *testing.T, p []byte) {
	m, err := read(bytes.NewReader(p), int64(len(p)))
	if err != nil {
		return
	}
	if len(m.Vertex) != m.Stats.Vertices || len(m.Triangle) != m.Stats.Triangles || len(m.Mu) != len(m.Triangle) {
		t.Fatal("counts differ")
	}
	w := locate(t, m)
	w.Match(ModeDefault, Stars{Pos: randomDirections(1, 50)}, nil)
}
