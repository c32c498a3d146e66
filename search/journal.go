package search

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"time"

	"grsplat/render/fail"
	"grsplat/render/outfile"
)

// A journal is a text file beside the hits file. Each line is a CRC-32C in hex, a blank, and a JSON record: first the job, then
// the steps in order, then perhaps the end. A step is appended by one write after it is done, so a killed scan loses only the step
// it was in; a line that is torn, and what follows it, is cut off on resuming. A scan holds a lock on its journal while it runs.
type journal struct {
	file   *os.File
	synced time.Time
	steps  int // that the file holds
}

// record is one line; exactly one field is set.
type record struct {
	Job  *jobRecord  `json:"job,omitempty"`
	Step *stepRecord `json:"step,omitempty"`
	End  *endRecord  `json:"end,omitempty"`
}

type jobRecord struct {
	Version       int    `json:"version"`
	Source        string `json:"source"`
	Shape         string `json:"shape"`
	Supplementary bool   `json:"supplementary"`
}

type stepRecord struct {
	Step   int64       `json:"step"`
	Seen   int64       `json:"seen"`
	Counts Counts      `json:"counts"`
	Stages Stages      `json:"stages"`
	Hits   []FoundSeed `json:"hits,omitempty"`
}

// endRecord says that the hits file with this SHA-256 is being put in place.
type endRecord struct {
	SHA256 string `json:"sha256"`
}

// FoundSeed is a hit with its position.
type FoundSeed struct {
	Index int64  `json:"i"`
	X     int32  `json:"x"`
	Z     int32  `json:"z"`
	Seed  uint64 `json:"seed"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// openJournal opens or starts the journal of a job and returns what it holds. A journal of another job is refused unless
// force is set, which starts it anew; one that another scan has open is refused always.
func openJournal(path string, job jobRecord, force bool) (*journal, []stepRecord, *endRecord, error) {
	file, err := outfile.OpenLocked(path)
	if errors.Is(err, outfile.ErrLocked) {
		return nil, nil, nil, fail.Input("journal: %s: another scan is writing this output; let it end, or give another -o", path)
	}
	if err != nil {
		return nil, nil, nil, fail.Input("journal: %w", err)
	}
	j := &journal{file: file, synced: time.Now()}
	steps, end, err := j.begin(job, force)
	if err != nil {
		_ = file.Close() // the first error is the one to tell
		return nil, nil, nil, fail.Input("journal: %s: %w", path, err)
	}
	return j, steps, end, nil
}

// begin reads what the journal holds, cuts off what is torn, and notes the job in an empty one.
func (j *journal) begin(job jobRecord, force bool) ([]stepRecord, *endRecord, error) {
	text, err := io.ReadAll(j.file)
	if err != nil {
		return nil, nil, err
	}
	steps, end, good, err := readJournal(text, job)
	if err != nil && !force {
		return nil, nil, fmt.Errorf("%w; --force starts anew", err)
	}
	if err := j.file.Truncate(int64(good)); err != nil {
		return nil, nil, err
	}
	if _, err := j.file.Seek(int64(good), io.SeekStart); err != nil {
		return nil, nil, err
	}
	j.steps = len(steps)
	if good > 0 {
		return steps, end, nil
	}
	if err := j.append(record{Job: &job}); err != nil {
		return nil, nil, errors.Join(err, os.Remove(j.file.Name()))
	}
	return nil, nil, nil
}

// readJournal returns the steps of a journal and the length of its good part, 0 when it has not even its first line.
func readJournal(text []byte, job jobRecord) (steps []stepRecord, end *endRecord, good int, err error) {
	for n := 0; ; n++ {
		line, _, whole := bytes.Cut(text[good:], []byte("\n"))
		if !whole {
			return steps, end, good, nil
		}
		r, ok := parseRecord(line)
		switch {
		case !ok && n == 0:
			return nil, nil, 0, errors.New("not a journal of slimescan")
		case !ok:
			return steps, end, good, nil
		case n == 0:
			if r.Job == nil || *r.Job != job {
				return nil, nil, 0, errors.New("belongs to another job")
			}
		case r.Step != nil && r.Step.Step == int64(len(steps)) && end == nil:
			steps = append(steps, *r.Step)
		case r.End != nil:
			end = r.End
		default:
			return nil, nil, 0, fmt.Errorf("line %d is out of place", n+1)
		}
		good += len(line) + 1
	}
}

func parseRecord(line []byte) (record, bool) {
	var r record
	var sum uint32
	head, body, found := bytes.Cut(line, []byte(" "))
	if n, _ := fmt.Sscanf(string(head), "%08x", &sum); !found || n != 1 || len(head) != 8 || crc32.Checksum(body, castagnoli) != sum {
		return r, false
	}
	return r, json.Unmarshal(body, &r) == nil
}

// append writes a record, and about once a second flushes the file to the disk: a killed program needs no flush, a
// power cut costs a second's steps.
func (j *journal) append(r record) error {
	body, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("journal: encode: %w", err)
	}
	if _, err := fmt.Fprintf(j.file, "%08x %s\n", crc32.Checksum(body, castagnoli), body); err != nil {
		return fail.Input("journal: %w", err)
	}
	if r.Step != nil {
		j.steps++
	}
	if time.Since(j.synced) > time.Second {
		j.synced = time.Now()
		if err := j.file.Sync(); err != nil {
			return fail.Input("journal: %w", err)
		}
	}
	return nil
}

// leave ends the use of the journal of a scan that failed: it stays, to be gone on with, unless it holds no step.
func (j *journal) leave(err error) error {
	if j.steps == 0 {
		return errors.Join(err, j.remove())
	}
	return fail.Resumable(errors.Join(err, j.file.Close()), j.file.Name()+" keeps what was done: the same command goes on there")
}

func (j *journal) remove() error {
	if err := outfile.ReleaseAfter(j.file, func() error { return os.Remove(j.file.Name()) }); err != nil {
		return fail.Input("journal: %w", err)
	}
	return nil
}
