// Package event holds the record that travels from the star to the pixel: one star image.
package event

// ChunkLen is the number of events in a full chunk, the unit in which producers hand events to a sink.
const ChunkLen = 16384

// An Event is one star image, 56 bytes: seven float64 in this order, also on disk and on devices.
type Event struct {
	X, Y    float64 // position in pixels; (0,0) is the centre of the top-left pixel, y down
	R, G, B float64 // linear sRGB of unit luminance, signed
	Flux    float64 // luminance flux at the chosen exposure
	Support float64 // radius in pixels of the circle that the stamp lights
}

// Colour returns flux*colour, each product rounded: the factor of every pixel weight (spec section 7).
func (e *Event) Colour() [3]float64 { return [3]float64{e.Flux * e.R, e.Flux * e.G, e.Flux * e.B} }
