package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"grsplat/render/catalog"
	"grsplat/render/fail"
	"grsplat/render/healpix"
)

// A BuildInput is one catalogue that goes into a store.
type BuildInput struct {
	Open        func() (catalog.Source, error)
	Fingerprint string // changes when the stars do: what an interrupted build compares before it goes on
}

// FileInput is the catalogue of a file or directory. Its fingerprint is made of sizes and times, so that going on need not read it.
func FileInput(path string, opt catalog.Options) (BuildInput, error) {
	var print strings.Builder
	err := filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		st, err := os.Stat(p)
		if err != nil {
			return err
		}
		fmt.Fprintf(&print, "%s %d %d\n", p, st.Size(), st.ModTime().UnixNano())
		return nil
	})
	if err != nil {
		return BuildInput{}, fail.Input("store: %w", err)
	}
	options, err := json.Marshal(opt)
	if err != nil {
		return BuildInput{}, fmt.Errorf("store: %w", err)
	}
	return BuildInput{func() (catalog.Source, error) { return catalog.Open(path, opt) }, print.String() + string(options)}, nil
}

// BuildOptions of Build. The zero value of a field is its default.
type BuildOptions struct {
	Memory   int64 // bytes for buffers and sorting; 0: 1 GiB, of which about half is used
	TileRows int   // most stars of a tile; 0: 65,536
	Force    bool  // replace a complete store
	Progress func(Progress)
}

// Progress of a build.
type Progress struct {
	Stage string // "read" or "tiles"
	Stars int64
}

// Defaults and limits of BuildOptions.
const (
	DefaultMemory   = 1 << 30
	MinMemory       = 64 << 20
	DefaultTileRows = 1 << 16
	maxTileRows     = 1 << 22
)

// Spill files: one for each cell of this order.
const (
	spillOrder = 3
	spillFiles = 12 << (2 * spillOrder)
)

// builder is one run of Build.
type builder struct {
	dir, partial string
	opt          BuildOptions
	made         bool     // dir was not there
	lock         *os.File // in the unfinished folder
	futile       bool     // the same call would fail again
	state        *state
	spill        *spill
	stars        int64
}

// Build makes a store of the inputs in dir, whose parent is there. A killed or interrupted build leaves dir/build.partial; the same call
// goes on from there: after the last input that was spilled, or the last tile. The result does not depend on interruptions, memory or
// workers. After another error, and after an interrupt before the first input was read, nothing is left, and a store that Force was to
// replace is as before. Two builds into one directory exclude each other.
func Build(ctx context.Context, dir string, inputs []BuildInput, opt BuildOptions) (*Index, error) {
	opt.Memory, opt.TileRows = cmp.Or(opt.Memory, DefaultMemory), cmp.Or(opt.TileRows, DefaultTileRows)
	if opt.Progress == nil {
		opt.Progress = func(Progress) {}
	}
	switch {
	case len(inputs) == 0:
		return nil, fail.Usage("store: no input")
	case opt.Memory < MinMemory:
		return nil, fail.Usage("store: %d bytes of memory; the least is %d", opt.Memory, int64(MinMemory))
	case opt.TileRows < 1 || opt.TileRows > maxTileRows:
		return nil, fail.Usage("store: tiles of %d rows are outside 1 to %d", opt.TileRows, maxTileRows)
	}
	b := &builder{dir: dir, partial: filepath.Join(dir, catalog.UnfinishedDir), opt: opt}
	if err := b.claim(fingerprint(inputs, opt.TileRows)); err != nil {
		return nil, err
	}
	x, err := b.build(ctx, inputs)
	if err != nil {
		return nil, b.leave(err)
	}
	return x, b.release()
}

func (b *builder) build(ctx context.Context, inputs []BuildInput) (*Index, error) {
	if err := b.read(ctx, inputs); err != nil {
		return nil, err
	}
	if err := b.clear(); err != nil {
		return nil, err
	}
	tiles, err := b.tiles(ctx)
	if err != nil {
		return nil, err
	}
	return b.finish(tiles)
}

func fingerprint(inputs []BuildInput, tileRows int) string {
	parts := []string{fmt.Sprintf("%s %d, %d rows", indexFormat, indexVersion, tileRows)}
	for _, in := range inputs {
		parts = append(parts, in.Fingerprint)
	}
	return strings.Join(parts, "\n")
}

// spillShare of the memory goes to the buffers of the spill files, sortShare to records being sorted.
const (
	spillShare = 8
	sortShare  = 4
)

func (b *builder) newSpill() *spill {
	return newSpill(filepath.Join(b.partial, spillName), spillOrder, 0, spillFiles, b.opt.Memory/spillShare)
}

func (b *builder) checkpoint() error {
	copy(b.state.Counts, b.spill.count)
	b.state.Moving = b.spill.moving
	return writeJSON(filepath.Join(b.partial, stateName), b.state)
}

// tiles sorts the spilled records into tiles and returns these in the order of the sky.
func (b *builder) tiles(ctx context.Context) ([]Tile, error) {
	j, err := openJournal(b.dir, b.partial)
	if err != nil {
		return nil, err
	}
	defer j.f.Close()
	e := &emitter{dir: b.dir, scratch: filepath.Join(b.partial, spillName), tileRows: b.opt.TileRows, moving: b.spill.moving,
		memory: b.opt.Memory / sortShare, done: j.done, journal: j, progress: b.opt.Progress}
	for face := range uint64(12) {
		if err := e.emit(ctx, b.spill, cell{0, face}); err != nil {
			return nil, err
		}
	}
	tiles := slices.Collect(maps.Values(j.tiles))
	slices.SortFunc(tiles, func(x, y Tile) int {
		return cmp.Compare(x.Pixel<<(2*(healpix.MaxOrder-x.Order)), y.Pixel<<(2*(healpix.MaxOrder-y.Order)))
	})
	return tiles, nil
}

// finish writes the index last.
func (b *builder) finish(tiles []Tile) (*Index, error) {
	x := &Index{Format: indexFormat, Version: indexVersion, Skipped: map[string]catalog.Skip{}, Moving: b.spill.moving,
		TileRows: b.opt.TileRows, Tiles: tiles}
	h := &catalog.Histogram{}
	var bands []string
	for _, r := range b.state.Inputs {
		m := magnitudes{FirstBin: r.FirstBin, Counts: r.Counts}
		part, err := m.unpack()
		if err != nil {
			return nil, fail.Input("store: checkpoint: %w", err)
		}
		h.Merge(part)
		x.Inputs = append(x.Inputs, r.Input)
		x.Rows += r.Input.Rows
		x.Stars += r.Input.Stars
		x.Clamped += r.Clamped
		x.TeffDefault += r.TeffDefault
		for reason, k := range r.Input.Skipped {
			sum := x.Skipped[reason]
			x.Skipped[reason] = catalog.Skip{N: sum.N + k.N, FirstLine: cmp.Or(sum.FirstLine, k.FirstLine)}
		}
		if !slices.Contains(bands, r.Input.Band) {
			bands = append(bands, r.Input.Band)
		}
	}
	x.Band = strings.Join(bands, "+")
	x.Magnitudes = packMagnitudes(h)
	var stars int64
	for _, t := range tiles {
		stars += t.Rows
	}
	if stars != x.Stars {
		b.futile = true
		return nil, fmt.Errorf("store: %d stars in the tiles, %d in the inputs", stars, x.Stars)
	}
	if err := writeLayout(b.dir, x); err != nil {
		return nil, err
	}
	return x, writeJSON(filepath.Join(b.dir, indexName), x)
}
