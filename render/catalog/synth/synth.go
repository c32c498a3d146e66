// Package synth makes a synthetic sky of any size: star counts of a thin disc, a bulge and a halo behind patchy dust, with J and
// Ks magnitudes as 2MASS would list them. It is a table.Reader, so that its stars go the way of every catalogue's.
//
// The model is for tests and demonstrations, not for science. Densities follow Juric et al. 2008 (ApJ 673, 864) in their
// main scales; dust reddens by the law of Rieke & Lebofsky 1985 (ApJ 288, 618). Star i depends on the seed and i alone.
package synth

import (
	"io"
	"math"
	"math/rand/v2"

	"grsplat/render/catalog"
	"grsplat/render/catalog/table"
)

// pieceStars is how many stars share a random stream.
const pieceStars = 8192

// limitKs is the faintest magnitude: about that of 2MASS's 10-sigma catalogue.
const limitKs = 14.3

// Reader makes the stars.
type Reader struct {
	info  table.Info
	seed  uint64
	stars int64
	next  int64
	dust  [waves]wave
}

// columns of the table; Decode relies on their order.
var columns = []table.Column{{Name: "ra", Unit: "deg"}, {Name: "dec", Unit: "deg"}, {Name: "j_m", Unit: "mag"}, {Name: "k_m", Unit: "mag"}}

// New returns a reader of n stars.
func New(n int64, seed uint64) *Reader {
	r := &Reader{info: table.Info{Format: "synthetic", Columns: columns}, seed: seed, stars: n}
	rng := rand.New(rand.NewPCG(seed, math.MaxUint64))
	for i := range r.dust {
		r.dust[i] = newWave(rng, i)
	}
	return r
}

// Info describes the table: ra, dec in degrees (ICRS), j_m, k_m.
func (r *Reader) Info() *table.Info { return &r.info }

// Next names the next stars.
func (r *Reader) Next(raw *table.Raw) error {
	if r.next >= r.stars {
		return io.EOF
	}
	raw.First, raw.Rows = r.next+1, min(pieceStars, r.stars-r.next)
	r.next += raw.Rows
	return nil
}

// Decode makes them.
func (r *Reader) Decode(raw *table.Raw, want []table.Want, b *table.Block) error {
	b.Reset(want)
	rng := rand.New(rand.NewPCG(r.seed, uint64(raw.First)))
	for i := range raw.Rows {
		row := r.star(rng)
		for k, w := range want {
			b.Num[k] = append(b.Num[k], row[w.Column])
		}
		b.Line = append(b.Line, raw.First+i)
		b.Fault = append(b.Fault, table.OK)
	}
	b.Rows = int(raw.Rows)
	return nil
}

// star draws until one is brighter than the limit. The values are rounded to what a catalogue prints: 1e-6 degrees and 1 mmag.
func (r *Reader) star(rng *rand.Rand) [4]float64 {
	for {
		s, ok := draw(rng)
		if !ok {
			continue
		}
		ks := s.absKs + 5*math.Log10(s.distance*100) // the distance modulus of 0.01 kpc is 0
		if ks > limitKs {
			continue
		}
		av := r.extinction(s.direction, s.distance)
		ks += 0.112 * av
		if ks > limitKs {
			continue
		}
		j := ks + s.jks + (0.282-0.112)*av + 0.02*rng.NormFloat64()
		ra, dec := catalog.Degrees(catalog.FromGalactic(s.direction))
		return [4]float64{round(ra, 1e6), round(dec, 1e6), round(j, 1e3), round(ks, 1e3)}
	}
}

func round(v, scale float64) float64 { return math.Round(v*scale) / scale }

// Open makes a catalogue of n stars. opt.Columns and opt.Band apply as to a file with the columns ra, dec, j_m, k_m.
func Open(n int64, seed uint64, name string, opt catalog.Options) (catalog.Source, error) {
	return catalog.FromReader(name, func() (table.Reader, error) { return New(n, seed), nil }, opt)
}
