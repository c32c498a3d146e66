package render

import (
	"context"
	"fmt"
	"math"

	"grsplat/render/catalog"
	"grsplat/render/catalog/store"
	"grsplat/render/fail"
	"grsplat/render/lens"
)

// batchStars is how many stars a producer takes at a time.
const batchStars = 8192

// keepStars bounds how many stars are kept in memory between the pass that chooses the exposure and the pass that draws
// them: 8 million of 40 bytes. A larger catalogue is read twice.
const keepStars = 8 << 20

// A sky is the catalogues of one render.
type sky struct {
	sources []catalog.Source
	tiles   *store.Store     // the tiled store, whose source comes with the lens map, else nil
	kept    [][]catalog.Star // every star, if keeping succeeded
}

func openSky(c *Config) (*sky, error) {
	s := &sky{}
	if c.AllSky != "" {
		return openTiles(c)
	}
	if len(c.Catalogs) == 0 {
		s.sources = append(s.sources, catalog.Embedded(c.Read))
		return s, nil
	}
	for _, path := range c.Catalogs {
		src, err := catalog.Open(path, c.Read)
		if err != nil {
			return nil, err
		}
		s.sources = append(s.sources, src)
	}
	return s, nil
}

// openTiles opens a tiled store, or a directory of RAxxx/Decxxx.csv tiles, which has no index and is read whole.
func openTiles(c *Config) (*sky, error) {
	if !store.Is(c.AllSky) {
		opt := c.Read
		opt.AllowMissing = c.AllowMissing
		src, err := catalog.Open(c.AllSky, opt)
		return &sky{sources: []catalog.Source{src}}, err
	}
	if len(c.Read.Columns) > 0 || c.Read.Band != "" {
		return nil, fail.Usage("--columns and --band were settled when the store %s was built", c.AllSky)
	}
	tiles, err := store.Open(c.AllSky, store.Options{Epoch: c.Read.Epoch, AllowMissing: c.AllowMissing})
	return &sky{tiles: tiles}, err
}

// keepInView makes the store's source: tiles without a triangle of the map are never read.
func (s *sky) keepInView(l *lens.Locator, workers int) {
	if s.tiles != nil {
		s.sources = append(s.sources, s.tiles.Source(l.Occupied, workers))
	}
}

// missing lists the tiles that the last read of a store or a directory did without.
func (s *sky) missing() (paths []string) {
	for _, src := range s.sources {
		paths = append(paths, src.Stats().Missing...)
	}
	return paths
}

// read calls fn with batches of at most batchStars in catalogue order; a batch is overwritten after fn returns.
func (s *sky) read(ctx context.Context, fn func(batch []catalog.Star) error) error {
	if s.kept != nil {
		for _, batch := range s.kept {
			if err := fn(batch); err != nil {
				return err
			}
		}
		return nil
	}
	for _, src := range s.sources {
		err := src.Read(ctx, func(batch []catalog.Star) error {
			for len(batch) > 0 {
				n := min(len(batch), batchStars)
				if err := fn(batch[:n]); err != nil {
					return err
				}
				batch = batch[n:]
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("catalogue: %w", err)
		}
	}
	return nil
}

// magnitudes returns the histogram of V: a store's from its index, else by reading every catalogue once and keeping the stars
// for read if they are few.
func (s *sky) magnitudes(ctx context.Context) (*catalog.Histogram, error) {
	if s.tiles != nil {
		return s.tiles.Magnitudes(), nil
	}
	var kept [][]catalog.Star
	n := 0
	err := s.read(ctx, func(batch []catalog.Star) error {
		if n += len(batch); n <= keepStars {
			kept = append(kept, append([]catalog.Star(nil), batch...))
		} else {
			kept = nil
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.kept = kept
	total := &catalog.Histogram{}
	for _, src := range s.sources {
		total.Merge(src.Stats().Magnitudes)
	}
	return total, nil
}

// clipQuantile is the fraction of the stars that the automatic exposure lets clip in the PNG.
const clipQuantile = 0.001

// exposure returns the flux of a star of V = 0 at which the 99.9th percentile of the stars' brightness just reaches the
// PNG's white in its brightest pixel, a star at a pixel's centre.
func exposure(h *catalog.Histogram, white, peakWeight float64) float64 {
	v := h.Quantile(clipQuantile)
	return white / peakWeight * math.Pow(10, 0.4*v)
}
