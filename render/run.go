package render

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"strconv"
	"time"

	"grsplat/render/catalog"
	"grsplat/render/color"
	"grsplat/render/encode"
	"grsplat/render/fail"
	"grsplat/render/hdr"
	"grsplat/render/lens"
	"grsplat/render/psf"
	"grsplat/render/sink"
	"grsplat/render/star"
)

// run is a render in progress.
type run struct {
	cfg        *Config
	psf        *psf.PSF
	outputs    *outputs
	lensMap    *lens.Map
	mapSHA256  string
	locator    *lens.Locator
	sky        *sky
	sink       sink.Sink
	production *production
	frame      *hdr.Frame // nil for the count backend
	sums       *hdr.Sums  // exact sums, else nil
	record     *recorder  // nil where nothing is captured
	stats      sink.Stats // taken before the sink is closed
	stages     *stages
	warnings   []string
}

// Run draws one image. The configuration is checked before any file is opened; after an error or a cancelled context no
// output file exists. The error carries the exit status (package fail).
func Run(ctx context.Context, cfg Config) (*Result, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Threads == 0 {
		cfg.Threads = runtime.GOMAXPROCS(0)
	}
	if cfg.LoadWorkers == 0 {
		cfg.LoadWorkers = cfg.Threads
	}
	cfg.Read.Workers = cfg.Threads
	cfg.Parameters = maps.Clone(cfg.Parameters)
	if cfg.Parameters == nil {
		cfg.Parameters = map[string]string{}
	}
	if err := checkMemory(&cfg); err != nil {
		return nil, err
	}
	if _, err := encode.Date(); err != nil {
		return nil, fail.Usage("%w", err)
	}
	r := &run{cfg: &cfg, stages: newStages()}
	var err error
	if r.psf, err = psf.New(cfg.PSF); err != nil {
		return nil, err
	}
	if r.outputs, err = openOutputs(&cfg); err != nil {
		return nil, err
	}
	defer r.outputs.abort()
	if err := r.draw(ctx); err != nil {
		return nil, err
	}
	return r.finish()
}

// draw runs every stage up to the resolved frame.
func (r *run) draw(ctx context.Context) (err error) {
	if r.sky, err = openSky(r.cfg); err != nil {
		return err
	}
	if err := r.loadMap(); err != nil {
		return err
	}
	if r.record, err = openRecorder(r.cfg, r.psf, r.outputs.capture); err != nil {
		return err
	}
	if err := r.openCanvas(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.sink.Close()) }()
	if err := r.traceMap(ctx); err != nil {
		return err
	}
	if err := r.prepareProduction(ctx); err != nil {
		return err
	}
	stop := r.watch()
	err = r.production.run(ctx, r.sky.read)
	stop()
	if err != nil {
		return err
	}
	for _, tile := range r.sky.missing() {
		r.warn("left out: " + tile)
	}
	return r.resolve(ctx)
}

func (r *run) openCanvas() error {
	c := r.cfg
	s, err := openSink(c, sink.Config{
		W: c.Camera.W, H: c.Camera.H, PSF: r.psf, Precision: c.Precision, QuantumBits: c.QuantumBits, Path: c.Path,
		MeshError: c.MeshError, Coalesce: !c.NoCoalesce, Threads: c.Threads, Device: c.Device, Log: c.Log,
	})
	r.sink = s
	return err
}

func (r *run) traceMap(ctx context.Context) (err error) {
	r.stages.mapping.enter()
	defer r.stages.mapping.leave()
	if err := r.buildMap(ctx); err != nil {
		return err
	}
	if r.mapSHA256, err = r.lensMap.SHA256(); err != nil {
		return err
	}
	if r.locator, err = lens.NewLocator(ctx, r.lensMap, r.cfg.Threads); err != nil {
		return err
	}
	r.sky.keepInView(r.locator, r.cfg.LoadWorkers)
	return nil
}

// prepareProduction chooses the exposure and readies the producers.
func (r *run) prepareProduction(ctx context.Context) error {
	c := r.cfg
	exp := c.Exposure
	if exp == 0 {
		r.stages.catalogue.enter()
		magnitudes, err := r.sky.magnitudes(ctx)
		r.stages.catalogue.leave()
		if err != nil {
			return err
		}
		exp = exposure(magnitudes, c.Stretch.White, r.psf.At(0, 0))
		c.Log.Info("exposure chosen so that 99.9 % of the stars do not clip", "exposure", exp)
	}
	table := color.NewTable()
	if c.ColorExact {
		table = color.NewExact()
	}
	p := star.Params{W: c.Camera.W, H: c.Camera.H, PSF: r.psf, Colours: table, Exposure: exp}
	if c.Precision == sink.Exact128 {
		p.QuantumBits = c.QuantumBits
	}
	workers := c.Threads
	if _, ok := r.sink.(sink.Parallel); !ok {
		workers = 1 // a sequential sink takes the events in catalogue order
	}
	r.production = &production{
		locator: r.locator, mode: c.MatchMode, shard: c.Shard, params: p, sink: r.sink, workers: workers,
		chunk: c.ChunkEvents, stages: r.stages, record: r.record,
	}
	r.recordChoices(exp)
	return nil
}

// recordChoices replaces defaults among the recorded parameters by what was chosen for them.
func (r *run) recordChoices(exposure float64) {
	p, c := r.cfg.Parameters, r.cfg
	p["exposure"] = number(exposure)
	p["fov"] = number(c.Camera.WithDefaults().Fov)
	p["psf-cache-radius"] = strconv.Itoa(r.psf.R)
	p["psf-sampling"] = r.psf.Params.Sampling.String()
	if c.Read.Epoch == 0 {
		p["epoch"] = number(catalog.J2000)
	}
}

// watch reports the progress until the returned function is called.
func (r *run) watch() (stop func()) {
	if r.cfg.Progress == nil {
		return func() {}
	}
	done, stopped := make(chan struct{}), make(chan struct{})
	report := func(stage string) {
		r.cfg.Progress(Update{Stage: stage, Stars: r.production.stars.Load(), Images: r.production.events.Load()})
	}
	go func() {
		defer close(stopped)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				report("images")
			case <-done:
				report("resolve")
				return
			}
		}
	}()
	return func() {
		close(done)
		<-stopped
	}
}

func (r *run) resolve(ctx context.Context) error {
	defer func() { r.stats = r.sinkStats() }()
	canvas, ok := r.sink.(sink.Canvas)
	if !ok {
		return nil
	}
	if err := r.flush(ctx); err != nil {
		return err
	}
	r.stages.resolve.enter()
	defer r.stages.resolve.leave()
	r.frame = hdr.NewFrame(r.cfg.Camera.W, r.cfg.Camera.H)
	if err := canvas.Resolve(ctx, r.frame); err != nil {
		return err
	}
	if r.cfg.Precision == sink.Exact128 {
		r.sums = sumsOf(r.sink)
		r.checkLoss()
	}
	return nil
}

func (r *run) flush(ctx context.Context) error {
	flusher, ok := r.sink.(sink.Flusher)
	if !ok {
		return nil
	}
	r.stages.accumulate.enter()
	defer r.stages.accumulate.leave()
	return flusher.Flush(ctx)
}

// checkLoss warns when the quantum is too coarse for the exposure.
func (r *run) checkLoss() {
	if loss := *lossFraction(&r.production.counts); loss > 1e-6 {
		r.warn(fmt.Sprintf("exact sums of 2^-%d lose %.2g of the flux to rounding: raise --quantum-bits or --exposure", r.cfg.QuantumBits, loss))
	}
}

func (r *run) warn(text string) {
	r.warnings = append(r.warnings, text)
	r.cfg.Log.Warn(text)
}

// finish writes the files and the account of the render.
func (r *run) finish() (*Result, error) {
	if r.frame != nil {
		r.stages.encode.enter()
		err := r.writeImages()
		r.stages.encode.leave()
		if err != nil {
			return nil, err
		}
	}
	if r.record != nil {
		if err := r.record.finish(r); err != nil {
			return nil, err
		}
	}
	res := account(r.cfg, r)
	if r.outputs.report != nil {
		if err := encode.WriteReport(r.outputs.report, res); err != nil {
			return nil, err
		}
	}
	return res, r.outputs.commit()
}

// writeImages writes the PNG and the FITS file.
func (r *run) writeImages() error {
	header, err := fitsHeader(r.cfg)
	if err != nil {
		return err
	}
	return r.outputs.images(r.cfg, r.frame, r.sums, header)
}

func (r *run) sinkStats() sink.Stats {
	if reporter, ok := r.sink.(sink.Reporter); ok {
		return reporter.Stats()
	}
	return sink.Stats{Backend: r.cfg.Backend}
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
