package probe

import (
	"slices"
	"strings"

	"grsplat/render/sink/vulkan"
	"grsplat/shaders"
	"grsplat/vk"
)

// preference orders paths where nothing was measured: tiles need no atomics and are the fastest path on most devices. The
// mesh is never selected, because its error depends on the events; auto takes it block by block where its bound allows.
var preference = []string{"tile16", "tile32", "atomic"}

// judge lists every variant of an accumulation path with what keeps the device from running it.
func (d *Device) judge() {
	d.FreeMemory = d.Info.FreeMemory()
	d.Problem = d.Unusable()
	d.Paths = judge(d.Info)
	if d.Problem != "" {
		for i := range d.Paths {
			d.Paths[i].Eligible, d.Paths[i].Reason = false, d.Problem
		}
	}
	d.choose()
}

func judge(info vk.Info) (paths []Path) {
	for _, v := range shaders.Variants() {
		if v.Path == "" {
			continue
		}
		reason := vulkan.Missing(info, v)
		paths = append(paths, Path{Path: v.Path, Precision: v.Precision, Eligible: reason == "", Reason: reason})
	}
	return paths
}

// choose selects, for each precision, the fastest path that passed its self-test; before any measurement, the preferred
// path that is eligible.
func (d *Device) choose() {
	d.Selected = Selected{F64: selected(d.Paths, "f64"), Exact: selected(d.Paths, "exact"), F32: selected(d.Paths, "f32")}
	d.Refused = map[string]string{}
	for precision, path := range map[string]*string{"f64": d.Selected.F64, "exact": d.Selected.Exact, "f32": d.Selected.F32} {
		if path == nil {
			d.Refused[precision] = refusal(d.Paths, precision)
		}
	}
}

// refusal says why no path of a precision can run.
func refusal(paths []Path, precision string) string {
	var reasons []string
	for _, p := range paths {
		if p.Precision == precision {
			reasons = append(reasons, p.Path+" "+p.state())
		}
	}
	return strings.Join(reasons, "; ")
}

func selected(paths []Path, precision string) *string {
	rank := func(p Path) int { return slices.Index(preference, p.Path) }
	var best *Path
	for i := range paths {
		p := &paths[i]
		if p.Precision != precision || rank(*p) < 0 || !p.Eligible || p.SelfTest != "" && p.SelfTest != passed {
			continue
		}
		if best == nil || p.Speed > best.Speed || p.Speed == best.Speed && rank(*p) < rank(*best) {
			best = p
		}
	}
	if best == nil {
		return nil
	}
	return &best.Path
}
