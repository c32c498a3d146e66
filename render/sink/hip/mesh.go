//go:build hip

package hip

// #include "args.h"
import "C"

import (
	"errors"
	"math"
	"unsafe"

	"grsplat/render/fail"
	"grsplat/render/mesh"
	"grsplat/render/mesh/fft"
)

// The mesh path (package mesh has the mathematics): the host counts a batch's events by block of the frame (mesh_census.go) and
// chooses the blocks that are worth it; group by group their events go on phase lattices, in 64-bit integers of a unit of their own,
// which are filtered, transformed, multiplied, transformed back and added to the frame (mesh_group.go). What is left goes to tiles: events
// of other blocks, such as are too bright for their block or end at another circle, and, once the device has come back with the
// bounds, those of blocks whose bound is above the limit.

// meshGroup is how many blocks are convolved at once, at most: whole pairs.
const meshGroup = 16

// complexBytes is a complex number's size.
const complexBytes = C.sizeof_grhip_complex

// A blockMesh is the mesh of one canvas.
type blockMesh struct {
	mesh.Device
	census *census
	room   float64 // what a block's error at the rims may be over its peak
	group  int     // blocks at once
	args   C.grhip_mesh
	owned  []pointer // device memory
}

// openMesh prepares the mesh on first use. It fails when the PSF's kernels or the device's memory do not allow it.
func (c *Canvas) openMesh() (err error) {
	if c.mesh != nil {
		return nil
	}
	e, err := mesh.NewEngine(c.cfg.PSF, fft.Best())
	if err != nil {
		return fail.Backend("hip: path mesh: %w", err)
	}
	m := &blockMesh{Device: e.Device(), room: math.Inf(1)}
	if c.use == mayMesh {
		m.room = mesh.Room(c.cfg.MeshError)
	}
	m.census = newCensus(m.Device, c.cfg.W, c.cfg.H, c.size.events)
	if err := m.fit(c); err != nil {
		return err
	}
	c.mesh = m
	if err = m.allocate(c); err == nil {
		err = m.upload(c)
	}
	if err != nil {
		return errors.Join(err, c.closeMesh())
	}
	return nil
}

// A need is memory of the device, in bytes, and where the kernels find it.
type need struct {
	at    *pointer
	bytes int64
}

// needs lists the memory of groups of n blocks.
func (m *blockMesh) needs(n int) []need {
	blocks, pairs, all := int64(n), int64(n+1)/2, int64(len(m.census.blocks))
	edge, square, plane := int64(m.Edge), int64(m.N*m.N), int64(m.Rows*m.Cols)
	kinds, nodes := int64(m.Spectra), int64(m.RingSpectra)
	a := &m.args
	return []need{
		{at(&a.slots), int64(len(m.census.block)) * 4}, {at(&a.places), all * C.sizeof_grhip_place}, {at(&a.peaks), all * 16},
		{at(&a.lattice), blocks * 3 * edge * edge * 8}, {at(&a.nodes), blocks * nodes * plane * 8}, {at(&a.planes), blocks * kinds * 3 * plane * 8},
		{at(&a.mid), pairs * max(3*kinds, nodes) * int64(m.N*m.Cols) * complexBytes}, {at(&a.sums), pairs * 3 * square * complexBytes},
		{at(&a.results), blocks * 3 * square * 8}, {at(&a.twiddles), int64(max(len(m.Twiddles), 2)) * 8}, {at(&a.taps), int64(len(m.Taps)) * 8},
		{at(&a.spectra), kinds * square * complexBytes}, {at(&a.rim_spectra), nodes * square * complexBytes},
	}
}

// at is the address of one of the kernels' pointers.
func at[T any](p **T) *pointer { return (*pointer)(unsafe.Pointer(p)) }

// fit finds the largest group that a quarter of the free memory holds.
func (m *blockMesh) fit(c *Canvas) error {
	switch {
	case len(m.Taps) > C.GRHIP_TAPS || m.D > C.GRHIP_RATIO:
		return fail.Backend("hip: path mesh: a filter of %d taps from %d phases is too long", len(m.Taps), m.P)
	case m.N < C.GRHIP_SHORTEST || m.N > C.GRHIP_LONGEST:
		return fail.Backend("hip: path mesh: a transform of %d points", m.N)
	}
	free, err := c.freeMemory()
	if err != nil {
		return err
	}
	most := (len(m.census.blocks) + 1) / 2 * 2
	for m.group = min(meshGroup, most); m.group > 0; m.group /= 2 {
		all := int64(0)
		for _, n := range m.needs(m.group) {
			all += n.bytes
		}
		if all <= free/4 {
			return nil
		}
	}
	return fail.Backend("hip: path mesh: %s has %d MiB free, too little for a block of %d px", c.Name, free>>20, m.N)
}

// allocate gets the mesh's memory on both sides.
func (m *blockMesh) allocate(c *Canvas) (err error) {
	for _, n := range m.needs(m.group) {
		if *n.at, err = c.malloc(n.bytes); err != nil {
			return err
		}
		m.owned = append(m.owned, *n.at)
		c.stats.PeakDeviceBytes += n.bytes
	}
	for i := range c.slots {
		s := &c.slots[i]
		all := int64(len(m.census.blocks))
		for k, bytes := range []int64{int64(c.size.events) * 4, all * C.sizeof_grhip_place, all * 16} {
			if s.meshed[k], err = c.hostMalloc(bytes); err != nil {
				return err
			}
			c.stats.PeakHostBytes += bytes
		}
	}
	a := &m.args
	a.room, a.n, a.rows, a.cols = C.double(m.room), C.uint32_t(m.N), C.uint32_t(m.Rows), C.uint32_t(m.Cols)
	a.p, a.q, a.count, a.nodes_along = C.uint32_t(m.P), C.uint32_t(m.Q), C.uint32_t(len(m.Taps)), C.uint32_t(m.Nodes)
	a.node = C.double(float64(m.Nodes) / float64(m.P))
	a.edge, a.margin, a.high = C.int32_t(m.Edge), C.int32_t(m.Margin), C.uint32_t(min(32/m.D/C.GRHIP_ROWS*C.GRHIP_ROWS, C.GRHIP_HIGH))
	return nil
}

// upload copies what no batch changes.
func (m *blockMesh) upload(c *Canvas) (err error) {
	staging, err := c.hostMalloc(int64(2 * m.N * m.N * 8))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.hostFree(staging)) }()
	send := func(to pointer, n, part int, fill func(part int, dst []float64)) {
		if err != nil {
			return
		}
		fill(part, view[float64](staging, n))
		if err = c.toDevice(unsafe.Add(to, part*n*8), staging, int64(n*8), c.stream); err == nil {
			err = c.wait(c.stream)
		}
	}
	constant := func(v []float64) func(int, []float64) { return func(_ int, dst []float64) { copy(dst, v) } }
	a := &m.args
	if len(m.Twiddles) > 0 {
		send(*at(&a.twiddles), len(m.Twiddles), 0, constant(m.Twiddles))
	}
	send(*at(&a.taps), len(m.Taps), 0, constant(m.Taps))
	for q := range m.Spectra {
		send(*at(&a.spectra), 2*m.N*m.N, q, m.Spectrum)
	}
	for node := range m.RingSpectra {
		send(*at(&a.rim_spectra), 2*m.N*m.N, node, m.RingSpectrum)
	}
	return err
}

// closeMesh frees what openMesh got, after an error of it too. The stream is idle.
func (c *Canvas) closeMesh() error {
	if c.mesh == nil {
		return nil
	}
	var errs []error
	for _, p := range c.mesh.owned {
		errs = append(errs, c.free(p))
	}
	for i := range c.slots {
		for k, p := range c.slots[i].meshed {
			if p != nil {
				errs = append(errs, c.hostFree(p))
				c.slots[i].meshed[k] = nil
			}
		}
	}
	c.mesh = nil
	return errors.Join(errs...)
}
