package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"grsplat/render/catalog"
	"grsplat/render/catalog/parquet"
	"grsplat/render/fail"
)

// Options of Open.
type Options struct {
	Epoch        float64 // Julian year to which positions are moved; 0: J2000
	AllowMissing bool    // Stream goes on without a missing or damaged tile and counts it
}

// Store is a complete store, open for reading. Its methods are safe for concurrent use.
type Store struct {
	dir    string
	opt    Options
	index  *Index
	hist   *catalog.Histogram
	column []string
	read   atomic.Int64 // tiles
}

// columns that a star is made of; the motions come last.
var columns = []string{"x", "y", "z", "v_mag", "teff", "pmra", "pmdec"}

// Open reads the index of a store; no tile is touched.
func Open(dir string, opt Options) (*Store, error) {
	if _, err := os.Stat(filepath.Join(dir, catalog.UnfinishedDir)); err == nil {
		return nil, fail.Input("store: %s: %s", dir, whatInstead(dir))
	}
	x, err := readIndex(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, opt: opt, index: x, column: columns[:5]}
	if s.hist, err = x.Magnitudes.unpack(); err != nil {
		return nil, fail.Input("store: %s: damaged index: %w", dir, err)
	}
	if s.hist.Total != x.Stars {
		return nil, fail.Input("store: %s: damaged index: %d stars, %d in the magnitudes", dir, x.Stars, s.hist.Total)
	}
	if x.Moving && opt.Epoch != 0 && opt.Epoch != catalog.J2000 {
		s.column = columns
	}
	return s, nil
}

// Index is the store's index. It must not be changed.
func (s *Store) Index() *Index { return s.index }

// Tiles lists the tiles in the order of the sky: by the nested number of their first cell of order 29.
func (s *Store) Tiles() []Tile { return s.index.Tiles }

// Magnitudes is the histogram of V of all stars. It must not be changed.
func (s *Store) Magnitudes() *catalog.Histogram { return s.hist }

// TilesRead counts the tiles read so far, without missing and damaged ones.
func (s *Store) TilesRead() int64 { return s.read.Load() }

// TileError is a tile that is missing or damaged.
type TileError struct {
	Path  string
	Stars int64 // that the index says it holds
	Err   error
}

func (e *TileError) Error() string { return fmt.Sprintf("store: tile %s: %v", e.Path, e.Err) }
func (e *TileError) Unwrap() error { return e.Err }

// ReadTile returns the stars of tile i, in dst's memory where it is large enough. A missing or damaged one is a TileError of
// status 3: pages carry checksums, and the number of rows is that of the index.
func (s *Store) ReadTile(i int, dst []catalog.Star) ([]catalog.Star, error) {
	t := &s.index.Tiles[i]
	path := filepath.Join(s.dir, t.Path())
	stars, err := s.readTile(path, t, dst)
	if err != nil {
		return dst, &TileError{path, t.Rows, fail.Input("%w", err)}
	}
	s.read.Add(1)
	return stars, nil
}

func (s *Store) readTile(path string, t *Tile, dst []catalog.Star) ([]catalog.Star, error) {
	f, err := os.Open(path)
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return dst, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return dst, err
	}
	if st.Size() != t.Bytes {
		return dst, fmt.Errorf("%d bytes, the index says %d", st.Size(), t.Bytes)
	}
	stars := slices.Grow(dst[:0], int(t.Rows))[:t.Rows]
	motions := [2][]float64{}
	rows, err := parquet.ReadDoubles(f, st.Size(), s.column, func(column int, row int64, values []float64) error {
		if row+int64(len(values)) > t.Rows {
			return fmt.Errorf("more rows than the %d of the index", t.Rows)
		}
		if column >= 5 {
			motions[column-5] = append(motions[column-5], values...)
			return nil
		}
		setColumn(stars[row:], column, values)
		return nil
	})
	switch {
	case err != nil:
		return dst, err
	case rows != t.Rows:
		return dst, fmt.Errorf("%d rows, the index says %d", rows, t.Rows)
	}
	for k := range motions[0] {
		if pmRA, pmDec := motions[0][k], motions[1][k]; pmRA != 0 || pmDec != 0 {
			stars[k].Pos = catalog.Move(stars[k].Pos, pmRA, pmDec, s.opt.Epoch-catalog.J2000)
		}
	}
	return stars, nil
}

// setColumn spreads a run of one column over stars.
func setColumn(stars []catalog.Star, column int, values []float64) {
	stars = stars[:len(values)]
	switch column {
	case 0, 1, 2:
		for i, v := range values {
			stars[i].Pos[column] = v
		}
	case 3:
		for i, v := range values {
			stars[i].V = v
		}
	case 4:
		for i, v := range values {
			stars[i].Teff = v
		}
	}
}

// Is tells whether a directory is a store, finished or not.
func Is(dir string) bool {
	for _, name := range []string{indexName, catalog.UnfinishedDir} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}
