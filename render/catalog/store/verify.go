package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"grsplat/render/catalog"
	"grsplat/render/fail"
)

// Problem is one thing that Verify found wrong.
type Problem struct {
	Path   string `json:"path"` // below the store
	Reason string `json:"reason"`
}

// Verify reads every tile and compares sizes, hashes, rows and counts with the index. It returns what is wrong; an error means
// that there is no complete store to verify, and says what is unfinished.
func Verify(ctx context.Context, dir string) (x *Index, problems []Problem, err error) {
	if err := unfinished(dir); err != nil {
		return nil, nil, err
	}
	if x, err = readIndex(dir); err != nil {
		return nil, nil, err
	}
	listed := map[string]bool{}
	for i := range x.Tiles {
		if err := ctx.Err(); err != nil {
			return x, problems, err
		}
		t := &x.Tiles[i]
		listed[t.Path()] = true
		if err := verifyTile(dir, t); err != nil {
			problems = append(problems, Problem{t.Path(), err.Error()})
		}
	}
	if h, err := x.Magnitudes.unpack(); err != nil || h.Total != x.Stars {
		problems = append(problems, Problem{indexName, "the magnitudes are not those of the stars"})
	}
	err = filepath.WalkDir(filepath.Join(dir, "dataset"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		below, err := filepath.Rel(dir, path)
		if err == nil && !listed[below] {
			problems = append(problems, Problem{below, "not in the index"})
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		problems = append(problems, Problem{"dataset", err.Error()})
	}
	return x, problems, nil
}

func verifyTile(dir string, t *Tile) error {
	f, err := os.Open(filepath.Join(dir, t.Path()))
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("missing")
	}
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	switch {
	case err != nil:
		return err
	case n != t.Bytes:
		return fmt.Errorf("%d bytes, the index says %d", n, t.Bytes)
	case hex.EncodeToString(sum.Sum(nil)) != t.SHA256:
		return errors.New("damaged: another SHA-256 than in the index")
	}
	return nil
}

// unfinished says how far an interrupted build came, or nil.
func unfinished(dir string) error {
	partial := filepath.Join(dir, catalog.UnfinishedDir)
	if _, err := os.Stat(partial); err != nil {
		return nil
	}
	s := readState(partial)
	if s == nil {
		return fail.Input("store: %s: unfinished: nothing read yet; run catalog build again to complete it", dir)
	}
	j := &journal{tiles: map[cell]Tile{}, done: map[cell]bool{}}
	if _, err := j.read(dir, filepath.Join(partial, journalName)); err != nil {
		clear(j.tiles)
	}
	return fail.Input("store: %s: unfinished: %d inputs read whole, %d tiles written; run catalog build again to complete it",
		dir, len(s.Inputs), len(j.tiles))
}
