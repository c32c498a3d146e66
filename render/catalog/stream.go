package catalog

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"grsplat/render/fail"
)

// peekLen is how much of a file is looked at to tell its format; a header line of a text table should fit.
const peekLen = 128 << 10

// maxWindow bounds the memory that a zstd frame may ask for.
const maxWindow = 128 << 20

// stream is an open file with its compression taken off.
type stream struct {
	file   *os.File // nil for a file in memory
	hash   hash.Hash
	tee    io.Reader // the file's bytes, hashed as they are read
	packed string    // "gz", "bz2", "zst" or ""
	r      *bufio.Reader
	unpack io.Closer // of zstd
}

// openStream opens a file that is not a directory.
func openStream(path string) (*stream, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, openError(err)
	}
	s, err := newStream(f, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

func newStream(r io.Reader, f *os.File) (*stream, error) {
	s := &stream{file: f, hash: sha256.New()}
	s.tee = io.TeeReader(r, s.hash)
	return s, s.decompress(bufio.NewReaderSize(s.tee, peekLen))
}

// openError says in few words why a file cannot be opened.
func openError(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fail.Input("%w", err)
}

// decompress puts the decompressor that the first bytes ask for between raw and s.r.
func (s *stream) decompress(raw *bufio.Reader) error {
	head, err := raw.Peek(6)
	switch {
	case len(head) == 0 && errors.Is(err, io.EOF):
		return fail.Input("the file is empty")
	case len(head) == 0:
		return openError(err)
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(raw)
		if err != nil {
			return fail.Input("gzip: %w", err)
		}
		s.packed, s.r = "gz", bufio.NewReaderSize(z, peekLen)
	case bytes.HasPrefix(head, []byte("BZh")):
		s.packed, s.r = "bz2", bufio.NewReaderSize(bzip2.NewReader(raw), peekLen)
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return fail.Input("zstd: %w", err)
		}
		s.unpack = z.IOReadCloser()
		s.packed, s.r = "zst", bufio.NewReaderSize(z, peekLen)
	default:
		s.r = raw
	}
	return nil
}

// explain turns an error of reading into one line.
func (s *stream) explain(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) && s.packed != "" {
		return fail.Input("truncated %s stream: %w", s.packed, err)
	}
	return fail.Input("%w", err)
}

// sum reads what is left of the file and returns the SHA-256 of all of it.
func (s *stream) sum() (string, error) {
	if _, err := io.Copy(io.Discard, s.tee); err != nil {
		return "", err
	}
	return hex.EncodeToString(s.hash.Sum(nil)), nil
}

func (s *stream) Close() error {
	if s.unpack != nil {
		s.unpack.Close()
	}
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
