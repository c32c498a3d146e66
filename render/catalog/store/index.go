package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"grsplat/render/catalog"
	"grsplat/render/fail"
)

// Tile is one cell of the sky.
type Tile struct {
	Order  int     `json:"order"`
	Pixel  uint64  `json:"pixel"` // nested
	Rows   int64   `json:"rows"`
	Bytes  int64   `json:"bytes"`
	SHA256 string  `json:"sha256"`
	VMin   float64 `json:"v_min"` // magnitude of the brightest star
}

// Path of the tile below the store's directory.
func (t *Tile) Path() string {
	return filepath.FromSlash(fmt.Sprintf("dataset/Norder=%d/Dir=%d/Npix=%d.parquet", t.Order, t.Pixel/10000*10000, t.Pixel))
}

// Input is the provenance of one catalogue.
type Input struct {
	Name    string                  `json:"name"`
	Format  string                  `json:"format"`
	SHA256  string                  `json:"sha256,omitempty"`
	Band    string                  `json:"band"`
	Columns map[string]string       `json:"columns"`
	Rows    int64                   `json:"rows"`
	Stars   int64                   `json:"stars"`
	Skipped map[string]catalog.Skip `json:"skipped"`
}

// Index describes a complete store.
type Index struct {
	Format      string                  `json:"format"`
	Version     int                     `json:"version"`
	Rows        int64                   `json:"rows"` // of the inputs
	Stars       int64                   `json:"stars"`
	Skipped     map[string]catalog.Skip `json:"skipped"`
	Clamped     int64                   `json:"clamped"`
	TeffDefault int64                   `json:"teff_default"`
	Band        string                  `json:"band"`
	Moving      bool                    `json:"proper_motions"` // tiles have pmra and pmdec
	TileRows    int                     `json:"tile_rows"`
	Inputs      []Input                 `json:"inputs"`
	Magnitudes  magnitudes              `json:"magnitudes"`
	Tiles       []Tile                  `json:"tiles"`

	sum string // SHA-256 of the file; with the tiles' sums in it, it stands for the whole store
}

const (
	indexFormat  = "grsplat-store"
	indexVersion = 1
	indexName    = "index.json"
)

// magnitudes is a histogram of V without its empty ends, and some quantiles of it for a reader of the file.
type magnitudes struct {
	Brightest float64 `json:"brightest"`
	P999      float64 `json:"p99.9_of_brightness"`
	Median    float64 `json:"median"`
	FirstBin  int     `json:"first_bin"`
	Counts    []int64 `json:"counts"`
}

func packMagnitudes(h *catalog.Histogram) magnitudes {
	first, last := 0, len(h.Count)
	for first < last && h.Count[first] == 0 {
		first++
	}
	for last > first && h.Count[last-1] == 0 {
		last--
	}
	return magnitudes{h.Quantile(0), h.Quantile(0.001), h.Quantile(0.5), first, h.Count[first:last]}
}

func (m *magnitudes) unpack() (*catalog.Histogram, error) {
	h := &catalog.Histogram{}
	if m.FirstBin < 0 || m.FirstBin > len(h.Count) || len(m.Counts) > len(h.Count)-m.FirstBin || slices.ContainsFunc(m.Counts, func(n int64) bool { return n < 0 }) {
		return nil, fail.Input("magnitudes out of range")
	}
	for i, n := range m.Counts {
		h.Count[m.FirstBin+i] = n
		h.Total += n
	}
	return h, nil
}

// readIndex reads and checks the index of a complete store.
func readIndex(dir string) (*Index, error) {
	data, err := os.ReadFile(filepath.Join(dir, indexName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fail.Input("store: %s: %s", dir, whatInstead(dir))
	}
	if st, none := os.Stat(dir); err != nil && none == nil && !st.IsDir() {
		return nil, fail.Input("store: %s: a file, not a directory made by catalog build", dir)
	}
	if err != nil {
		return nil, fail.Input("store: %s: %w", dir, err)
	}
	var x Index
	if err := json.Unmarshal(data, &x); err != nil {
		return nil, fail.Input("store: %s: damaged index: %w", dir, err)
	}
	if x.Format != indexFormat || x.Version != indexVersion {
		return nil, fail.Input("store: %s: index of format %q version %d, this program reads %s version %d",
			dir, x.Format, x.Version, indexFormat, indexVersion)
	}
	if len(x.Inputs) == 0 {
		return nil, fail.Input("store: %s: damaged index: no inputs", dir)
	}
	sum := sha256.Sum256(data)
	x.sum = hex.EncodeToString(sum[:])
	var stars int64
	for i := range x.Tiles {
		// A file of so many bytes holds no more rows than this, however well they compress.
		t := &x.Tiles[i]
		if t.Order < 0 || t.Order > maxTileOrder || t.Pixel >= 12<<(2*t.Order) || t.Rows < 1 || t.Bytes < 1 || t.Rows/16-maxTileRows > t.Bytes {
			return nil, fail.Input("store: %s: damaged index: tile %d", dir, i)
		}
		stars += t.Rows
	}
	if stars != x.Stars || x.Rows < x.Stars {
		return nil, fail.Input("store: %s: damaged index: %d stars of %d rows, %d in the tiles", dir, x.Stars, x.Rows, stars)
	}
	return &x, nil
}

// whatInstead says what a directory without an index is.
func whatInstead(dir string) string {
	if _, err := os.Stat(filepath.Join(dir, catalog.UnfinishedDir)); err == nil {
		return "an unfinished store; run catalog build again to complete it"
	}
	if _, err := os.Stat(dir); err != nil {
		return "no such directory"
	}
	return "not a store made by catalog build (no " + indexName + "); --catalog reads other directories"
}

// writeJSON writes a file whole: aside, then renamed.
func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("store: encode: %w", err)
	}
	return writeWhole(path, append(data, '\n'))
}

// writeWhole writes a file aside, flushes it and renames it.
func writeWhole(path string, data []byte) error {
	aside := path + ".partial"
	f, err := os.Create(aside)
	if err != nil {
		return fail.Input("store: %w", err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(aside, path)
	}
	if err != nil {
		return fail.Input("store: write: %w", err)
	}
	return nil
}

// writeLayout writes the files that HATS asks for.
func writeLayout(dir string, x *Index) error {
	var p strings.Builder
	p.WriteString("Norder,Npix\n")
	top := 0
	for _, t := range x.Tiles {
		fmt.Fprintf(&p, "%d,%d\n", t.Order, t.Pixel)
		top = max(top, t.Order)
	}
	if err := writeWhole(filepath.Join(dir, "partition_info.csv"), []byte(p.String())); err != nil {
		return err
	}
	properties := fmt.Sprintf(`obs_collection=grsplat
dataproduct_type=object
hats_version=v1.0
hats_builder=grsplat
hats_nrows=%d
hats_order=%d
hats_max_rows=%d
hats_col_ra=ra
hats_col_dec=dec
hats_col_healpix=_healpix_29
hats_col_healpix_order=29
hats_npix_suffix=.parquet
hats_coordinate_epoch=J2000.0
hats_frame=icrs
`, x.Stars, top, x.TileRows)
	return writeWhole(filepath.Join(dir, "properties"), []byte(properties))
}
