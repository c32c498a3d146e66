package render

import (
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"grsplat/render/catalog"
	"grsplat/render/color"
	"grsplat/render/encode"
	"grsplat/render/hdr"
	"grsplat/render/lens"
	"grsplat/render/sink"
	"grsplat/render/sink/count"
	"grsplat/render/star"
)

// A Result is what a render did: the report, and the figures that only the count backend has.
type Result struct {
	encode.Report
	Diagnostics *Diagnostics `json:"diagnostics,omitempty"`
}

// Diagnostics of the count backend: its render made no image.
type Diagnostics struct {
	count.Counts
	TrianglesPerChunk   count.Percentiles `json:"triangles_per_chunk"`
	ProducerImagesPerS  float64           `json:"producer_images_per_s"` // images over the wall time of the stage images
	ProducerStarsPerS   float64           `json:"producer_stars_per_s"`
	CatalogueRowsPerS   float64           `json:"catalogue_rows_per_s"`
	ContributionsToCome int64             `json:"contributions_to_come"` // event-pixel pairs that a real backend would sum
}

// account gathers the report of a finished render.
func account(c *Config, r *run) *Result {
	res := &Result{Report: encode.Report{
		Version: c.Version, Commit: c.Commit, Diagnostic: c.Backend == "count",
		Catalogue:  catalogueReport(r.sky),
		Map:        mapReport(r.lensMap),
		Images:     imagesReport(&r.production.counts),
		Parameters: c.Parameters, Threads: c.Threads, ChunkEvents: c.ChunkEvents,
		Host: encode.Host{OS: runtime.GOOS, CPU: cpuid.CPU.BrandName}, MapSHA256: r.mapSHA256,
		ExpectedFlux: r.production.counts.FluxRGB, Warnings: r.warnings,
	}}
	for _, src := range r.sky.sources {
		res.Inputs = append(res.Inputs, encode.Input{File: src.Name(), SHA256: src.Stats().SHA256})
	}
	res.Accumulation, res.Device = accumulation(c, r, &r.stats)
	res.Stages = stageReport(r.stages, &r.stats)
	if r.frame != nil {
		res.TotalFlux = r.frame.Total()
	}
	if r.sums != nil {
		res.SumsSHA256 = r.sums.SHA256()
		res.ExactLoss = lossFraction(&r.production.counts)
	}
	for _, f := range r.outputs.all() {
		res.Outputs = append(res.Outputs, f.Name())
	}
	if counter, ok := r.sink.(*count.Sink); ok {
		res.Diagnostics = diagnostics(r, counter, &r.stats)
	}
	return res
}

func catalogueReport(s *sky) encode.CatalogueReport {
	rep := encode.CatalogueReport{Skipped: map[string]int64{}, FirstLine: map[string]int64{}}
	var bands []string
	for _, src := range s.sources {
		st := src.Stats()
		rep.Files = append(rep.Files, src.Name())
		rep.Rows += st.Rows
		rep.Stars += st.Stars
		rep.Clamped += st.Clamped
		rep.NoColour += st.TeffDefault
		if st.Tiles > 0 {
			rep.Tiles = addTiles(rep.Tiles, &st)
		}
		for reason, skip := range st.Skipped {
			if rep.Skipped[reason] == 0 {
				rep.FirstLine[reason] = skip.FirstLine
			}
			rep.Skipped[reason] += skip.N
		}
		bands = append(bands, st.Band)
	}
	rep.Band = strings.Join(bands, ",")
	slices.Sort(bands)
	for _, band := range slices.Compact(bands) {
		if text := color.Derivation(band); text != "" {
			rep.V = append(rep.V, text)
		}
	}
	return rep
}

func addTiles(sum *encode.TilesReport, st *catalog.Stats) *encode.TilesReport {
	if sum == nil {
		sum = &encode.TilesReport{}
	}
	sum.Total += st.Tiles
	sum.Read += st.TilesRead
	sum.Missing = append(sum.Missing, st.Missing...)
	sum.MissingStars += st.MissingStars
	return sum
}

func mapReport(m *lens.Map) encode.MapReport {
	st := m.Stats
	return encode.MapReport{Vertices: int64(st.Vertices), Triangles: int64(st.Triangles), Dropped: int64(st.Dropped)}
}

func imagesReport(c *star.Counts) encode.ImagesReport {
	return encode.ImagesReport{
		Total: c.Total, Cached: c.Cached, WingClipped: c.WingClipped, Direct: c.Direct, Discarded: c.Discarded,
		BeyondMargin: c.BeyondMargin,
	}
}

func accumulation(c *Config, r *run, st *sink.Stats) (encode.Accumulation, encode.Device) {
	seconds := r.stages.accumulate.seconds()
	if onDevice(st) {
		seconds = st.Seconds.Bin + st.Seconds.Accumulate + st.Seconds.Merge
	}
	acc := encode.Accumulation{
		Backend: st.Backend, Device: st.Device, Path: st.Path, Paths: st.PathChunks, PathEvents: st.PathEvents, Costs: st.Costs, Precision: c.Precision.String(),
		Events: st.Events, Contributions: st.Contributions, DirectSeconds: st.Seconds.Direct,
		EventsPerSecond: rate(st.Events, seconds), ContributionsPerSecond: rate(st.Contributions, seconds),
	}
	if st.MeshErrorBound > 0 {
		acc.MeshBound = &st.MeshErrorBound
	}
	device := encode.Device{Name: st.Device, Driver: st.Driver}
	if device.Name == "" {
		device = encode.Device{Name: "cpu", Driver: runtime.Version()}
	}
	return acc, device
}

// onDevice says whether the sums were made beside the host, whose wall time of the deposits is then not theirs.
func onDevice(st *sink.Stats) bool { return st.Backend == "vulkan" || st.Backend == "hip" }

func stageReport(s *stages, st *sink.Stats) []encode.Stage {
	device := map[string]float64{}
	if onDevice(st) {
		device["accumulate"] = st.Seconds.Upload + st.Seconds.Bin + st.Seconds.Accumulate + st.Seconds.Merge
		device["resolve"] = st.Seconds.Download
	}
	var out []encode.Stage
	for _, one := range s.all() {
		out = append(out, encode.Stage{Name: one.name, WallS: one.seconds(), DeviceS: device[one.name]})
	}
	return out
}

// lossFraction is what rounds to zero in exact sums over the luminance of all events.
func lossFraction(c *star.Counts) *float64 {
	loss := 0.0
	if y := hdr.Luminance(c.FluxRGB); y > 0 {
		loss = c.RoundedAway / y
	}
	return &loss
}

func diagnostics(r *run, counter *count.Sink, st *sink.Stats) *Diagnostics {
	images := r.stages.images.seconds()
	rows := int64(0)
	for _, src := range r.sky.sources {
		rows += src.Stats().Rows
	}
	if r.sky.tiles != nil {
		rows = r.production.stars.Load() // of the tiles in view
	}
	return &Diagnostics{
		Counts: counter.Counts(), TrianglesPerChunk: count.Of(r.production.triangles),
		ProducerImagesPerS:  rate(r.production.counts.Total, images),
		ProducerStarsPerS:   rate(r.production.stars.Load(), images),
		CatalogueRowsPerS:   rate(rows, r.stages.catalogue.seconds()),
		ContributionsToCome: st.Contributions,
	}
}

func rate(n int64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(n) / seconds
}
