// Package sink is the seam between star images and pixels: producers hand events to a Sink in chunks, a Canvas turns them
// into a frame. Every backend implements it and passes the one conformance suite of package sinktest.
package sink

import (
	"context"
	"log/slog"

	"grsplat/render/event"
	"grsplat/render/fail"
	"grsplat/render/hdr"
	"grsplat/render/psf"
)

// Sink takes star images in chunks of at most event.ChunkLen, direct and cached ones mixed, never discarded ones. One
// goroutine drives a Sink; it may keep nothing of a chunk after Deposit returns. An error from the device may surface on a
// later call; after an error only Close is legal.
type Sink interface {
	Deposit(ctx context.Context, chunk []event.Event) error
	Close() error
}

// Canvas is a Sink that ends in pixels. count and capture are not Canvases, so the compiler keeps them off the image path.
type Canvas interface {
	Sink
	// Resolve waits for every deposit, then overwrites dst, whose size is the canvas's.
	Resolve(ctx context.Context, dst *hdr.Frame) error
}

// Parallel is a Sink that several workers feed, each through a front of its own, with no lock held while a worker prepares
// events. A front is closed by its worker before the Parallel is resolved or closed; closing it flushes, frees nothing shared.
type Parallel interface {
	Sink
	Front() (Sink, error)
}

// Flusher is a Canvas that gathers events before it sums them. Flush sums what is pending, so that the time of the sums and that
// of resolving them are told apart; Resolve flushes by itself.
type Flusher interface {
	Canvas
	Flush(ctx context.Context) error
}

// Exact is a Canvas that sums integers. Sums is legal after Resolve; it includes the direct events and belongs to the canvas.
type Exact interface {
	Canvas
	Sums() *hdr.Sums
}

// Reporter tells what a sink did. Stats is legal after Resolve.
type Reporter interface {
	Stats() Stats
}

// Stats is one sink's account of its work.
type Stats struct {
	Backend, Device, Driver string
	Path                    string // as asked for, or auto
	Events                  int64  // deposited, direct ones included
	Direct                  int64
	Contributions           int64            // event-pixel pairs summed, clipped to the frame
	PathChunks              map[string]int64 // chunks or device batches by the path that took them
	PathEvents              map[string]int64 // events by the path that took them
	Seconds                 Seconds
	PeakHostBytes           int64
	PeakDeviceBytes         int64
	MeshErrorBound          float64            // absolute over the block's peak, largest of all blocks; 0 when no mesh was used
	Costs                   map[string]float64 // measured costs that auto chose by; the unit stands in the key
}

// Seconds is busy time by stage; stages overlap. On a device it is device time.
type Seconds struct {
	Upload, Bin, Accumulate, Merge, Download float64
	Direct                                   float64 // the direct events', on the CPU
}

// Precision names the arithmetic of the sums (spec section 7).
type Precision int

const (
	F64      Precision = iota // float64 sums in any order
	Exact128                  // integers of 2^-k, 128-bit sums
	F32                       // float32 sums, for previews
)

func (p Precision) String() string { return [...]string{"f64", "exact", "f32"}[p] }

// ParsePrecision reads the --precision flag.
func ParsePrecision(s string) (Precision, error) {
	for _, p := range []Precision{F64, Exact128, F32} {
		if s == p.String() {
			return p, nil
		}
	}
	return 0, fail.Usage("precision %q is not one of f64, exact, f32", s)
}

// Config says what a backend is to draw. The zero Path and Device leave the choice to the backend.
type Config struct {
	W, H        int // frame, px
	PSF         *psf.PSF
	Precision   Precision
	QuantumBits int     // k of the exact quantum
	Path        string  // atomic, tile16, tile32, mesh, auto; on the CPU reference, stamp, mesh, auto
	MeshError   float64 // auto uses the mesh below this bound over the block's peak
	Coalesce    bool    // auto may sum events of equal pixel and phase before stamping
	Threads     int
	Device      string // index, or part of the name or UUID, in any case
	Log         *slog.Logger
}
