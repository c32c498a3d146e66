package probe

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// Table is the report for a reader, in lines.
func (r Report) Table() []string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	if r.Loader != nil {
		r.Loader.table(w)
	}
	for _, d := range r.Devices {
		d.table(w)
	}
	if len(r.Devices) == 0 {
		fmt.Fprint(w, "no vulkan device\n")
	}
	if r.HIP != nil {
		r.HIP.table(w)
	}
	w.Flush()
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

func (l Loader) table(w *tabwriter.Writer) {
	if l.Found {
		fmt.Fprintf(w, "%s\n", strings.TrimSpace(fmt.Sprintf("vulkan loader %v %s", l.Version, l.Library)))
	}
	if l.Problem != "" {
		fmt.Fprintf(w, "%s\n", l.Problem)
	}
	if l.Hint != "" {
		fmt.Fprintf(w, "hint: %s\n", l.Hint)
	}
	for _, name := range slices.Sorted(maps.Keys(l.Environment)) {
		fmt.Fprintf(w, "  %s=%s\n", name, l.Environment[name])
	}
	for _, d := range l.Drivers {
		state := strings.Join(d.Devices, ", ")
		if d.Problem != "" {
			state = d.Problem
		} else if state == "" {
			state = d.Library // nobody could be asked
		}
		fmt.Fprintf(w, "  %s\t%s\n", d.File, state)
	}
}

func (h HIP) table(w *tabwriter.Writer) {
	if h.Problem != "" {
		fmt.Fprintf(w, "%s\n", h.Problem)
	}
	for _, d := range h.Devices {
		state := "eligible, " + d.Target
		if !d.Eligible {
			state = "no: " + d.Reason
		}
		fmt.Fprintf(w, "hip %d: %s\t%s\n", d.Index, d.Name, state)
	}
}

func (d Device) table(w *tabwriter.Writer) {
	if d.lacks("name") {
		fmt.Fprint(w, "a device without a name\n")
	} else {
		fmt.Fprintf(w, "%d: %s\n", d.Index, d.Name)
	}
	// row says what is known; fact is the field that it is known from.
	row := func(name, fact, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		switch {
		case d.lacks(fact) && strings.HasPrefix(fact, "limits"):
			text += ", Vulkan's minimum: not in the profile"
		case d.lacks(fact):
			text = "not in the profile"
		}
		fmt.Fprintf(w, "  %s\t%s\n", name, text)
	}
	row("type", "type", "%s", d.Type)
	if d.DriverName != "" {
		row("driver", "driver", "%s", d.DriverName)
	}
	row("vulkan", "api", "%v", d.API)
	if len(d.Also) > 0 {
		row("also through", "also", "%s", strings.Join(d.Also, ", "))
	}
	if d.UUID != "" {
		row("uuid", "uuid", "%s", d.UUID)
	}
	l := d.Limits
	row("memory", "memory", "%s free", inBytes(d.FreeMemory))
	row("storage range", "limits.maxStorageBufferRange", "%s", inBytes(l.MaxStorageBufferRange))
	row("shared memory", "limits.maxComputeSharedMemorySize", "%s", inBytes(l.MaxComputeSharedMemorySize))
	row("work group", "limits.maxComputeWorkGroupInvocations", "%d invocations", l.MaxComputeWorkGroupInvocations)
	row("its edges", "limits.maxComputeWorkGroupSize", "%d x %d x %d", l.MaxComputeWorkGroupSize[0], l.MaxComputeWorkGroupSize[1], l.MaxComputeWorkGroupSize[2])
	row("subgroup", "limits.subgroupSize", "%d (%d to %d)", l.SubgroupSize, l.MinSubgroupSize, l.MaxSubgroupSize)
	for _, p := range d.Paths {
		row(p.Path+" "+p.Precision, "paths", "%s", p.state())
	}
	row("selected", "selected", "f64 %s, exact %s, f32 %s", name(d.Selected.F64), name(d.Selected.Exact), name(d.Selected.F32))
}

// state is one path in words.
func (p Path) state() string {
	switch {
	case !p.Eligible:
		return "no: needs " + p.Reason
	case p.SelfTest == "":
		return "eligible"
	case p.SelfTest != passed:
		return "refused: " + p.SelfTest
	}
	return fmt.Sprintf("%.3g contributions/s", p.Speed)
}

func name(path *string) string {
	if path == nil {
		return "none"
	}
	return *path
}

func inBytes(n uint64) string {
	switch {
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	case n < 1<<30:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
