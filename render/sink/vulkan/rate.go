package vulkan

// A rate is what a unit of some work takes on the device, learnt from the last submission of it. A submission takes at most
// eight times the units of the largest before it, so that a wrong guess stays small.
type rate struct {
	seconds float64 // of a unit
	most    int     // units of the next submission
}

// allowed returns how many units of the named work fit into a submission of so many seconds; first of a work not yet known.
func (e *Engine) allowed(name string, budget float64, first int) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	r, known := e.rates[name]
	if !known {
		return first
	}
	if n := budget / max(r.seconds, 1e-15); n < float64(r.most) {
		return max(int(n), 1)
	}
	return r.most
}

// took notes what a submission took.
func (e *Engine) took(name string, units int, seconds float64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rates[name] = rate{seconds / float64(units), max(e.rates[name].most, 8*units)}
}
