package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"grsplat/render/catalog"
	"grsplat/render/fail"
	"grsplat/render/healpix"
)

// record is a star on its way into the store.
type record struct {
	cell        uint64 // nested, order 29
	ra, dec     float64
	v, teff     float64
	pmRA, pmDec float64
	pos         [3]float64
}

const recordLen = 80

func newRecord(s *catalog.Star, a *catalog.Astrometry) record {
	return record{healpix.Pixel(healpix.MaxOrder, s.Pos), a.RA, a.Dec, s.V, s.Teff, a.PMRA, a.PMDec, s.Pos}
}

func (r *record) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, r.cell)
	for _, v := range [...]float64{r.ra, r.dec, r.v, r.teff, r.pmRA, r.pmDec, r.pos[0], r.pos[1], r.pos[2]} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func (r *record) decode(b []byte) {
	float := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:])) }
	*r = record{binary.LittleEndian.Uint64(b), float(1), float(2), float(3), float(4), float(5), float(6), [3]float64{float(7), float(8), float(9)}}
}

// pixel of the record at a coarser order.
func (r *record) pixel(order int) uint64 { return r.cell >> (2 * (healpix.MaxOrder - order)) }

// spill is a set of files that hold the records of one order's cells, in input order. Files are open only while they are
// appended to, so that their number does not matter.
type spill struct {
	dir    string
	order  int
	first  uint64 // cell of the first file
	buf    [][]byte
	count  []int64 // records written or buffered
	limit  int     // bytes of one buffer
	moving bool
}

// newSpill makes a set of n files from cell first on, buffered in at most memory bytes together.
func newSpill(dir string, order int, first uint64, n int, memory int64) *spill {
	limit := max(int(memory)/n/recordLen, 1) * recordLen
	return &spill{dir: dir, order: order, first: first, buf: make([][]byte, n), count: make([]int64, n), limit: min(limit, 4<<20/recordLen*recordLen)}
}

func (s *spill) path(i int) string {
	return filepath.Join(s.dir, fmt.Sprintf("%d-%d", s.order, s.first+uint64(i)))
}

func (s *spill) add(r *record) error {
	i := int(r.pixel(s.order) - s.first)
	if s.buf[i] == nil {
		s.buf[i] = make([]byte, 0, s.limit)
	}
	s.buf[i] = r.append(s.buf[i])
	s.count[i]++
	s.moving = s.moving || r.pmRA != 0 || r.pmDec != 0
	if len(s.buf[i]) >= s.limit {
		return s.flush(i)
	}
	return nil
}

func (s *spill) flush(i int) error {
	if len(s.buf[i]) == 0 {
		return nil
	}
	f, err := os.OpenFile(s.path(i), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return fail.Input("store: spill: %w", err)
	}
	_, err = f.Write(s.buf[i])
	if err = errors.Join(err, f.Close()); err != nil {
		return fail.Input("store: spill: %w", err)
	}
	s.buf[i] = s.buf[i][:0]
	return nil
}

// flushAll writes every buffer out and gives its memory back.
func (s *spill) flushAll() error {
	for i := range s.buf {
		if err := s.flush(i); err != nil {
			return err
		}
		s.buf[i] = nil
	}
	return nil
}

// restore takes the files back to the given counts, as an interrupted build left them at its last checkpoint.
func (s *spill) restore(count []int64) error {
	copy(s.count, count)
	for i, n := range count {
		err := os.Truncate(s.path(i), n*recordLen)
		if errors.Is(err, fs.ErrNotExist) && n == 0 {
			continue
		}
		st, statErr := os.Stat(s.path(i))
		if err = errors.Join(err, statErr); err != nil {
			return fail.Input("store: spill: %w", err)
		}
		if st.Size() != n*recordLen {
			return fail.Input("store: spill: %s has %d bytes, want %d", s.path(i), st.Size(), n*recordLen)
		}
	}
	return nil
}

// load appends the records of file i to into.
func (s *spill) load(i int, into []record) ([]record, error) {
	err := s.scan(i, func(r *record) error { into = append(into, *r); return nil })
	return into, err
}

// scan calls fn with each record of file i.
func (s *spill) scan(i int, fn func(*record) error) error {
	if s.count[i] == 0 {
		return nil
	}
	f, err := os.Open(s.path(i))
	if err != nil {
		return fail.Input("store: spill: %w", err)
	}
	defer f.Close()
	buf := make([]byte, 4096*recordLen)
	for left := s.count[i]; left > 0; {
		n := min(left, 4096)
		if _, err := io.ReadFull(f, buf[:n*recordLen]); err != nil {
			return fail.Input("store: spill: %s: %w", s.path(i), err)
		}
		for k := range n {
			var r record
			r.decode(buf[k*recordLen:])
			if err := fn(&r); err != nil {
				return err
			}
		}
		left -= n
	}
	return nil
}
