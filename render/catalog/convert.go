package catalog

import (
	"math"

	"grsplat/render/catalog/table"
	"grsplat/render/fail"
)

// maxMagnitude is the largest |m| that is a magnitude and not a sentinel.
const maxMagnitude = 40

// converter turns decoded rows into stars. It is immutable after newConverter and shared by the workers.
type converter struct {
	want  []table.Want
	named map[string]string // role to the name of the column that is read for it
	info  *table.Info
	epoch float64 // positions are moved to it
	from  float64 // epoch of rows that do not say

	ra, dec, raObs, decObs, glon, glat int // indices in want; -1: absent
	pmRA, pmDec, epochCol, use         int
	raScale, pmRAScale, pmDecScale     float64

	photometry
}

// newConverter decides which columns are read and how, or says why the table is no star catalogue.
func newConverter(info *table.Info, roles roleMap, opt Options) (*converter, error) {
	c := &converter{epoch: opt.epoch(), from: info.Epoch, info: info, named: map[string]string{}}
	if c.from == 0 {
		c.from = J2000
	}
	if err := dropUnpaired(roles, info.Columns); err != nil {
		return nil, err
	}
	c.ra, c.dec = c.add(roles, "ra", table.RightAscension), c.add(roles, "dec", table.Declination)
	c.glon, c.glat = c.add(roles, "glon", table.Number), c.add(roles, "glat", table.Number)
	c.raObs, c.decObs = c.add(roles, "ra_obs", table.RightAscension), c.add(roles, "dec_obs", table.Declination)
	c.pmRA, c.pmDec = c.add(roles, "pmra", table.Number), c.add(roles, "pmdec", table.Number)
	c.epochCol, c.use = c.add(roles, "epoch", table.Number), c.add(roles, "use_src", table.Number)

	unit := func(role string) string {
		if i, ok := roles[role]; ok {
			return info.Columns[i].Unit
		}
		return ""
	}
	c.raScale = angleScale(unit("ra"))
	c.pmRAScale, c.pmDecScale = motionScale(unit("pmra")), motionScale(unit("pmdec"))
	return c, c.photometry.plan(c, info, roles, opt)
}

// dropUnpaired removes coordinates of which only one is there, duplicates of the main position, and galactic ones that
// nothing needs. It fails if no position is left.
func dropUnpaired(roles roleMap, columns []table.Column) error {
	drop := func(a, b string, condition bool) {
		if condition {
			delete(roles, a)
			delete(roles, b)
		}
	}
	ra, hasRA := roles["ra"]
	_, hasDec := roles["dec"]
	_, hasLon := roles["glon"]
	_, hasLat := roles["glat"]
	switch {
	case hasRA && hasDec:
		drop("glon", "glat", true)
	case hasLon && hasLat:
		drop("ra", "dec", true)
	case hasRA:
		return fail.Input("no declination column; the file has %s", list(columns))
	case hasDec:
		return fail.Input("no right ascension column; the file has %s", list(columns))
	default:
		return fail.Input("no sky positions: no column is named or described as right ascension and declination; the file has %s", list(columns))
	}
	obs, hasObs := roles["ra_obs"]
	_, hasDecObs := roles["dec_obs"]
	drop("ra_obs", "dec_obs", !hasObs || !hasDecObs || obs == ra)
	_, hasPMRA := roles["pmra"]
	_, hasPMDec := roles["pmdec"]
	drop("pmra", "pmdec", !hasPMRA || !hasPMDec)
	return nil
}

// add wants the column of a role and returns its index in want, or -1.
func (c *converter) add(roles roleMap, role string, kind table.Kind) int {
	column, ok := roles[role]
	if !ok {
		return -1
	}
	c.named[role] = c.info.Columns[column].Name
	c.want = append(c.want, table.Want{Column: column, Kind: kind})
	return len(c.want) - 1
}

// number returns a cell, or NaN for an absent column.
func number(b *table.Block, column, row int) float64 {
	if column < 0 {
		return math.NaN()
	}
	return b.Num[column][row]
}

// rows converts a block. The slices are grown as needed and returned; ast is left alone where it is nil and not wanted.
func (c *converter) rows(b *table.Block, stars []Star, ast []Astrometry, wantAst bool, t *tally, h *Histogram) ([]Star, []Astrometry) {
	*t = tally{rows: int64(b.Rows)}
	for i := range b.Rows {
		var s Star
		var a Astrometry
		reason := c.row(b, i, &s, &a, t)
		if reason != accepted {
			t.skip(reason, b.Line[i])
			continue
		}
		stars = append(stars, s)
		if wantAst {
			ast = append(ast, a)
		}
		h.Add(s.V)
	}
	t.stars = int64(len(stars))
	return stars, ast
}

var faults = [...]Reason{table.OK: accepted, table.TooFew: TooFewFields, table.TooMany: TooManyFields, table.Unparsable: Unparsable}

func (c *converter) row(b *table.Block, i int, s *Star, a *Astrometry, t *tally) Reason {
	if f := b.Fault[i]; f != table.OK {
		return faults[f]
	}
	if c.use >= 0 && b.Num[c.use][i] != 1 && !math.IsNaN(b.Num[c.use][i]) {
		return NotPointSource
	}
	if r := c.position(b, i, s, a); r != accepted {
		return r
	}
	return c.photometry.star(b, i, s, t)
}

// position fills s.Pos and a. Pos is UnitVector(a.RA, a.Dec) to the bit, whatever was moved or rotated, so that a catalogue
// written out in degrees comes back as the same stars.
func (c *converter) position(b *table.Block, i int, s *Star, a *Astrometry) Reason {
	ra, dec, observed := 0.0, 0.0, false
	if c.glon >= 0 {
		lon, lat := b.Num[c.glon][i], b.Num[c.glat][i]
		if r := checkSphere(lon, lat); r != accepted {
			return r
		}
		ra, dec = Degrees(FromGalactic(UnitVector(lon, lat)))
	} else {
		ra, dec = b.Num[c.ra][i]*c.raScale, b.Num[c.dec][i]
		if c.raObs >= 0 && math.IsNaN(ra) && math.IsNaN(dec) {
			ra, dec, observed = b.Num[c.raObs][i], b.Num[c.decObs][i], true
		}
		if r := checkSphere(ra, dec); r != accepted {
			return r
		}
		ra = wrap(ra)
	}
	a.RA, a.Dec = ra, dec
	s.Pos = UnitVector(ra, dec)
	pmRA, pmDec := number(b, c.pmRA, i)*c.pmRAScale, number(b, c.pmDec, i)*c.pmDecScale
	if observed || !finite(pmRA) || !finite(pmDec) || pmRA == 0 && pmDec == 0 {
		return accepted
	}
	a.PMRA, a.PMDec = pmRA, pmDec
	from := c.from
	if e := number(b, c.epochCol, i); e > 0 && finite(e) {
		from = e
	}
	if from != c.epoch {
		a.RA, a.Dec = Degrees(Move(s.Pos, pmRA, pmDec, c.epoch-from))
		s.Pos = UnitVector(a.RA, a.Dec)
	}
	return accepted
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func checkSphere(lon, lat float64) Reason {
	switch {
	case math.IsNaN(lon) || math.IsNaN(lat):
		return PositionMissing
	case math.IsInf(lon, 0) || math.Abs(lat) > 90:
		return PositionOffSphere
	}
	return accepted
}

// angleScale is what a right ascension in the given unit is multiplied by to be in degrees.
func angleScale(unit string) float64 {
	switch fold(unit) {
	case "h", "hr", "hour", "hours", "hourangle":
		return 15
	case "rad", "radian", "radians":
		return 180 / math.Pi
	}
	return 1
}

// motionScale is the same for proper motions and mas/yr.
func motionScale(unit string) float64 {
	switch fold(unit) {
	case "arcsec/yr", "arcsec_yr_1", "arcsec/a", "arcsec_yr**_1":
		return 1000
	case "deg/yr", "deg_yr_1":
		return 3.6e6
	}
	return 1
}
