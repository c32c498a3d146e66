package store

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"grsplat/render/catalog"
	"grsplat/render/fail"
)

// state is the checkpoint of a build, written whole after each input.
type state struct {
	Fingerprint string        `json:"fingerprint"` // of options and inputs
	Inputs      []inputResult `json:"inputs"`      // those spilled
	Counts      []int64       `json:"counts"`      // records of each spill file
	Moving      bool          `json:"proper_motions"`
	Spilled     bool          `json:"spilled"` // all inputs
	Cleared     bool          `json:"cleared"` // the store that was there before is gone
}

// inputResult is what the index needs of an input that will not be read again.
type inputResult struct {
	Input       Input   `json:"input"`
	Clamped     int64   `json:"clamped"`
	TeffDefault int64   `json:"teff_default"`
	FirstBin    int     `json:"first_bin"`
	Counts      []int64 `json:"counts"` // of magnitudes
}

func newInputResult(name string, st catalog.Stats) inputResult {
	m := packMagnitudes(st.Magnitudes)
	in := Input{filepath.Base(name), st.Format, st.SHA256, st.Band, st.Columns, st.Rows, st.Stars, st.Skipped}
	return inputResult{in, st.Clamped, st.TeffDefault, m.FirstBin, m.Counts}
}

const (
	stateName   = "state.json"
	journalName = "tiles.jsonl"
	spillName   = "spill"
	lockName    = "lock"
)

// readState returns the checkpoint of an earlier build, or nil if there is none that can be used.
func readState(partial string) *state {
	data, err := os.ReadFile(filepath.Join(partial, stateName))
	if err != nil {
		return nil
	}
	var s state
	if json.Unmarshal(data, &s) != nil || len(s.Counts) != spillFiles {
		return nil
	}
	return &s
}

// journal lists, line by line, the tiles that are in place and the cells all of whose tiles are.
type journal struct {
	f     *os.File
	tiles map[cell]Tile
	done  map[cell]bool
}

type journalLine struct {
	Tile     *Tile      `json:"tile,omitempty"`
	Finished *[2]uint64 `json:"finished,omitempty"` // order, pixel
}

// openJournal reads the journal of an interrupted build up to the line that the interruption tore. If a tile of it is not in place,
// nothing of it is believed.
func openJournal(dir, partial string) (*journal, error) {
	j := &journal{tiles: map[cell]Tile{}, done: map[cell]bool{}}
	path := filepath.Join(partial, journalName)
	good, err := j.read(dir, path)
	if err != nil {
		*j = journal{tiles: map[cell]Tile{}, done: map[cell]bool{}}
		good = 0
	}
	if j.f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666); err != nil {
		return nil, fail.Input("store: journal: %w", err)
	}
	if err := j.f.Truncate(good); err != nil {
		return nil, fail.Input("store: journal: %w", err)
	}
	if _, err := j.f.Seek(good, 0); err != nil {
		return nil, fail.Input("store: journal: %w", err)
	}
	return j, nil
}

// read returns the length of the whole lines.
func (j *journal) read(dir, path string) (good int64, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	for {
		line, err := r.ReadBytes('\n')
		var l journalLine
		if err != nil || json.Unmarshal(line, &l) != nil {
			return good, nil
		}
		good += int64(len(line))
		if l.Finished != nil {
			j.done[cell{int(l.Finished[0]), l.Finished[1]}] = true
		}
		if t := l.Tile; t != nil {
			st, err := os.Stat(filepath.Join(dir, t.Path()))
			if err != nil {
				return 0, err
			}
			if st.Size() != t.Bytes {
				return 0, errors.New("a tile of another size")
			}
			j.tiles[cell{t.Order, t.Pixel}] = *t
		}
	}
}

func (j *journal) write(l journalLine) error {
	data, err := json.Marshal(l)
	if err == nil {
		_, err = j.f.Write(append(data, '\n'))
	}
	if err != nil {
		return fail.Input("store: journal: %w", err)
	}
	return nil
}

func (j *journal) tile(t Tile) error {
	j.tiles[cell{t.Order, t.Pixel}] = t
	return j.write(journalLine{Tile: &t})
}

func (j *journal) finished(c cell) error {
	return j.write(journalLine{Finished: &[2]uint64{uint64(c.order), c.pixel}})
}
