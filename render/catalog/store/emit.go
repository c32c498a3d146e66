package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"grsplat/render/catalog/parquet"
	"grsplat/render/fail"
	"grsplat/render/healpix"
)

// maxTileOrder is the finest tile: 0.2 arcseconds. Stars that crowd more than TileRows into one stay in it.
const maxTileOrder = 20

// emitter turns spilled records into tiles.
type emitter struct {
	dir      string // of the store
	scratch  string
	tileRows int
	moving   bool
	memory   int64 // for the records of one load
	done     map[cell]bool
	journal  *journal
	progress func(Progress)
	stars    int64
	records  []record // reused
	keys     []key
	rows     []parquet.Row
	movers   []parquet.MovingRow
}

// cell is a nested HEALPix cell.
type cell struct {
	order int
	pixel uint64
}

func (c cell) child(i int) cell { return cell{c.order + 1, 4*c.pixel + uint64(i)} }

// key sorts records without moving them.
type key struct {
	cell uint64
	at   int32
}

// under returns the files of s that lie in c.
func (s *spill) under(c cell) (from, to int) {
	shift := 2 * (s.order - c.order)
	return int(c.pixel<<shift - s.first), int((c.pixel+1)<<shift - s.first)
}

// emit writes the tiles of c, whose order is at most that of s. The shape of the tiles depends on counts alone.
func (e *emitter) emit(ctx context.Context, s *spill, c cell) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	from, to := s.under(c)
	var n int64
	for _, k := range s.count[from:to] {
		n += k
	}
	if n == 0 || e.done[c] {
		return nil
	}
	var err error
	switch {
	case n > int64(e.tileRows) && c.order < s.order:
		for i := range 4 {
			if err := e.emit(ctx, s, c.child(i)); err != nil {
				return err
			}
		}
		return nil
	case n > int64(e.tileRows) && n*(recordLen+16) > e.memory:
		err = e.split(ctx, s, c)
	default:
		e.records = e.records[:0]
		for i := from; i < to && err == nil; i++ {
			e.records, err = s.load(i, e.records)
		}
		if err == nil {
			e.sort()
			err = e.slice(ctx, c, e.keys)
		}
	}
	if err != nil {
		return err
	}
	return e.journal.finished(c)
}

// splitOrders is how many orders finer a file is split that does not fit into memory.
const splitOrders = 2

// split spreads the file of c over finer files and emits those.
func (e *emitter) split(ctx context.Context, s *spill, c cell) error {
	finer := c.order + splitOrders
	if finer > healpix.MaxOrder {
		return fail.Input("store: more stars in one cell of order %d than fit into memory", c.order)
	}
	n := 1 << (2 * splitOrders)
	fine := newSpill(e.scratch, finer, c.pixel<<(2*splitOrders), n, e.memory/2)
	for i := range n {
		if err := os.Remove(fine.path(i)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fail.Input("store: spill: %w", err)
		}
	}
	from, _ := s.under(c)
	if err := s.scan(from, fine.add); err != nil {
		return err
	}
	if err := fine.flushAll(); err != nil {
		return err
	}
	for i := range 4 {
		if err := e.emit(ctx, fine, c.child(i)); err != nil {
			return err
		}
	}
	for i := range n {
		os.Remove(fine.path(i)) // what is left behind is removed with the scratch folder
	}
	return nil
}

// sort orders e.keys by cell and, in one, by input.
func (e *emitter) sort() {
	e.keys = e.keys[:0]
	for i := range e.records {
		e.keys = append(e.keys, key{e.records[i].cell, int32(i)})
	}
	slices.SortFunc(e.keys, func(a, b key) int {
		if a.cell != b.cell {
			return cmp.Compare(a.cell, b.cell)
		}
		return int(a.at) - int(b.at)
	})
}

// slice writes sorted records that lie in c as tiles.
func (e *emitter) slice(ctx context.Context, c cell, keys []key) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(keys) == 0 {
		return nil
	}
	if len(keys) <= e.tileRows || c.order == maxTileOrder {
		return e.tile(c, keys)
	}
	for i := range 4 {
		child := c.child(i)
		end := (child.pixel + 1) << (2 * (healpix.MaxOrder - child.order))
		n, _ := slices.BinarySearchFunc(keys, end, func(k key, end uint64) int { return cmp.Compare(k.cell, end) })
		if err := e.slice(ctx, child, keys[:n]); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

// tile writes one file, aside and then renamed, and enters it into the journal.
func (e *emitter) tile(c cell, keys []key) error {
	t := Tile{Order: c.order, Pixel: c.pixel, Rows: int64(len(keys))}
	aside := filepath.Join(e.scratch, "tile")
	f, err := os.Create(aside)
	if err != nil {
		return fail.Input("store: tile: %w", err)
	}
	sum := sha256.New()
	counted := &counter{w: io.MultiWriter(f, sum)}
	err = e.write(counted, keys)
	if err = errors.Join(err, f.Close()); err != nil {
		return fail.Input("store: tile: %w", err)
	}
	t.Bytes, t.SHA256 = counted.n, hex.EncodeToString(sum.Sum(nil))
	t.VMin = e.records[keys[0].at].v
	for _, k := range keys {
		t.VMin = min(t.VMin, e.records[k.at].v)
	}
	path := filepath.Join(e.dir, t.Path())
	err = os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = os.Rename(aside, path)
	}
	if err != nil {
		return fail.Input("store: tile: %w", err)
	}
	e.stars += t.Rows
	e.progress(Progress{"tiles", e.stars})
	return e.journal.tile(t)
}

func (e *emitter) write(w io.Writer, keys []key) error {
	e.rows, e.movers = e.rows[:0], e.movers[:0]
	for _, k := range keys {
		r := &e.records[k.at]
		row := parquet.Row{Healpix: int64(r.cell), RA: r.ra, Dec: r.dec, X: r.pos[0], Y: r.pos[1], Z: r.pos[2], V: r.v, Teff: r.teff}
		if e.moving {
			e.movers = append(e.movers, parquet.MovingRow{Row: row, PMRA: r.pmRA, PMDec: r.pmDec})
		} else {
			e.rows = append(e.rows, row)
		}
	}
	if e.moving {
		return parquet.Write(w, e.movers)
	}
	return parquet.Write(w, e.rows)
}

// counter counts bytes.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
