package replay

import (
	"testing"

	"grsplat/render/event"
)

// Half of the events lie in one tile of 32 px, 99 % in at most 30.
func TestGalacticProfile(t *testing.T) {
	t.Parallel()
	spec := Synthetic{Events: 50000, Seed: DefaultSeed, W: 3840, H: 2160, Galactic: true}
	tiles := map[[2]int]int{}
	err := spec.Each(testPSF(t), func(chunk []event.Event) error {
		for _, e := range chunk {
			tiles[[2]int{int(e.X) / 32, int(e.Y) / 32}]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	most, crowded, many := 0, 0, 0
	for _, n := range tiles {
		most = max(most, n)
		if n > 100 {
			crowded += n
			many++
		}
	}
	if most < 24500 || most > 25500 || many > 30 || crowded < 49200 {
		t.Errorf("%d in the fullest tile, %d in %d crowded ones, of 50000", most, crowded, many)
	}
}
