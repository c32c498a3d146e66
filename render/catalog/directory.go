package catalog

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"grsplat/render/fail"
)

// Layouts of tiled directories, as slash-separated paths below the directory.
var (
	hatsTile  = regexp.MustCompile(`(?:^|/)Norder=(\d+)/Dir=\d+/Npix=(\d+)(?:\.parquet|/.*\.parquet)$`)
	raDecTile = regexp.MustCompile(`(?i)(?:^|/)ra[^/]*/dec[^/]*\.[ct]sv(?:\.gz|\.bz2|\.zst)?$`)
)

// UnfinishedDir is the folder in which a store keeps its state while it is being built.
const UnfinishedDir = "build.partial"

// tile is one file of a directory. order is -1 where the layout has none.
type tile struct {
	path         string
	order, pixel int
}

// directory is a Source of the tiles of one directory.
type directory struct {
	path  string
	opt   Options
	tiles []tile
	head  Stats // of the first tile that opens
	stats Stats
}

func openDirectory(path string, opt Options) (Source, error) {
	if _, err := os.Stat(filepath.Join(path, UnfinishedDir)); err == nil {
		return nil, fail.Input("catalog: %s: an unfinished store; run catalog build again to complete it", path)
	}
	tiles, err := findTiles(path)
	if err != nil {
		return nil, fail.Input("catalog: %s: %w", path, openError(err))
	}
	if len(tiles) == 0 {
		return nil, fail.Input("catalog: %s: a directory without HATS tiles (Norder=/Dir=/Npix=) or RAxxx/Decxxx.csv tiles", path)
	}
	d := &directory{path: path, opt: opt, tiles: tiles}
	var broken error
	for _, t := range tiles {
		head, err := d.open(t)
		if err == nil {
			d.head = head.stats
			d.reset()
			return d, nil
		}
		if broken = cmp.Or(broken, err); !opt.AllowMissing {
			break
		}
	}
	return nil, broken
}

// findTiles lists a directory's tiles in the order in which they are read: by HEALPix order and pixel, or by name.
func findTiles(root string) (tiles []tile, err error) {
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		slashed := filepath.ToSlash(path)
		if m := hatsTile.FindStringSubmatch(slashed); m != nil {
			order, errOrder := strconv.Atoi(m[1])
			pixel, errPixel := strconv.Atoi(m[2])
			if errOrder == nil && errPixel == nil {
				tiles = append(tiles, tile{path, order, pixel})
			}
		} else if raDecTile.MatchString(slashed) {
			tiles = append(tiles, tile{path, -1, 0})
		}
		return nil
	})
	slices.SortStableFunc(tiles, func(a, b tile) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.pixel, b.pixel))
	})
	return tiles, err
}

func (d *directory) open(t tile) (*file, error) {
	f := newFile(t.path, d.opt)
	return f, f.prepare(false)
}

func (d *directory) reset() {
	d.stats = Stats{Format: "directory of " + d.head.Format, Skipped: map[string]Skip{}, Band: d.head.Band,
		Columns: maps.Clone(d.head.Columns), Magnitudes: &Histogram{}, Tiles: int64(len(d.tiles))}
}

func (d *directory) Name() string { return d.path }
func (d *directory) Stats() Stats { return d.stats }

func (d *directory) Read(ctx context.Context, fn func([]Star) error) error {
	return d.read(ctx, false, func(s []Star, _ []Astrometry) error { return fn(s) })
}

func (d *directory) ReadAstrometry(ctx context.Context, fn func([]Star, []Astrometry) error) error {
	return d.read(ctx, true, fn)
}

func (d *directory) read(ctx context.Context, ast bool, fn func([]Star, []Astrometry) error) error {
	d.reset()
	for _, t := range d.tiles {
		err := d.readTile(ctx, t, ast, fn)
		switch {
		case err == nil:
			d.stats.TilesRead++
		case d.opt.AllowMissing && ctx.Err() == nil && fail.Status(err) == fail.StatusInput:
			d.stats.Missing = append(d.stats.Missing, err.Error())
		default:
			return err
		}
	}
	return fewStars(d.path, &d.stats)
}

func (d *directory) readTile(ctx context.Context, t tile, ast bool, fn func([]Star, []Astrometry) error) error {
	f, err := d.open(t)
	if err != nil {
		return err
	}
	if f.conv.band != d.stats.Band {
		return fail.Input("catalog: %s: magnitudes in %s, in the tiles before it in %s", t.path, f.conv.band, d.stats.Band)
	}
	err = f.read(ctx, ast, fn)
	d.stats.merge(&f.stats)
	return err
}
