package vulkan

import (
	"grsplat/render/fail"
	"grsplat/render/mesh"
	"grsplat/render/mesh/fft"
	"grsplat/shaders"
	"grsplat/vk"
)

// The mesh path (package mesh has the mathematics): a batch's events are counted by block of the frame (mesh_count.go); group by
// group the blocks that are worth it get their events on phase lattices, in 64-bit integers of a unit of their own, which are
// filtered, transformed, multiplied, transformed back and added to the frame (mesh_group.go). What is left, events of other blocks, of
// blocks whose error bound is above the limit, and such as are too bright for their block, goes to another path (mesh_rest.go).

// A blockMesh is the mesh of one canvas: its sizes, its constant buffers, and how many blocks make a group.
type blockMesh struct {
	mesh.Device
	bx, by int // blocks of the grid
	group  int // blocks at once, at most
	fixed  map[string]*vk.Buffer
}

// openMesh prepares the mesh on first use. It fails when the PSF's kernels or the device's bindings do not allow it.
func (c *Canvas) openMesh() error {
	if c.mesh != nil {
		return nil
	}
	e, err := mesh.NewEngine(c.cfg.PSF, fft.Best())
	if err != nil {
		return fail.Backend("vulkan: path mesh: %w", err)
	}
	m := &blockMesh{Device: e.Device(), fixed: map[string]*vk.Buffer{}}
	m.bx, m.by = m.Blocks(c.cfg.W, c.cfg.H)
	if err := m.fit(c); err != nil {
		return err
	}
	c.mesh = m
	upload := func(name string, n, parts int, fill func(part int, dst []float64)) {
		if err == nil {
			err = c.uploadParts(name, n, parts, fill)
		}
	}
	upload("mesh twiddles", len(m.Twiddles), 1, func(_ int, dst []float64) { copy(dst, m.Twiddles) })
	upload("mesh taps", len(m.Taps), 1, func(_ int, dst []float64) { copy(dst, m.Taps) })
	upload("mesh spectra", 2*m.N*m.N, m.Spectra, m.Spectrum)
	upload("mesh ring spectra", 2*m.N*m.N, m.RingSpectra, m.RingSpectrum)
	return err
}

// sizes lists the bytes of the buffers of a group of n blocks.
func (m *blockMesh) sizes(n int) map[string]uint64 {
	blocks, pairs := uint64(n), uint64(n+1)/2
	edge, square, plane := uint64(m.Edge), uint64(m.N*m.N), uint64(m.Rows*m.Cols)
	kinds, nodes := uint64(m.Spectra), uint64(m.RingSpectra)
	return map[string]uint64{
		"mesh lattice":   blocks * 3 * edge * edge * 8,
		"mesh nodes":     blocks * nodes * plane * 8,
		"mesh planes":    blocks * kinds * 3 * plane * 8,
		"mesh mid":       pairs * 3 * kinds * uint64(m.N*m.Cols) * 16,
		"mesh sums":      pairs * 3 * square * 16,
		"mesh ring mid":  pairs * nodes * uint64(m.N*m.Cols) * 16,
		"mesh ring sums": pairs * square * 16,
		"mesh results":   blocks * 3 * square * 8,
		"mesh peaks":     blocks * 16,
		"mesh scale":     blocks * 8,
		"mesh list":      blocks * 8,
		"mesh kept":      blocks * 4,
		"mesh words":     uint64(4 * m.bx * m.by),
		"mesh done":      4,
	}
}

// fit finds the largest group that the device binds and a quarter of its free memory holds.
func (m *blockMesh) fit(c *Canvas) error {
	switch {
	case len(m.Taps) > shaders.MeshTaps || m.D > shaders.MeshRatio:
		return fail.Backend("vulkan: path mesh: a filter of %d taps from %d phases is too long", len(m.Taps), m.P)
	case m.N < shaders.MeshShortest || m.N > shaders.MeshLongest:
		return fail.Backend("vulkan: path mesh: a transform of %d points", m.N)
	}
	limit, free := c.scratch.limit, c.engine.device.Memory().Free/4
	for m.group = shaders.MeshGroup; m.group > 0; m.group /= 2 {
		var most, all uint64
		for _, size := range m.sizes(m.group) {
			most, all = max(most, size), all+size
		}
		if spectra := uint64(m.Spectra*m.N*m.N) * 16; max(most, spectra) <= limit && all+spectra <= free {
			return nil
		}
	}
	return fail.Backend("vulkan: path mesh: %s binds %d bytes and has %d free, too little for a block of %d px", c.engine.info.Name, limit, 4*free, m.N)
}

// uploadParts fills a constant buffer of parts of n float64.
func (c *Canvas) uploadParts(name string, n, parts int, fill func(part int, dst []float64)) error {
	b, err := c.engine.device.NewBuffer(name, uint64(max(n*parts, 2)*8), vk.OnDevice)
	if err != nil {
		return deviceError("mesh", err)
	}
	c.mesh.fixed[name] = b
	staging, err := c.engine.device.NewBuffer(name+" staging", uint64(n*8), vk.Upload)
	if err != nil {
		return deviceError("mesh", err)
	}
	defer staging.Free()
	for part := range parts {
		fill(part, vk.View[float64](staging)[:n])
		batch := c.engine.device.Batch("mesh")
		batch.Copy(b.At(uint64(part*n*8), uint64(n*8)), staging.At(0, uint64(n*8)))
		if err := c.run(batch, func(t clock) {}); err != nil {
			return err
		}
	}
	return nil
}

func (m *blockMesh) free() {
	if m == nil {
		return
	}
	for _, b := range m.fixed {
		b.Free()
	}
}

// meshPush returns the constants that all dispatches share.
func (c *Canvas) meshPush(unit float64, events int) shaders.MeshPush {
	m := c.mesh
	return shaders.MeshPush{
		Unit: unit, W: int32(c.cfg.W), H: int32(c.cfg.H), First: int32(m.First), BlocksX: uint32(m.bx), BlocksY: uint32(m.by),
		Pitch: uint32(m.Pitch), Margin: uint32(m.Margin), P: uint32(m.P), Q: uint32(m.Q), Taps: uint32(len(m.Taps)), N: uint32(m.N),
		Rows: uint32(m.Rows), Cols: uint32(m.Cols), Events: uint32(events), Nodes: uint32(m.Nodes),
	}
}

// meshHolds says whether the mesh can take the batch: every event has the support that its kernels end at.
func (c *Canvas) meshHolds() bool {
	_, support := c.cfg.PSF.Classify(c.cfg.PSF.MinY)
	support = min(support, float64(c.cfg.PSF.R))
	return c.pending.least == support && c.pending.most == support
}

func (c *Canvas) meshBuffers(sizes map[string]uint64) (map[string]*vk.Buffer, error) {
	buffers := map[string]*vk.Buffer{}
	for name, size := range sizes {
		b, err := c.scratch.get(name, size, vk.OnDevice)
		if err != nil {
			return nil, deviceError("mesh", err)
		}
		buffers[name] = b
	}
	return buffers, nil
}

// meshDispatch runs a work group for every 256 events.
func (c *Canvas) meshDispatch(b *vk.Batch, kernel string, push shaders.MeshPush, bind ...vk.Slice) error {
	x, y, err := c.engine.device.Grid(uint64(push.Events+255) / 256)
	if err != nil {
		return deviceError("mesh", err)
	}
	return c.meshGrid(b, kernel, push, x, y, 1, bind...)
}

func (c *Canvas) meshGrid(b *vk.Batch, kernel string, push shaders.MeshPush, x, y, z uint32, bind ...vk.Slice) error {
	p, err := c.engine.pipeline(kernel)
	if err != nil {
		return err
	}
	b.Dispatch(p, push.Bytes(), x, y, z, bind...)
	return nil
}
