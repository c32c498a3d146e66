package store

import (
	"context"
	"errors"
	"maps"
	"runtime"

	"grsplat/render/catalog"
	"grsplat/render/fail"
)

// Keep tells whether a cell of the sky may be of use; a nil Keep wants all.
type Keep func(order int, pixel uint64) bool

// Stream calls fn with the stars of each tile that keep wants, in the order of Tiles, from one goroutine, while workers (0:
// one per CPU) load the tiles ahead: at most two of them for each worker wait at a time. The stars belong to Stream and are
// overwritten after fn returns. Missing or damaged tiles are returned where AllowMissing is set, else the first is the error.
func (s *Store) Stream(ctx context.Context, keep Keep, workers int, fn func(t *Tile, stars []catalog.Star) error) (missing []*TileError, err error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancel(ctx)
	l := &loader{store: s, work: make(chan *load, 2*workers), order: make(chan *load, 2*workers), free: make(chan *load, 2*workers)}
	for range 2 * workers {
		l.free <- &load{done: make(chan struct{}, 1)}
	}
	finished := make(chan struct{}, workers+1)
	go func() { l.feed(ctx, keep); finished <- struct{}{} }()
	for range workers {
		go func() { l.run(); finished <- struct{}{} }()
	}
	defer func() {
		cancel()
		for range workers + 1 {
			<-finished
		}
	}()
	for w := range l.order {
		<-w.done
		var damaged *TileError
		switch {
		case errors.As(w.err, &damaged) && s.opt.AllowMissing:
			missing = append(missing, damaged)
		case w.err != nil:
			return missing, w.err
		default:
			if err := fn(&s.index.Tiles[w.tile], w.stars); err != nil {
				return missing, err
			}
		}
		l.free <- w
	}
	return missing, ctx.Err()
}

// load is one tile on its way; loads are reused.
type load struct {
	tile  int
	stars []catalog.Star
	err   error
	done  chan struct{}
}

type loader struct {
	store             *Store
	work, order, free chan *load
}

func (l *loader) feed(ctx context.Context, keep Keep) {
	defer close(l.order)
	defer close(l.work)
	for i := range l.store.index.Tiles {
		t := &l.store.index.Tiles[i]
		if keep != nil && !keep(t.Order, t.Pixel) {
			continue
		}
		select {
		case w := <-l.free:
			w.tile = i
			l.order <- w
			l.work <- w
		case <-ctx.Done():
			return
		}
	}
}

func (l *loader) run() {
	for w := range l.work {
		w.stars, w.err = l.store.ReadTile(w.tile, w.stars)
		w.done <- struct{}{}
	}
}

// Source is a Store as a catalog.Source.
type Source struct {
	store   *Store
	keep    Keep
	workers int
	missing []*TileError
	tiles   int64 // read
}

// Source reads the tiles that keep wants as an ordinary catalogue. Its Stats are those of the whole store, less the tiles that the last
// Read found missing: rows and skipped rows of its inputs, the columns of the first, the SHA-256 of the index. A Read that finds not
// one of the tiles that it wants is an error.
func (s *Store) Source(keep Keep, workers int) *Source {
	return &Source{store: s, keep: keep, workers: workers}
}

// Missing lists the tiles that the last Read did without.
func (s *Source) Missing() []*TileError { return s.missing }

func (s *Source) Name() string { return s.store.dir }

func (s *Source) Read(ctx context.Context, fn func([]catalog.Star) error) (err error) {
	s.tiles = 0
	s.missing, err = s.store.Stream(ctx, s.keep, s.workers, func(_ *Tile, stars []catalog.Star) error {
		s.tiles++
		return fn(stars)
	})
	if err == nil && s.tiles == 0 && len(s.missing) > 0 {
		return fail.Input("none of the %d tiles in view can be read, the first: %w", len(s.missing), s.missing[0])
	}
	return err
}

// ReadAstrometry is not what a store is for: catalog.Open reads its directory with all columns.
func (s *Source) ReadAstrometry(context.Context, func([]catalog.Star, []catalog.Astrometry) error) error {
	return fail.Usage("store: %s: open it as a catalogue to copy it", s.store.dir)
}

func (s *Source) Stats() catalog.Stats {
	x := s.store.index
	st := catalog.Stats{Tiles: int64(len(x.Tiles)), TilesRead: s.tiles,
		Format: indexFormat, Rows: x.Rows, Stars: x.Stars, Skipped: maps.Clone(x.Skipped),
		Clamped: x.Clamped, TeffDefault: x.TeffDefault, Band: x.Band, Columns: maps.Clone(x.Inputs[0].Columns), SHA256: x.sum, Magnitudes: s.store.hist}
	for _, m := range s.missing {
		st.Missing = append(st.Missing, m.Error())
		st.MissingStars += m.Stars
	}
	st.Stars -= st.MissingStars
	return st
}
