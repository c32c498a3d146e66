package cpu

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/hdr"
	"grsplat/render/mesh"
	"grsplat/render/mesh/fft"
	"grsplat/render/psf"
	"grsplat/render/sink"
)

// meshMemory bounds the events and lattices that the mesh holds, in bytes.
const meshMemory = 3 << 29

// Mesh is the canvas that convolves blocks of the frame (package mesh) and stamps what the mesh does not take, or takes longer
// for: path mesh, and, with the mesh's error limit and cells, path auto.
type Mesh struct {
	cfg     sink.Config
	acc     *mesh.Accumulator
	stamp   *Stamp
	events  atomic.Int64
	seconds sink.Seconds

	fronts []*meshFront // of Deposit, one a thread
}

// ConvolveAll makes a Mesh convolve every block that it can, whatever stamps would cost.
func ConvolveAll(s *Stamp) error {
	s.convolveAll = true
	return nil
}

// NewMesh returns a black canvas. Options choose the kernels of its stamps; the mesh's own follow.
func NewMesh(cfg sink.Config, options ...Option) (*Mesh, error) {
	if cfg.Precision == sink.Exact128 {
		return nil, fail.Backend("backend cpu: path mesh: exact sums never use the mesh")
	}
	auto := cfg.Path != "mesh"
	cfg.Coalesce = auto && cfg.Coalesce
	stamp, err := NewStamp(cfg, options...)
	if err != nil {
		return nil, err
	}
	if cfg.Threads <= 0 {
		cfg.Threads = runtime.GOMAXPROCS(0)
	}
	m := &Mesh{cfg: cfg, stamp: stamp}
	config := mesh.Config{
		W: cfg.W, H: cfg.H, PSF: cfg.PSF, Level: vectorLevel(stamp.set.Name), Threads: cfg.Threads, Memory: meshMemory,
		Stamp: stamp.depositPages, StampSeconds: stampSeconds(cfg.PSF, stamp.set.Name), Cells: cfg.Coalesce, Auto: auto,
	}
	if auto {
		config.MeshError = cfg.MeshError
	}
	if stamp.convolveAll {
		config.StampSeconds = 0
	}
	if m.acc, err = mesh.New(config); err != nil {
		return nil, fail.Backend("backend cpu: path mesh: %w", err)
	}
	if !auto {
		m.acc.Prepare()
	}
	for range cfg.Threads {
		m.fronts = append(m.fronts, &meshFront{m: m, front: m.acc.Front()})
	}
	return m, nil
}

func vectorLevel(name string) fft.Level {
	for _, l := range []fft.Level{fft.AVX512, fft.AVX2} {
		if l.String() == name && l <= fft.Best() {
			return l
		}
	}
	return fft.Generic
}

// stampSeconds measures what an event costs stamped on one core: a few events over a small frame.
func stampSeconds(f *psf.PSF, level string) float64 {
	const edge, n = 256, 128
	s, err := NewStamp(sink.Config{W: edge, H: edge, PSF: f, Threads: 1}, Level(level))
	if err != nil {
		return 0
	}
	_, support := f.Classify(f.MinY)
	events := make([]event.Event, n)
	for i := range events {
		at := float64(i)
		events[i] = event.Event{X: 40 + float64(i*37%176) + at/n, Y: 40 + float64(i*59%176) + at/(2*n), R: 1, G: 1, B: 1, Flux: f.MinY, Support: support}
	}
	best := 0.0
	for range 3 {
		start := time.Now()
		s.pending = append(s.pending, events...)
		if err := s.flush(context.Background()); err != nil {
			return 0
		}
		if t := time.Since(start).Seconds() / n; best == 0 || t < best {
			best = t
		}
	}
	return best
}

// Front returns a way in for one more producer, with pages of its own.
func (m *Mesh) Front() (sink.Sink, error) { return &meshFront{m: m, front: m.acc.Front()}, nil }

type meshFront struct {
	m     *Mesh
	front *mesh.Front
	rest  []event.Event
}

// Deposit collects a chunk, stamps what the mesh does not take, and convolves everything when the memory is spent.
func (f *meshFront) Deposit(ctx context.Context, chunk []event.Event) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("accumulate: %w", err)
	}
	f.m.events.Add(int64(len(chunk)))
	f.rest = f.front.Deposit(chunk, f.rest[:0])
	if len(f.rest) > 0 {
		if err := f.m.stamp.Deposit(ctx, f.rest); err != nil {
			return err
		}
	}
	if f.m.acc.Full() {
		return f.m.acc.Flush(ctx)
	}
	return nil
}

func (f *meshFront) Close() error { return nil }

// depositLen is the fewest events that are worth another goroutine.
const depositLen = 1024

// Deposit shares a chunk out to all threads.
func (m *Mesh) Deposit(ctx context.Context, chunk []event.Event) error {
	part := max(depositLen, (len(chunk)+len(m.fronts)-1)/len(m.fronts))
	failed := make([]error, len(m.fronts))
	var others sync.WaitGroup
	for i := 1; i*part < len(chunk); i++ {
		others.Go(func() { failed[i] = m.fronts[i].Deposit(ctx, chunk[i*part:min((i+1)*part, len(chunk))]) })
	}
	failed[0] = m.fronts[0].Deposit(ctx, chunk[:min(part, len(chunk))])
	others.Wait()
	return errors.Join(failed...)
}

// Flush convolves and stamps what Deposit has collected so far.
func (m *Mesh) Flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("accumulate: %w", err)
	}
	start := time.Now()
	defer func() { m.seconds.Accumulate += time.Since(start).Seconds() }()
	if err := m.acc.Flush(ctx); err != nil {
		return err
	}
	return m.stamp.Flush(ctx)
}

// Resolve overwrites dst with the sums of mesh, stamps and direct events.
func (m *Mesh) Resolve(ctx context.Context, dst *hdr.Frame) error {
	if err := m.Flush(ctx); err != nil {
		return err
	}
	if err := m.stamp.Resolve(ctx, dst); err != nil {
		return err
	}
	m.acc.AddTo(dst)
	return nil
}

// Reset makes the canvas black again, its memory and its mesh kept.
func (m *Mesh) Reset(ctx context.Context) error {
	m.acc.Reset()
	m.events.Store(0)
	m.seconds = sink.Seconds{}
	return m.stamp.Reset(ctx)
}

// Close frees the stamps.
func (m *Mesh) Close() error { return m.stamp.Close() }

// Stats counts the work. Contributions are those of stamps and direct events: the mesh sums no event-pixel pairs.
func (m *Mesh) Stats() sink.Stats {
	a := m.acc.Stats()
	s := m.stamp.Stats()
	s.Path, s.Events = m.cfg.Path, m.events.Load()
	s.PathEvents["mesh"], s.PathChunks["mesh"] = a.Events, a.Blocks
	if a.Points > 0 {
		s.PathEvents["point"] = a.Points
	}
	s.PathChunks["stamp"] = (s.PathEvents["stamp"] + s.PathEvents["cell"] + event.ChunkLen - 1) / event.ChunkLen // pages came, not chunks
	s.MeshErrorBound = a.Bound
	s.Seconds.Accumulate = m.seconds.Accumulate
	s.PeakHostBytes = a.Peak
	s.Costs = map[string]float64{"stamp_s": a.StampSeconds, "mesh_block_s": a.BlockSeconds, "mesh_tile_s": a.TileSeconds}
	return s
}
