package replay

// GalacticEvents is the number of star images in a field towards the galactic centre, the size of the galactic profile.
const GalacticEvents = 598_000_000

// Galactic places events as a map of the galactic centre does, squeezed by a lens: half of them lie in one tile of 32 px at
// the centre of the frame, 49 in 100 in the 29 tiles that follow it along the galactic plane, the rest anywhere.
const (
	galacticTile  = 32 // px
	galacticTiles = 30
)

// galactic draws a position of the profile: one draw for the tile, two within it.
func (s Synthetic) galactic(state *lcg) (x, y float64) {
	w, h := float64(s.W), float64(s.H)
	tile, u, v := state.draw(), state.draw(), state.draw()
	if tile >= 0.99 {
		return float64(u * w), float64(v * h)
	}
	k := 0.0 // tiles from the centre, alternately to either side
	if tile >= 0.5 {
		k = float64(int((tile - 0.5) / 0.49 * (galacticTiles - 1)))
		side := 1 + float64(int(k)/2)
		if int(k)%2 == 1 {
			side = -side
		}
		k = side
	}
	// whole tiles, so that no tile of the profile is two of the frame
	x0 := float64(int(w/2/galacticTile)) + k
	y0 := float64(int(h / 2 / galacticTile))
	return (x0 + u) * galacticTile, (y0 + v) * galacticTile
}
