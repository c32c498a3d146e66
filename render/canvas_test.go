package render

import "testing"

// auto goes on to the CPU where no GPU has the path that was named.
func TestAutoFindsThePath(t *testing.T) {
	t.Parallel()
	res, _ := mustRun(t, small(t, func(c *Config) { c.Backend, c.Path, c.PSF.Tail = "auto", "stamp", 1e-3 }))
	if res.Accumulation.Backend != "cpu" || res.Accumulation.Path != "stamp" {
		t.Errorf("%s, %s", res.Accumulation.Backend, res.Accumulation.Path)
	}
}
