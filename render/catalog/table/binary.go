package table

import (
	"encoding/binary"
	"io"
	"math"
)

// Scalar is a big-endian number as FITS and VOTable store it.
type Scalar uint8

// Scalars.
const (
	NotScalar Scalar = iota // strings, arrays and what else no number is read from
	Bool
	Uint8
	Int16
	Int32
	Int64
	Float32
	Float64
)

var scalarSize = [...]int{0, 1, 1, 2, 4, 8, 4, 8}

// Size in bytes.
func (s Scalar) Size() int { return scalarSize[s] }

// IsInteger tells the kinds to which an integer null value applies.
func (s Scalar) IsInteger() bool { return s >= Uint8 && s <= Int64 }

// Int decodes an integer kind.
func (s Scalar) Int(b []byte) int64 {
	switch s {
	case Uint8:
		return int64(b[0])
	case Int16:
		return int64(int16(binary.BigEndian.Uint16(b)))
	case Int32:
		return int64(int32(binary.BigEndian.Uint32(b)))
	case Int64:
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// Float decodes any kind; a logical is 1, 0 or missing.
func (s Scalar) Float(b []byte) float64 {
	switch s {
	case Bool:
		switch b[0] {
		case 'T', 't', '1', 1:
			return 1
		case 'F', 'f', '0':
			return 0
		}
		return missing
	case Float32:
		return widen(math.Float32frombits(binary.BigEndian.Uint32(b)))
	case Float64:
		return math.Float64frombits(binary.BigEndian.Uint64(b))
	case NotScalar:
		return missing
	}
	return float64(s.Int(b))
}

// widen turns float32 into float64; every NaN becomes Missing.
func widen(v float32) float64 {
	if v != v {
		return missing
	}
	return float64(v)
}

// growStep is how much memory is asked for before the bytes that justify it have come.
const growStep = 256 << 10

// ReadFull reads n bytes into buf's memory, growing it only as data arrives, so that a header that lies about sizes
// cannot claim memory. A stream that ends early gives what there is and io.ErrUnexpectedEOF, or io.EOF at its very end.
func ReadFull(r io.Reader, buf []byte, n int) ([]byte, error) {
	buf = buf[:0]
	for len(buf) < n {
		step := min(n-len(buf), growStep)
		if cap(buf)-len(buf) < step {
			buf = append(make([]byte, 0, min(n, 2*cap(buf)+step)), buf...)
		}
		got, err := io.ReadFull(r, buf[len(buf):len(buf)+step])
		buf = buf[:len(buf)+got]
		if err == io.EOF && len(buf) > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return buf, err
		}
	}
	return buf, nil
}
