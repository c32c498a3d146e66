package search

import (
	"context"
	"errors"
	"math"
	"time"

	"grsplat/render/fail"
)

// Estimate is a forecast of a scan of the whole world. Standard errors are of the mean.
type Estimate struct {
	Engine   string    `json:"engine"`
	Shape    string    `json:"shape"`
	Measured Measured  `json:"measured"`
	Derived  Forecast  `json:"extrapolated"`
	Devices  []Devices `json:"extrapolated_devices"`
}

// Measured is what the estimate ran on this device.
type Measured struct {
	Classes          int     `json:"classes_sampled"`
	RootedFraction   float64 `json:"rooted_fraction"`
	RootedFractionSE float64 `json:"rooted_fraction_se"`
	RootsPerClass    float64 `json:"roots_per_class"`
	RootsPerClassSE  float64 `json:"roots_per_class_se"`
	MostRoots        int     `json:"most_roots_in_a_class"`
	SecondsPerClass  float64 `json:"seconds_per_class"` // root listing
	Tasks            int     `json:"tasks_timed"`
	SecondsPerTask   float64 `json:"seconds_per_task"` // whole batches
}

// Forecast is arithmetic on Measured; nothing of it was run.
type Forecast struct {
	Classes float64 `json:"classes"`
	Corners float64 `json:"positions"`
	Tasks   float64 `json:"tasks"` // roots per class times positions: classes have almost equally many
	TasksSE float64 `json:"tasks_se"`
	Days    float64 `json:"days"`
	DaysSE  float64 `json:"days_se"` // of the sampling alone
}

// Devices is the time on n devices like this one, if shards scale perfectly.
type Devices struct {
	N    int     `json:"n"`
	Days float64 `json:"days"`
}

// Estimate samples classes, lists their roots, times a batch of the rooted ones, and extrapolates to the whole world.
func (s *Searcher) Estimate(ctx context.Context, classes int, seed uint64, devices []int) (*Estimate, error) {
	if classes < 2 {
		return nil, fail.Usage("estimate: %d classes: a standard error needs 2 or more", classes)
	}
	draw := NewSampler(s.shape, seed)
	var m Measured
	var sample []Pos
	var sum, squares float64
	rooted := 0
	const piece = 4096
	var listing time.Duration
	for m.Classes < classes {
		some := make([]Class, min(piece, classes-m.Classes))
		for i := range some {
			some[i] = draw.Class()
		}
		began := time.Now()
		roots, err := s.engine.roots(ctx, some, true, s.limits.Roots)
		if err != nil {
			return nil, err
		}
		listing += time.Since(began)
		count := make([]int, len(some))
		for _, r := range roots {
			count[r.Generator]++
		}
		for i, n := range count {
			if n == 0 {
				continue
			}
			rooted++
			sum += float64(n)
			squares += float64(n) * float64(n)
			m.MostRoots = max(m.MostRoots, n)
			if len(sample) < s.limits.Positions/2 {
				sample = append(sample, draw.Members(some[i], 64)...)
			}
		}
		m.Classes += len(some)
	}
	n := float64(m.Classes)
	m.RootedFraction = float64(rooted) / n
	m.RootedFractionSE = math.Sqrt(m.RootedFraction * (1 - m.RootedFraction) / (n - 1))
	m.RootsPerClass = sum / n
	m.RootsPerClassSE = math.Sqrt((squares/n - m.RootsPerClass*m.RootsPerClass) / (n - 1))
	m.SecondsPerClass = listing.Seconds() / n
	if err := s.timeTasks(ctx, sample, &m); err != nil {
		return nil, err
	}
	return s.extrapolate(m, devices), nil
}

// timeTasks times batches of the sample, each twice as long as the one before, until one takes timingEnough or is the whole sample.
func (s *Searcher) timeTasks(ctx context.Context, sample []Pos, m *Measured) error {
	for n := 64; ; n *= 2 {
		n = min(n, len(sample))
		r, err := s.Batch(ctx, sample[:n], RootedSieve)
		var over *LimitError
		if errors.As(err, &over) && m.Tasks > 0 {
			return nil // the batch before is as large as one may be
		}
		if err != nil {
			return err
		}
		if m.Tasks = r.Counts.Tasks; m.Tasks > 0 {
			m.SecondsPerTask = (r.Stages.Total - r.Stages.Roots).Seconds() / float64(m.Tasks)
		}
		if n < len(sample) && r.Stages.Total < timingEnough {
			continue
		}
		if m.Tasks == 0 {
			return fail.Input("estimate: no sampled class has a root; sample more classes")
		}
		return nil
	}
}

// timingEnough is a batch long enough to time.
const timingEnough = time.Second / 2

func (s *Searcher) extrapolate(m Measured, devices []int) *Estimate {
	const day = 86_400
	mx, mz := s.shape.Moduli()
	f := Forecast{Classes: float64(mx) * float64(mz), Corners: s.shape.Corners()}
	f.Tasks, f.TasksSE = m.RootsPerClass*f.Corners, m.RootsPerClassSE*f.Corners
	f.Days = (f.Classes*m.SecondsPerClass + f.Tasks*m.SecondsPerTask) / day
	f.DaysSE = f.TasksSE * m.SecondsPerTask / day
	e := &Estimate{Engine: s.Engine(), Shape: s.shape.String(), Measured: m, Derived: f}
	for _, n := range devices {
		e.Devices = append(e.Devices, Devices{n, f.Days / float64(n)})
	}
	return e
}
