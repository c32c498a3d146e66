package search

import (
	"context"
	"fmt"
	"slices"
	"time"

	"grsplat/render/fail"
)

// benchSeed draws the benchmark's random batches; with it the 32 rooted classes of 5x5 hold about 1.7 million tasks.
const benchSeed = 9

// BenchBatch is a named batch.
type BenchBatch struct {
	Name      string
	Positions []Pos
}

// BenchBatches are the four batches of the reference measurement, thinned to every thin-th position.
func BenchBatches(s Shape, thin int) []BenchBatch {
	draw := NewSampler(s, benchSeed)
	var rooted, scattered []Pos
	for range 32 {
		rooted = append(rooted, s.Members(draw.RootedClass())...)
	}
	for range 4096 {
		scattered = append(scattered, draw.Position())
	}
	batches := []BenchBatch{
		{"known class", s.Members(s.ClassOf(Pos{51069, 419124}))},
		{"32 rooted classes", rooted},
		{"512 classes x 64", draw.Classes(512, 64)},
		{"4096 scattered", scattered},
	}
	for i, b := range batches {
		var kept []Pos
		for k := 0; k < len(b.Positions); k += thin {
			kept = append(kept, b.Positions[k])
		}
		batches[i].Positions = kept
	}
	return batches
}

// BenchReport is the outcome of a benchmark. Times are medians over the rounds, in milliseconds.
type BenchReport struct {
	Engine  string       `json:"engine"`
	Shape   string       `json:"shape"`
	SetupMS float64      `json:"setup_ms"` // starting the engine and the warm-up round
	Rounds  int          `json:"rounds"`
	Thin    int          `json:"thin"`
	Batches []BenchTable `json:"batches"`
}

// BenchTable is one batch in all modes.
type BenchTable struct {
	Name      string    `json:"name"`
	Positions int       `json:"positions"`
	Classes   int       `json:"classes"`
	Tasks     int       `json:"tasks"`
	Hits      int       `json:"hits"`
	Modes     []BenchMS `json:"modes"`
}

// BenchMS is one batch in one mode. Every round's tasks and hits equalled those of the first mode measured.
type BenchMS struct {
	Mode      int     `json:"mode"`
	Classing  float64 `json:"classing_ms"`
	Roots     float64 `json:"roots_ms"`
	Arranging float64 `json:"arranging_expansion_ms"`
	Search    float64 `json:"search_download_ms"`
	Restoring float64 `json:"restoring_ms"`
	Batch     float64 `json:"batch_ms"`
	Fastest   float64 `json:"fastest_batch_ms"`
	Slowest   float64 `json:"slowest_batch_ms"`
	USPerTask float64 `json:"us_per_task"` // batch_ms over tasks
	Identical bool    `json:"identical"`
}

// Bench runs every batch in every mode, rounds times after a warm-up, and starts each round one mode further on. In each
// round the task and hit lists of each mode are compared with those of modes[0]; a difference ends the benchmark.
func (s *Searcher) Bench(ctx context.Context, batches []BenchBatch, modes []Mode, rounds int, progress func(string)) (*BenchReport, error) {
	report := &BenchReport{Engine: s.Engine(), Shape: s.shape.String(), Rounds: rounds}
	laps := make([][][]Stages, len(batches)) // batch, mode, round
	for b, batch := range batches {
		laps[b] = make([][]Stages, len(modes))
		report.Batches = append(report.Batches, BenchTable{Name: batch.Name, Positions: len(batch.Positions), Classes: len(s.sorter.byClass(s.shape, batch.Positions).classes)})
	}
	began := time.Now()
	for round := -1; round < rounds; round++ {
		for b, batch := range batches {
			progress(fmt.Sprintf("round %d of %d, %s", round+1, rounds, batch.Name))
			stages, reference, err := s.benchRound(ctx, batch, modes, max(round, 0))
			if err != nil {
				return nil, err
			}
			report.Batches[b].Tasks, report.Batches[b].Hits = reference.Tasks, reference.Hits
			for m := range modes {
				if round >= 0 {
					laps[b][m] = append(laps[b][m], stages[m])
				}
			}
		}
		if round < 0 {
			report.SetupMS = milliseconds(time.Since(began))
		}
	}
	for b := range batches {
		for m, mode := range modes {
			report.Batches[b].Modes = append(report.Batches[b].Modes, medians(mode, laps[b][m], report.Batches[b].Tasks))
		}
	}
	return report, nil
}

// benchRound runs one batch in all modes, beginning with modes[turn], and compares the lists.
func (s *Searcher) benchRound(ctx context.Context, batch BenchBatch, modes []Mode, turn int) ([]Stages, Counts, error) {
	stages := make([]Stages, len(modes))
	results := make([]*Result, len(modes))
	tasks := make([][]Task, len(modes))
	for i := range modes {
		m := (i + turn) % len(modes)
		r, err := s.Batch(ctx, batch.Positions, modes[m])
		if err != nil {
			return nil, Counts{}, err
		}
		if tasks[m], err = s.Tasks(r); err != nil {
			return nil, Counts{}, err
		}
		stages[m], results[m] = r.Stages, r
	}
	for m, mode := range modes {
		if !slices.Equal(tasks[m], tasks[0]) || !slices.Equal(results[m].Hits, results[0].Hits) {
			return nil, Counts{}, fail.Tolerance("bench: %s: mode %s differs from mode %s: %d and %d tasks, %d and %d hits", batch.Name, mode, modes[0],
				len(tasks[m]), len(tasks[0]), len(results[m].Hits), len(results[0].Hits))
		}
	}
	return stages, results[0].Counts, nil
}

func medians(mode Mode, laps []Stages, tasks int) BenchMS {
	median := func(of func(Stages) time.Duration) float64 {
		all := make([]float64, 0, len(laps))
		for _, l := range laps {
			all = append(all, milliseconds(of(l)))
		}
		slices.Sort(all)
		return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
	}
	out := BenchMS{
		Mode:      int(mode),
		Classing:  median(func(s Stages) time.Duration { return s.Classing }),
		Roots:     median(func(s Stages) time.Duration { return s.Roots }),
		Arranging: median(func(s Stages) time.Duration { return s.Arranging }),
		Search:    median(func(s Stages) time.Duration { return s.Search }),
		Restoring: median(func(s Stages) time.Duration { return s.Restoring }),
		Batch:     median(func(s Stages) time.Duration { return s.Total }),
		Identical: true,
	}
	out.Fastest, out.Slowest = out.Batch, out.Batch
	for _, l := range laps {
		out.Fastest, out.Slowest = min(out.Fastest, milliseconds(l.Total)), max(out.Slowest, milliseconds(l.Total))
	}
	if tasks > 0 {
		out.USPerTask = 1000 * out.Batch / float64(tasks)
	}
	return out
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
