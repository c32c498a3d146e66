package vk

import "time"

// Pacer sizes submissions so that each takes about a given time: long ones are cancelled by kernel watchdogs, on some
// drivers without an error. It belongs to one goroutine.
type Pacer struct {
	Budget      time.Duration // for one submission; 0 is 100 ms
	First, Most int           // units of the first submission, and the most that one may ever have; Most 0 is no bound
	rate        float64       // units a nanosecond; 0 before the first measurement
}

func (p *Pacer) budget() float64 {
	if p.Budget == 0 {
		return float64(100 * time.Millisecond)
	}
	return float64(p.Budget)
}

// Units is how many units the next submission should have, at least 1.
func (p *Pacer) Units() int {
	n := p.First
	if p.rate > 0 {
		n = int(min(p.rate*p.budget(), 1<<40))
	}
	if p.Most > 0 {
		n = min(n, p.Most)
	}
	return max(n, 1)
}

// Took records that a submission of units took ns nanoseconds. The pace grows at most eightfold at a time, since a small
// first submission tells little, and falls at once.
func (p *Pacer) Took(units int, ns float64) {
	if units > 0 && ns > 0 {
		p.rate = min(float64(units)/ns, 8*float64(p.Units())/p.budget())
	}
}
