package store

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"grsplat/render/fail"
)

// An index that contradicts itself is refused before anything is allocated by its word.
func TestDamagedIndex(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	mustBuild(t, dir, files(writeStars(t, 700, 31, false)), smallTiles)
	path := filepath.Join(dir, indexName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]func(*Index){
		"rows of a tile": func(x *Index) { x.Tiles[0].Rows = 1 << 60; x.Stars += 1<<60 - x.Tiles[0].Rows },
		"negative rows":  func(x *Index) { x.Tiles[0].Rows = -1 },
		"bytes":          func(x *Index) { x.Tiles[0].Bytes = -1 },
		"order":          func(x *Index) { x.Tiles[0].Order = 64 },
		"pixel":          func(x *Index) { x.Tiles[0].Pixel = 1 << 63 },
		"a lost tile":    func(x *Index) { x.Tiles = x.Tiles[1:] },
		"stars":          func(x *Index) { x.Stars++ },
		"rows":           func(x *Index) { x.Rows = 0 },
		"inputs":         func(x *Index) { x.Inputs = nil },
		"no magnitudes":  func(x *Index) { x.Magnitudes.Counts = nil },
		"first bin":      func(x *Index) { x.Magnitudes.FirstBin = 1<<63 - 1 },
		"negative count": func(x *Index) { x.Magnitudes.Counts[0] -= 1 << 40; x.Magnitudes.Counts[1] += 1 << 40 },
	} {
		var x Index
		if err := json.Unmarshal(text, &x); err != nil {
			t.Fatal(err)
		}
		edit(&x)
		bad, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, Options{}); fail.Status(err) != fail.StatusInput {
			t.Errorf("%s: opens with %v", name, err)
		}
		if _, problems, err := Verify(t.Context(), dir); err == nil && len(problems) == 0 {
			t.Errorf("%s: verifies", name)
		}
	}
}
