package search

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"grsplat/render/outfile"
)

// Scan is a job of many batches.
type Scan struct {
	Searcher      *Searcher
	Source        Source
	Mode          Mode
	Supplementary bool           // search for redrawn seeds instead; on the CPU whatever the engine
	Output        string         // hits file, CSV index,x,z,seed; the journal is Output + ".journal"
	Force         bool           // replace an existing Output, and a journal of another job
	Progress      func(Progress) // called after each step
}

// Progress tells how far a scan is. Left is an estimate from this run's steps.
type Progress struct {
	Steps, AllSteps int64
	Seen, Total     int64 // positions
	Hits            int
	Left            time.Duration
}

// Report is what a scan did, earlier runs of it included.
type Report struct {
	Engine     string  `json:"engine"`
	Shape      string  `json:"shape"`
	Mode       string  `json:"mode"`
	Source     string  `json:"source"`
	Positions  int64   `json:"positions"` // of the job; counts.Positions are those given to batches
	Steps      int64   `json:"steps"`
	Resumed    int64   `json:"resumed_steps"` // found done in the journal
	Counts     Counts  `json:"counts"`
	Stages     Stages  `json:"stages_ns"` // sums over batches, nanoseconds
	Seconds    float64 `json:"seconds"`   // wall time of this run
	HitsSHA256 string  `json:"hits_sha256"`
}

// Run scans, or goes on where a run of the same job was stopped. The hits file appears whole at the end, then the journal goes.
func (s *Scan) Run(ctx context.Context) (report *Report, err error) {
	began := time.Now()
	job := jobRecord{1, s.Source.Identity(), s.Searcher.shape.String(), s.Supplementary}
	if err := outfile.Check(s.Output, true); err != nil {
		return nil, err // before a journal is made beside it
	}
	j, steps, end, err := openJournal(s.Output+".journal", job, s.Force)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = j.leave(err)
		}
	}()
	// A journal with an end is of a run that was killed while it put the hits file in place: that file is its own.
	if err := outfile.Check(s.Output, s.Force || end != nil); err != nil {
		return nil, err
	}
	report = &Report{Engine: s.Searcher.Engine(), Shape: job.Shape, Mode: s.Mode.String(), Source: job.Source, Steps: s.Source.Steps(), Resumed: int64(len(steps))}
	var hits []FoundSeed
	take := func(r stepRecord) {
		hits = append(hits, r.Hits...)
		report.Positions += r.Seen
		report.Counts.add(r.Counts)
		report.Stages.add(r.Stages)
	}
	for _, r := range steps {
		take(r)
	}
	for step := report.Resumed; step < report.Steps; step++ {
		r, err := s.step(ctx, step)
		if err != nil {
			return nil, err
		}
		if err := j.append(record{Step: r}); err != nil {
			return nil, err
		}
		take(*r)
		if s.Progress != nil {
			done := step + 1 - report.Resumed
			left := time.Duration(float64(time.Since(began)) * float64(report.Steps-step-1) / float64(done))
			s.Progress(Progress{step + 1, report.Steps, report.Positions, s.Source.Total(), len(hits), left})
		}
	}
	if report.HitsSHA256, err = s.finish(j, hits, end); err != nil {
		return nil, err
	}
	report.Seconds = time.Since(began).Seconds()
	return report, j.remove()
}

// step runs one step of the source.
func (s *Scan) step(ctx context.Context, step int64) (*stepRecord, error) {
	r := &stepRecord{Step: step}
	var rooted rootedFunc
	if !s.Supplementary && (s.Mode == Auto || s.Mode >= RootedOnly) {
		rooted = s.Searcher.rooted
	}
	clock := stopwatch{last: time.Now()}
	items, seen, classes, err := s.Source.Step(ctx, step, rooted)
	if err != nil {
		return nil, err
	}
	clock.lap(&r.Stages.Roots)
	r.Stages.Total = r.Stages.Roots
	r.Seen = seen
	for piece := range slices.Chunk(items, s.Searcher.limits.Positions) {
		if err := s.batch(ctx, piece, r); err != nil {
			return nil, err
		}
	}
	if classes > 0 {
		r.Counts.Classes = int(classes)
	}
	return r, nil
}

// batch searches a piece, in halves where it exceeds a limit of the batch.
func (s *Scan) batch(ctx context.Context, items []Item, r *stepRecord) error {
	in := make([]Pos, len(items))
	for i, item := range items {
		in[i] = item.Pos
	}
	result, err := s.search(ctx, in)
	var over *LimitError
	if errors.As(err, &over) && len(items) > 1 {
		half := len(items) / 2
		if err := s.batch(ctx, items[:half], r); err != nil {
			return err
		}
		return s.batch(ctx, items[half:], r)
	}
	if err != nil {
		return err
	}
	for _, h := range result.Hits {
		item := items[h.Index]
		r.Hits = append(r.Hits, FoundSeed{item.Index, item.Pos.X, item.Pos.Z, h.Seed})
	}
	r.Counts.add(result.Counts)
	r.Stages.add(result.Stages)
	return nil
}

func (s *Scan) search(ctx context.Context, in []Pos) (*Result, error) {
	if !s.Supplementary {
		return s.Searcher.Batch(ctx, in, s.Mode)
	}
	began := time.Now()
	hits, err := s.Searcher.shape.Supplementary(ctx, in)
	took := time.Since(began)
	return &Result{Hits: hits, Counts: Counts{Positions: len(in), Hits: len(hits)}, Stages: Stages{Search: took, Total: took}}, err
}

// rooted is the rootedFunc of the engine.
func (s *Searcher) rooted(ctx context.Context, classes []Class) ([]bool, error) {
	roots, err := s.engine.roots(ctx, classes, true, s.limits.Roots)
	keep := make([]bool, len(classes))
	for _, r := range roots {
		keep[r.Generator] = true
	}
	return keep, err
}

// finish writes the hits file and returns its SHA-256. The journal first notes the digest, so that a run killed after the
// file appeared knows it for its own; end is that note of an earlier run.
func (s *Scan) finish(j *journal, hits []FoundSeed, end *endRecord) (string, error) {
	slices.SortFunc(hits, func(a, b FoundSeed) int { return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Seed, b.Seed)) })
	var text bytes.Buffer
	text.WriteString("index,x,z,seed\n")
	for _, h := range hits {
		fmt.Fprintf(&text, "%d,%d,%d,%d\n", h.Index, h.X, h.Z, h.Seed)
	}
	digest := sha256.Sum256(text.Bytes())
	sum := hex.EncodeToString(digest[:])
	if end != nil && end.SHA256 == sum && fileSum(s.Output) == sum {
		return sum, nil
	}
	f, err := outfile.Create(s.Output, s.Force)
	if err != nil {
		return "", err
	}
	defer f.Abort()
	if err := j.append(record{End: &endRecord{sum}}); err != nil {
		return "", err
	}
	if _, err := f.Write(text.Bytes()); err != nil {
		return "", err
	}
	return sum, f.Commit()
}

// fileSum is the SHA-256 of a file, or "" if it cannot be read.
func fileSum(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
