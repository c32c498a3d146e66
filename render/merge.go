package render

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"grsplat/render/encode"
	"grsplat/render/fail"
	"grsplat/render/hdr"
)

// A MergeResult is what a merge did.
type MergeResult struct {
	Inputs     []string          `json:"inputs"`
	Parameters map[string]string `json:"parameters"`
	TotalFlux  [3]float64        `json:"total_flux_rgb"`
	SumsSHA256 string            `json:"sums_sha256"`
	Outputs    []string          `json:"outputs"`
}

// Merge adds the exact sums of FITS files that render wrote with HDRPrecision exact and writes c's PNG and FITS file. Integers add
// without rounding, so the shards of an image have the bits of one render. Files that are not parts of one image are refused:
// other parameters, a part twice, and, unless partial is set, a part missing. c's other fields but Force and the version are unused.
func Merge(ctx context.Context, c Config, inputs []string, partial bool) (*MergeResult, error) {
	switch {
	case len(inputs) == 0:
		return nil, fail.Usage("merge: no FITS file given")
	case c.Output == "" && c.HDROutput == "":
		return nil, fail.Usage("merge: no output: give -o FILE.png or --hdr-output=FILE.fits")
	}
	if err := c.validateImages(); err != nil {
		return nil, err
	}
	c.Catalogs = inputs
	if err := c.distinctFiles(); err != nil {
		return nil, err
	}
	out, err := openOutputs(&c)
	if err != nil {
		return nil, err
	}
	defer out.abort()
	m := &merging{parts: map[string][]Shard{}}
	for _, path := range inputs {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("merge: %w", err)
		}
		if err := m.add(path); err != nil {
			return nil, err
		}
	}
	if err := m.complete(partial); err != nil {
		return nil, err
	}
	return m.write(&c, inputs, out)
}

// merging is a merge in progress.
type merging struct {
	first  string // file
	sums   *hdr.Sums
	wcs    *encode.WCS
	params map[string]string
	parts  map[string][]Shard // by catalogue
}

// free are the parameters in which parts of one image may differ: which stars, and how they are summed and shown.
var free = []string{"shard", "catalog", "all-sky-catalog", "allow-missing", "catalog-load-workers", "columns", "band", "lens-map-input",
	"match-mode", "backend", "device", "path", "mesh-error", "no-coalesce", "chunk-events", "png-depth", "stretch", "hdr-precision"}

func (m *merging) add(path string) error {
	image, err := encode.ReadFITS(path)
	if err != nil {
		return err
	}
	if image.Sums == nil {
		return fail.Input("merge: %s holds rounded pixels: render the parts with --precision exact --hdr-precision exact", path)
	}
	params := parametersOf(image.History)
	if params["shard"] == "" {
		return fail.Input("merge: %s does not say in its HISTORY what it shows: render it again", path)
	}
	if err := m.claim(path, params); err != nil {
		return err
	}
	if m.sums == nil {
		m.first, m.sums, m.wcs, m.params = path, image.Sums, image.WCS, params
		return nil
	}
	if err := m.agree(path, params); err != nil {
		return err
	}
	if s, t := m.sums, image.Sums; s.W != t.W || s.H != t.H || s.Bits != t.Bits {
		return fail.Input("merge: %s has %dx%d pixels in quanta of 2^-%d, %s %dx%d in 2^-%d", path, t.W, t.H, t.Bits, m.first, s.W, s.H, s.Bits)
	}
	m.sums.Merge(image.Sums)
	for _, name := range free {
		if v := params[name]; !slices.Contains(strings.Split(m.params[name], " + "), v) {
			m.params[name] += " + " + v
		}
	}
	return nil
}

// parametersOf reads the lines `name = value` of a history.
func parametersOf(history []string) map[string]string {
	p := map[string]string{}
	for _, line := range history {
		if name, value, ok := strings.Cut(line, " ="); ok {
			p[name] = strings.TrimSpace(value)
		}
	}
	return p
}

// agree refuses a file of another image.
func (m *merging) agree(path string, params map[string]string) error {
	names := maps.Clone(m.params)
	maps.Copy(names, params)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if slices.Contains(free, name) || params[name] == m.params[name] {
			continue
		}
		return fail.Input("merge: not parts of one image: %s of %s is %q, of %s %q", name, path, params[name], m.first, m.params[name])
	}
	return nil
}

// claim takes down which parts of which catalogue a file holds; none may come twice.
func (m *merging) claim(path string, params map[string]string) error {
	catalogue := params["catalog"] + params["all-sky-catalog"]
	for _, text := range strings.Split(params["shard"], " + ") {
		part, err := ParseShard(text)
		if err != nil {
			return fail.Input("merge: %s: %w", path, err)
		}
		for _, other := range m.parts[catalogue] {
			if other.N != part.N {
				return fail.Input("merge: %s holds shard %v, another file shard %v of the same catalogue", path, part, other)
			}
			if other == part {
				return fail.Input("merge: %s holds shard %v of a catalogue of which another file holds it too", path, part)
			}
		}
		m.parts[catalogue] = append(m.parts[catalogue], part)
	}
	return nil
}

// complete refuses missing parts unless they may be, and calls a catalogue whole of which all parts are there.
func (m *merging) complete(partial bool) error {
	all := true
	for _, catalogue := range slices.Sorted(maps.Keys(m.parts)) {
		parts := m.parts[catalogue]
		for k := 1; k <= parts[0].N; k++ {
			if slices.Contains(parts, Shard{k, parts[0].N}) {
				continue
			}
			if !partial {
				return fail.Input("merge: shard %v is missing; --partial merges without it", Shard{k, parts[0].N})
			}
			all = false
		}
	}
	if all {
		m.params["shard"] = whole.String()
	}
	return nil
}

// write writes the outputs.
func (m *merging) write(c *Config, inputs []string, out *outputs) (*MergeResult, error) {
	date, err := encode.Date()
	if err != nil {
		return nil, fail.Usage("%w", err)
	}
	first := fmt.Sprintf("grsplat merge of %d files, version %s, commit %s", len(inputs), c.Version, c.Commit)
	frame := hdr.NewFrame(m.sums.W, m.sums.H)
	m.sums.Resolve(frame)
	header := encode.Header{Creator: "grsplat " + c.Version, Date: date, History: append([]string{first}, history(m.params)...), WCS: m.wcs}
	if err := out.images(c, frame, m.sums, header); err != nil {
		return nil, err
	}
	res := &MergeResult{Inputs: inputs, Parameters: m.params, TotalFlux: frame.Total(), SumsSHA256: m.sums.SHA256()}
	for _, f := range out.all() {
		res.Outputs = append(res.Outputs, f.Name())
	}
	return res, out.commit()
}
