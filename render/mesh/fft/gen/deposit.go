package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Byte offsets of an event's fields and its size, and of the parameters: P, P-1, 1 and the lattice's first pixel, as (x,y) pairs.
const (
	evX, evR, evG, evFlux, evSize             = 0, 16, 24, 40, 56
	parPhases, parLast, parOne, parFirstPixel = 0, 16, 32, 48
)

// deposit writes the bilinear deposit of events on a phase lattice of RGB triples.
func deposit(w width) {
	if w.bytes == 64 {
		return // an event is six products; 512 bits would not hold more
	}
	name := "deposit" + w.suffix
	TEXT(name, NOSPLIT, "func(lattice, events *float64, n, stride int, par *float64)")
	Doc(name + " adds n events of seven float64 to a lattice whose rows lie stride float64 apart.")
	lat, ev, n, stride, par := gp("lattice"), gp("events"), gp("n"), gp("stride"), gp("par")
	phases, last, one, first := XMM(), XMM(), XMM(), XMM()
	VMOVUPD(Mem{Base: par, Disp: parPhases}, phases)
	VMOVUPD(Mem{Base: par, Disp: parLast}, last)
	VMOVUPD(Mem{Base: par, Disp: parOne}, one)
	VMOVUPD(Mem{Base: par, Disp: parFirstPixel}, first)
	SHLQ(Imm(3), stride)
	Label(name + "_event")
	// pixel = floor(x), s = P (x - pixel), phase = min(floor s, P-1), t = s - phase, u = 1 - t
	x, pixel, phase, t, u := XMM(), XMM(), XMM(), XMM(), XMM()
	VMOVUPD(Mem{Base: ev, Disp: evX}, x)
	VROUNDPD(Imm(9), x, pixel)
	VSUBPD(pixel, x, x)
	VMULPD(phases, x, x)
	VROUNDPD(Imm(9), x, phase)
	VMINPD(last, phase, phase)
	VSUBPD(phase, x, t)
	VSUBPD(t, one, u)
	// column and row of the lattice
	VSUBPD(first, pixel, pixel)
	VFMADD231PD(phases, pixel, phase)
	VCVTTPD2DQX(phase, phase)
	col, row := GP64(), GP64()
	VMOVD(phase, col.As32())
	VPEXTRD(Imm(1), phase, row.As32())
	IMULQ(stride, row)
	LEAQ(Mem{Base: col, Index: col, Scale: 2}, col)
	LEAQ(Mem{Base: row, Index: col, Scale: 8}, row)
	ADDQ(lat, row)
	// colours (r g b r) and (g b), times the flux and the x weights (u u u t) and (t t)
	flux, rgbr, gb := YMM(), YMM(), XMM()
	VBROADCASTSD(Mem{Base: ev, Disp: evFlux}, flux)
	VMULPD(Mem{Base: ev, Disp: evR}, flux, rgbr)
	VMULPD(Mem{Base: ev, Disp: evG}, flux.AsX(), gb)
	VPERMPD(Imm(0b00_10_01_00), rgbr, rgbr)
	ux, tx, mix := YMM(), YMM(), YMM()
	VBROADCASTSD(u, ux)
	VBROADCASTSD(t, tx)
	VBLENDPD(Imm(8), tx, ux, mix)
	VMULPD(mix, rgbr, rgbr)
	VMULPD(tx.AsX(), gb, gb)
	for i, weight := range []reg.VecVirtual{u, t} {
		wy := YMM()
		VPERMPD(Imm(0b01_01_01_01), weight.AsY(), wy)
		at := Mem{Base: row}
		if i == 1 {
			at.Index, at.Scale = stride, 1
		}
		a, b := YMM(), XMM()
		VMOVUPD(at, a)
		VMOVUPD(at.Offset(32), b)
		VFMADD231PD(wy, rgbr, a)
		VFMADD231PD(wy.AsX(), gb, b)
		VMOVUPD(a, at)
		VMOVUPD(b, at.Offset(32))
	}
	ADDQ(Imm(evSize), ev)
	DECQ(n)
	JNE(LabelRef(name + "_event"))
	VZEROUPPER()
	RET()
}
