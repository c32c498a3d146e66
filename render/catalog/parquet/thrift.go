package parquet

import (
	"errors"
	"io"

	"grsplat/render/fail"
)

// The Parquet library trusts the lengths that a file states and allocates them. This file walks the same Thrift compact
// structures (Apache Thrift, "Thrift compact protocol encoding") beforehand, without building them, and checks each length
// against the bytes that are there.

var errShort = errors.New("a length goes beyond the data")

// Compact-protocol types.
const (
	typeTrue, typeFalse, typeByte, typeI16, typeI32, typeI64 = 1, 2, 3, 4, 5, 6
	typeDouble, typeBinary, typeList, typeSet, typeMap       = 7, 8, 9, 10, 11
	typeStruct                                               = 12
)

const maxDepth = 24

// walker reads one structure. visit is called with the path of field ids of every integer.
type walker struct {
	data  []byte
	at    int
	visit func(path []int16, v int64)
	path  []int16
}

func (w *walker) byte() (byte, error) {
	if w.at >= len(w.data) {
		return 0, errShort
	}
	w.at++
	return w.data[w.at-1], nil
}

func (w *walker) varint() (uint64, error) {
	var v uint64
	for shift := uint(0); shift < 70; shift += 7 {
		c, err := w.byte()
		if err != nil {
			return 0, err
		}
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v, nil
		}
	}
	return 0, errors.New("an integer is too long")
}

// zigzag undoes the encoding of signed integers.
func zigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// length reads a count of things that take at least size bytes each.
func (w *walker) length(size int) (int, error) {
	n, err := w.varint()
	if err == nil && n > uint64((len(w.data)-w.at)/size) {
		err = errShort
	}
	return int(n), err
}

func (w *walker) structure() error {
	if len(w.path) > maxDepth {
		return errors.New("structures nested too deep")
	}
	id := int16(0)
	for {
		head, err := w.byte()
		if err != nil || head == 0 {
			return err
		}
		if delta := head >> 4; delta != 0 {
			id += int16(delta)
		} else {
			v, err := w.varint()
			if err != nil {
				return err
			}
			id = int16(zigzag(v))
		}
		w.path = append(w.path, id)
		err = w.value(head&15, false)
		w.path = w.path[:len(w.path)-1]
		if err != nil {
			return err
		}
	}
}

// value reads one value; a boolean in a list takes a byte, one in a structure none.
func (w *walker) value(kind byte, inList bool) error {
	switch kind {
	case typeTrue, typeFalse:
		if !inList {
			return nil
		}
		_, err := w.byte()
		return err
	case typeByte:
		_, err := w.byte()
		return err
	case typeI16, typeI32, typeI64:
		v, err := w.varint()
		if err == nil && w.visit != nil {
			w.visit(w.path, zigzag(v))
		}
		return err
	case typeDouble:
		return w.skip(8)
	case typeBinary:
		n, err := w.length(1)
		if err != nil {
			return err
		}
		return w.skip(n)
	case typeList, typeSet:
		return w.list()
	case typeStruct:
		return w.structure()
	}
	return errors.New("a type that Parquet does not use")
}

func (w *walker) skip(n int) error {
	if n > len(w.data)-w.at {
		return errShort
	}
	w.at += n
	return nil
}

func (w *walker) list() error {
	head, err := w.byte()
	if err != nil {
		return err
	}
	kind, n, size := head&15, int(head>>4), 1
	if kind == typeStruct {
		size = 3 // no structure of Parquet in a list is shorter
	}
	if n == 15 {
		if n, err = w.length(size); err != nil {
			return err
		}
	}
	w.path = append(w.path, -1)
	defer func() { w.path = w.path[:len(w.path)-1] }()
	for ; n > 0; n-- {
		if err := w.value(kind, true); err != nil {
			return err
		}
	}
	return nil
}

// checkFooter walks the footer of a file of the given size.
func checkFooter(r io.ReaderAt, size int64) error {
	var tail [8]byte
	if size < 12 {
		return fail.Input("parquet: truncated: %d bytes", size)
	}
	if _, err := r.ReadAt(tail[:], size-8); err != nil {
		return fail.Input("parquet: footer: %w", err)
	}
	if string(tail[4:]) != "PAR1" {
		return fail.Input("parquet: truncated or damaged: no footer at the end")
	}
	n := int64(tail[0]) | int64(tail[1])<<8 | int64(tail[2])<<16 | int64(tail[3])<<24
	if n > size-12 {
		return fail.Input("parquet: damaged footer: %d bytes of a file of %d", n, size)
	}
	data := make([]byte, n)
	if _, err := r.ReadAt(data, size-8-n); err != nil {
		return fail.Input("parquet: footer: %w", err)
	}
	if err := (&walker{data: data}).structure(); err != nil {
		return fail.Input("parquet: damaged footer: %w", err)
	}
	return nil
}

// Limits of one page. Deflate, the densest codec in use but for pathological input, packs 1032 bytes into one.
const (
	maxPage       = 256 << 20
	maxRatio      = 1032
	smallPage     = 4 << 20 // may be packed more densely than that
	maxPageValues = 1 << 22
)

// checkPages walks the page headers of a column chunk of the given bytes and values.
func checkPages(r io.ReaderAt, from, size, values int64) error {
	section := io.NewSectionReader(r, from, size)
	buf := make([]byte, 4096)
	for at, left := int64(0), values; left > 0; {
		header, n, err := pageHeader(section, at, &buf)
		if err != nil {
			return fail.Input("parquet: damaged page header: %w", err)
		}
		at += n + header.compressed
		dictionary := header.kind == 2
		switch {
		case header.compressed < 0 || at > size || header.uncompressed < 0 || header.uncompressed > min(maxPage, smallPage+maxRatio*header.compressed):
			return fail.Input("parquet: damaged page header: %d bytes, %d uncompressed", header.compressed, header.uncompressed)
		case header.values < 0 || header.values > maxPageValues || !dictionary && header.values > left:
			return fail.Input("parquet: damaged page header: %d values", header.values)
		case !dictionary:
			left -= header.values
		}
	}
	return nil
}

type pageInfo struct{ kind, uncompressed, compressed, values int64 }

// pageHeader reads the header at an offset of the chunk and returns its length.
func pageHeader(section *io.SectionReader, at int64, buf *[]byte) (p pageInfo, n int64, err error) {
	for {
		got, err := section.ReadAt(*buf, at)
		if got == 0 {
			return p, 0, err
		}
		w := &walker{data: (*buf)[:got], visit: func(path []int16, v int64) {
			switch {
			case len(path) == 1 && path[0] == 1:
				p.kind = v
			case len(path) == 1 && path[0] == 2:
				p.uncompressed = v
			case len(path) == 1 && path[0] == 3:
				p.compressed = v
			case len(path) == 2 && path[1] == 1 && (path[0] == 5 || path[0] == 7 || path[0] == 8):
				p.values = v
			}
		}}
		err = w.structure()
		if errors.Is(err, errShort) && got == len(*buf) && got < 1<<20 {
			*buf = make([]byte, 4*got)
			continue
		}
		return p, int64(w.at), err
	}
}
