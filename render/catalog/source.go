package catalog

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"runtime"

	"grsplat/render/catalog/table"
	"grsplat/render/fail"
)

// file is a Source of one file.
type file struct {
	path    string
	opt     Options
	conv    *converter
	format  string
	open    func() (*opened, error)
	pending *opened // of something that cannot be opened twice, such as a pipe
	used    bool
	broken  error // why Embedded could not satisfy its options
	stats   Stats
}

// opened is a file whose header has been read.
type opened struct {
	stream *stream // nil for a table that is made and not read
	reader table.Reader
}

func (o *opened) Close() {
	if o.stream != nil {
		o.stream.Close()
	}
}

// FromReader is a Source of a table that does not come from a file; open is called for each Read.
func FromReader(name string, open func() (table.Reader, error), opt Options) (Source, error) {
	f := &file{path: name, opt: opt, open: func() (*opened, error) {
		r, err := open()
		return &opened{reader: r}, err
	}}
	if err := f.prepare(false); err != nil {
		return nil, err
	}
	return f, nil
}

// openStreamed reads the header of the table in a stream.
func openStreamed(s *stream, err error, opt Options) (*opened, error) {
	if err != nil {
		return nil, err
	}
	r, err := openTable(s, opt)
	if err != nil {
		s.Close()
		return nil, err
	}
	return &opened{s, r}, nil
}

// newFile is the Source of a path.
func newFile(path string, opt Options) *file {
	return &file{path: path, opt: opt, open: func() (*opened, error) {
		s, err := openStream(path)
		return openStreamed(s, err, opt)
	}}
}

// Open opens a catalogue of any format, or a directory of them.
func Open(path string, opt Options) (Source, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, fail.Input("catalog: %s: %w", path, openError(err))
	}
	if st.IsDir() {
		return openDirectory(path, opt)
	}
	f := newFile(path, opt)
	if err := f.prepare(!st.Mode().IsRegular()); err != nil {
		return nil, err
	}
	return f, nil
}

// bandOption checks Options.Band and gives it its canonical spelling.
func bandOption(opt Options) (string, error) {
	if opt.Band == "" {
		return "", nil
	}
	return ParseBand(opt.Band)
}

// prepare reads the header and decides how rows are read; keep leaves the file open for the first Read.
func (f *file) prepare(keep bool) error {
	band, err := bandOption(f.opt)
	if err != nil {
		return err
	}
	f.opt.Band = band
	o, err := f.start()
	if err != nil {
		return f.fault(err)
	}
	info := o.reader.Info()
	roles, err := embeddedAliases().resolve(info.Columns, f.opt.Columns)
	if err == nil {
		f.conv, err = newConverter(info, roles, f.opt)
	}
	f.format = info.Format
	if o.stream != nil && o.stream.packed != "" {
		f.format += "." + o.stream.packed
	}
	if err != nil || !keep {
		o.Close()
	} else {
		f.pending = o
	}
	if err != nil {
		return f.fault(err)
	}
	f.reset()
	return nil
}

func (f *file) start() (*opened, error) {
	if o := f.pending; o != nil {
		f.pending, f.used = nil, true
		return o, nil
	}
	if f.used {
		return nil, fail.Input("a pipe, which can be read only once")
	}
	return f.open()
}

// fault names the file and gives the error the status of bad input, unless it was interrupted.
func (f *file) fault(err error) error { return fail.Input("catalog: %s: %w", f.path, err) }

func (f *file) reset() {
	f.stats = Stats{Format: f.format, Skipped: map[string]Skip{}, Band: f.conv.band, Columns: maps.Clone(f.conv.named),
		Note: f.conv.info.Note, Magnitudes: &Histogram{}}
}

func (f *file) Name() string { return f.path }
func (f *file) Stats() Stats { return f.stats }

func (f *file) Read(ctx context.Context, fn func([]Star) error) error {
	return f.readNonEmpty(ctx, false, func(s []Star, _ []Astrometry) error { return fn(s) })
}

func (f *file) ReadAstrometry(ctx context.Context, fn func([]Star, []Astrometry) error) error {
	return f.readNonEmpty(ctx, true, fn)
}

func (f *file) readNonEmpty(ctx context.Context, ast bool, fn func([]Star, []Astrometry) error) error {
	if err := f.read(ctx, ast, fn); err != nil {
		return err
	}
	return fewStars(f.path, &f.stats)
}

// fewStars refuses a source without a star.
func fewStars(path string, st *Stats) error {
	switch {
	case st.Rows == 0:
		return fail.Input("catalog: %s: a header and no rows", path)
	case st.Stars == 0:
		return fail.Input("catalog: %s: no usable star in %d rows: %s", path, st.Rows, st.Reasons())
	}
	return nil
}

// read reads the file once; a file without rows is no error here.
func (f *file) read(ctx context.Context, ast bool, fn func([]Star, []Astrometry) error) error {
	if f.broken != nil {
		return f.broken
	}
	f.reset()
	o, err := f.start()
	if err != nil {
		return f.fault(err)
	}
	defer o.Close()
	p := &pipeline{reader: o.reader, conv: f.conv, ast: ast, workers: f.opt.workers()}
	err = p.run(ctx, &f.stats, fn)
	var callee *calleeError
	switch {
	case errors.As(err, &callee):
		return callee.err
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && o.stream != nil:
		return f.fault(o.stream.explain(err))
	case err != nil || o.stream == nil:
		return err
	}
	f.stats.SHA256, err = o.stream.sum()
	if err != nil {
		return f.fault(err)
	}
	return nil
}

func (o Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// calleeError keeps an error of the callback apart from those of the file.
type calleeError struct{ err error }

func (e *calleeError) Error() string { return e.err.Error() }

// pipeline reads pieces in one goroutine, decodes and converts them in several, and hands them on in order.
type pipeline struct {
	reader  table.Reader
	conv    *converter
	ast     bool
	workers int
}

// job is one piece on its way. Jobs are reused: their number bounds the memory.
type job struct {
	raw   table.Raw
	block table.Block
	stars []Star
	ast   []Astrometry
	tally tally
	hist  Histogram
	err   error
	done  chan struct{}
}

func (p *pipeline) run(ctx context.Context, st *Stats, fn func([]Star, []Astrometry) error) error {
	if s, ok := p.reader.(table.Selector); ok {
		s.Select(p.conv.want)
	}
	ctx, cancel := context.WithCancel(ctx)
	jobs := 2*p.workers + 1
	free, work, order := make(chan *job, jobs), make(chan *job, jobs), make(chan *job, jobs)
	for range jobs {
		free <- &job{done: make(chan struct{}, 1)}
	}
	finished := make(chan struct{}, p.workers+1)
	go func() {
		p.produce(ctx, free, work, order)
		finished <- struct{}{}
	}()
	for range p.workers {
		go func() {
			for j := range work {
				p.decode(j)
			}
			finished <- struct{}{}
		}()
	}
	defer func() {
		cancel()
		for range p.workers + 1 {
			<-finished
		}
	}()
	for j := range order {
		<-j.done
		if j.err != nil {
			return j.err
		}
		st.add(&j.tally)
		st.Magnitudes.Merge(&j.hist)
		if len(j.stars) > 0 {
			if err := fn(j.stars, j.ast); err != nil {
				return &calleeError{err}
			}
		}
		free <- j
	}
	return ctx.Err()
}

// produce reads pieces until the end, an error, which travels as a job, or a cancelled context.
func (p *pipeline) produce(ctx context.Context, free, work, order chan *job) {
	defer close(order)
	defer close(work)
	for {
		var j *job
		select {
		case j = <-free:
		case <-ctx.Done():
			return
		}
		if ctx.Err() != nil {
			return
		}
		err := p.reader.Next(&j.raw)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			j.err = err
			j.done <- struct{}{}
			order <- j
			return
		}
		order <- j
		work <- j
	}
}

func (p *pipeline) decode(j *job) {
	j.hist.Reset()
	if j.err = p.reader.Decode(&j.raw, p.conv.want, &j.block); j.err == nil {
		j.stars, j.ast = p.conv.rows(&j.block, j.stars[:0], j.ast[:0], p.ast, &j.tally, &j.hist)
	}
	j.done <- struct{}{}
}
