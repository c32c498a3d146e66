//go:build hip

package hip

// #include "args.h"
import "C"

import (
	"grsplat/render/fail"
	"grsplat/render/mesh"
)

// use says when a canvas takes events by the mesh.
type use int

const (
	neverMesh  use = iota
	mayMesh        // auto: blocks that are worth it, within the limit
	alwaysMesh     // all that it can
)

// A weigh is where auto begins to weigh the mesh: events of a block, and what tiles have taken so far, s. Sums of fewer events cost too
// little by tiles to give the 1e-12 of a pixel's own value for the mesh's 1e-9 of its block's peak; and to make the mesh takes a few
// tenths of a second, which only long sums repay.
type weigh struct {
	events  int
	seconds float64
}

var usualWeigh = weigh{8192, 0.1}

// cellsOfBlock is about how many cells a block of the mesh overlaps. A star is in the lists of several.
const cellsOfBlock = 4

// plan chooses the blocks of the slot's batch that the mesh takes, if it takes any, and leaves the others' events in the lists.
func (c *Canvas) plan(s *slot) error {
	s.chosen, s.held = nil, 0
	worth, err := c.worth(s)
	if err != nil || worth == 0 {
		return err
	}
	census := c.mesh.census
	census.take(s.events[:s.n])
	if worth == trial {
		worth = max(census.fullest(), c.weigh.events)
	}
	if s.chosen, s.held = census.choose(worth); len(s.chosen) == 0 {
		return nil
	}
	slots := view[uint32](s.meshed[0], s.n)
	for i := range slots {
		slots[i] = C.GRHIP_UNMESHED
		if slot, ok := census.slot(i); ok {
			slots[i] = uint32(slot)
		}
	}
	places := view[C.grhip_place](s.meshed[1], len(s.chosen))
	for slot, block := range s.chosen {
		x, y := census.first(block)
		scale := C.double(mesh.Scale(census.blocks[block].light))
		places[slot] = C.grhip_place{scale: scale, unit: 1 / scale, x: C.int32_t(x), y: C.int32_t(y)}
	}
	s.only(func(i int) bool { return slots[i] == C.GRHIP_UNMESHED })
	return nil
}

// worth returns the events from which a block of the batch is worth the mesh; 0 where none can be, and trial where that is to be found
// out.
func (c *Canvas) worth(s *slot) (int, error) {
	switch {
	case c.use == alwaysMesh:
		return 1, c.openMesh()
	case c.use == neverMesh || s.crowd() < c.weigh.events/cellsOfBlock || c.mesh == nil && c.spent < c.weigh.seconds:
		return 0, nil
	}
	_, support := c.cfg.PSF.Classify(c.cfg.PSF.MinY)
	worth := c.costs.worth(min(support, float64(c.cfg.PSF.R)))
	if worth == 0 || s.crowd() < worth/cellsOfBlock {
		return 0, nil
	}
	if c.mesh != nil {
		return worth, nil
	}
	err := c.selfTestMesh(c.cfg)
	if err == nil {
		err = c.openMesh()
	}
	if err != nil && fail.Status(err) == fail.StatusBackend {
		if c.use = neverMesh; c.cfg.Log != nil {
			c.cfg.Log.Info("mesh not available", "reason", err.Error())
		}
		return 0, nil
	}
	return worth, err
}

// convolve queues the mesh's part of a batch: its slots and places up, its groups, and the bounds back.
func (c *Canvas) convolve(s *slot, args *C.grhip_args) error {
	if len(s.chosen) == 0 {
		return nil
	}
	args.mesh = c.mesh.args
	m, blocks := &args.mesh, int64(len(s.chosen))
	if err := c.toDevice(*at(&m.slots), s.meshed[0], int64(s.n)*4, c.stream); err != nil {
		return err
	}
	if err := c.toDevice(*at(&m.places), s.meshed[1], blocks*C.sizeof_grhip_place, c.stream); err != nil {
		return err
	}
	if err := c.clear(*at(&m.peaks), blocks*16, c.stream); err != nil {
		return err
	}
	for first := 0; first < len(s.chosen); first += c.mesh.group {
		m.first, m.blocks = C.uint32_t(first), C.uint32_t(min(c.mesh.group, len(s.chosen)-first))
		if err := c.runGroup(s, args); err != nil {
			return err
		}
	}
	return c.toHost(s.meshed[2], *at(&m.peaks), blocks*16, c.stream)
}

// runGroup queues the kernels of one group of blocks.
func (c *Canvas) runGroup(s *slot, args *C.grhip_args) error {
	m := c.mesh
	blocks, pairs, plane := int(args.mesh.blocks), (int(args.mesh.blocks)+1)/2, int64(m.Rows*m.Cols)
	if err := c.clear(*at(&args.mesh.lattice), int64(blocks)*3*int64(m.Edge)*int64(m.Edge)*8, c.stream); err != nil {
		return err
	}
	if err := c.clear(*at(&args.mesh.nodes), int64(blocks*m.RingSpectra)*plane*8, c.stream); err != nil {
		return err
	}
	lines := C.GRHIP_POINTS / m.N
	columns, rows := ceil(m.Cols, lines), ceil(m.N, lines)
	tiles := ceil(m.Q*m.Cols, C.GRHIP_WIDE) * ceil(m.Q*m.Rows, int(args.mesh.high))
	for _, k := range []sum{
		{"grhip_mesh_deposit", 0, ceil(s.n, C.GRHIP_BLOCK)},
		{"grhip_rims_forward", 0, columns * m.RingSpectra * pairs},
		{"grhip_rims_multiply", 0, rows * pairs},
		{"grhip_rims_inverse", 0, rows * pairs},
		{"grhip_mesh_filter", 0, tiles * 3 * blocks},
		{"grhip_mesh_forward", 0, columns * 3 * m.Spectra * pairs},
		{"grhip_mesh_multiply", 0, rows * 3 * pairs},
		{"grhip_mesh_inverse", 0, rows * 3 * pairs},
	} {
		if err := c.run(s, k.name, k.blocks, args); err != nil {
			return err
		}
	}
	for b := range blocks { // one after the other, since they overlap
		args.mesh.block = C.uint32_t(b)
		if err := c.run(s, "grhip_mesh_paste", ceil(m.N*m.N, C.GRHIP_BLOCK), args); err != nil {
			return err
		}
	}
	return nil
}

// settleMesh reads what the device found out of the blocks that it convolved, and leaves the events of those above the limit, which
// it has not added, in the lists.
func (c *Canvas) settleMesh(s *slot, seconds float64, deposited uint64) (left bool, err error) {
	if deposited != uint64(s.held) {
		return false, fail.Device("hip: accumulate: %s deposited %d of %d events: the driver stopped the work", c.Name, deposited, s.held)
	}
	peaks := view[[2]float64](s.meshed[2], len(s.chosen))
	refused := make([]bool, len(s.chosen))
	for i, p := range peaks {
		if refused[i] = !(p[0] == 0 || p[1] <= c.mesh.room*p[0]); !refused[i] {
			c.stats.MeshErrorBound = max(c.stats.MeshErrorBound, mesh.Bound(p[0], p[1]))
		}
	}
	slots := view[uint32](s.meshed[0], s.n)
	s.only(func(i int) bool { return slots[i] != C.GRHIP_UNMESHED && refused[slots[i]] })
	if taken := s.held - s.listed; taken > 0 {
		c.stats.PathChunks["mesh"]++
		c.stats.PathEvents["mesh"] += int64(taken)
	}
	c.costs.add("mesh", seconds, uint64(len(s.chosen)))
	s.chosen, s.held = nil, 0
	return s.listed > 0, nil
}
