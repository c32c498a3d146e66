package catalog

import (
	"math"
	"slices"
	"strings"

	"grsplat/render/catalog/table"
	"grsplat/render/color"
	"grsplat/render/fail"
)

// photometry turns a row's magnitudes and colours into V and a temperature. Fields are indices in converter.want; -1: absent.
type photometry struct {
	band          string
	mag           int // magnitude in band; unused where tycho is set
	quality       int // ph_qual, and which of its letters speak of the band, of J and of Ks
	qualityOf     int
	tycho         bool // V comes from bt, vt and hp
	bt, vt, hp    int
	b, v          int // for B-V of two magnitudes
	bv, bpRP, jK  int
	bp, rp, j, ks int
	teff          int
	zeroIsMissing bool
	usedMagnitude string // its role
}

// bandRoles gives the column role of each band, in the order in which --band's default is chosen.
var bandRoles = []struct{ band, role string }{
	{"V", "v"}, {"G", "g"}, {"J", "j"}, {"Ks", "ks"}, {"H", "h"}, {"BP", "bp"}, {"RP", "rp"},
}

// defaultBands is how many of bandRoles the default may choose.
const defaultBands = 4

// qualityLetters is the order of ph_qual.
var qualityLetters = map[string]int{"J": 0, "H": 1, "Ks": 2}

// ParseBand returns the canonical name of a band of --band.
func ParseBand(name string) (string, error) {
	for _, b := range bandRoles {
		if strings.EqualFold(b.band, name) || b.band == "Ks" && strings.EqualFold(name, "K") {
			return b.band, nil
		}
	}
	return "", fail.Usage("band: unknown band %q; bands are V, G, J, H, Ks, BP, RP", name)
}

// plan chooses the band and the columns.
func (p *photometry) plan(c *converter, info *table.Info, roles roleMap, opt Options) error {
	if err := p.chooseBand(c, roles, opt, info.Columns); err != nil {
		return err
	}
	p.zeroIsMissing = p.tycho || embeddedAliases().zeroed[p.usedMagnitude]
	p.qualityOf = -1
	if letter, ok := qualityLetters[p.band]; ok {
		p.qualityOf = letter
	}
	p.quality = c.add(roles, "ph_qual", table.Text)
	number := func(role string) int { return c.add(roles, role, table.Number) }
	p.teff, p.bv, p.bpRP, p.jK = number("teff"), number("bv"), number("bp_rp"), number("j_k")
	pair := func(a, b string) (int, int) {
		_, hasA := roles[a]
		_, hasB := roles[b]
		if !hasA || !hasB {
			return -1, -1
		}
		return number(a), number(b)
	}
	p.b, p.v = pair("b", "v")
	if !p.tycho {
		p.bt, p.vt = pair("bt", "vt")
	}
	p.bp, p.rp = pair("bp", "rp")
	p.j, p.ks = pair("j", "ks")
	return nil
}

// chooseBand decides where the magnitude comes from.
func (p *photometry) chooseBand(c *converter, roles roleMap, opt Options, columns []table.Column) error {
	want := opt.Band
	p.mag, p.bt, p.vt, p.hp = -1, -1, -1, -1
	use := func(band, role string) error {
		p.band, p.usedMagnitude = band, role
		p.mag = c.add(roles, role, table.Number)
		return nil
	}
	if _, given := opt.Columns["mag"]; given {
		return use(bandOfColumn(columns[roles["mag"]].Name, want), "mag")
	}
	has := func(role string) bool { _, ok := roles[role]; return ok }
	for i, b := range bandRoles {
		if want != "" && want != b.band || want == "" && i >= defaultBands {
			continue
		}
		if has(b.role) {
			return use(b.band, b.role)
		}
		if b.band == "V" && (has("vt") || has("bt")) {
			p.band, p.tycho, p.usedMagnitude = "V", true, "vt"
			p.bt, p.vt = c.add(roles, "bt", table.Number), c.add(roles, "vt", table.Number)
			p.hp = c.add(roles, "hp", table.Number)
			return nil
		}
		if b.band == "V" && has("mag") {
			return use("V", "mag")
		}
		if b.band == "V" && has("hp") {
			return use("V", "hp")
		}
	}
	if want != "" && has("mag") {
		return use(want, "mag")
	}
	if want != "" {
		return fail.Input("no magnitude in band %s; the file has %s", want, list(columns))
	}
	return fail.Input("no magnitude column of a known band (V, G, J, Ks); the file has %s; --columns mag=NAME names one", list(columns))
}

// bandOfColumn is the band of a magnitude that --columns mag= names: the given one, else what the column's own name says, else V.
func bandOfColumn(name, want string) string {
	if want != "" {
		return want
	}
	known, folded := embeddedAliases(), fold(name)
	for _, b := range bandRoles {
		if slices.Contains(known.names[b.role], folded) || slices.Contains(known.names[b.role], "="+name) {
			return b.band
		}
	}
	return "V"
}

// star fills s.V and s.Teff.
func (p *photometry) star(b *table.Block, i int, s *Star, t *tally) Reason {
	quality := []byte(nil)
	if p.quality >= 0 {
		quality = b.Text[p.quality][i]
	}
	if p.qualityOf >= 0 && limit(quality, p.qualityOf) {
		return UpperLimit
	}
	mag, tychoBV := number(b, p.mag, i), math.NaN()
	bt, vt := zeroMissing(number(b, p.bt, i)), zeroMissing(number(b, p.vt, i))
	switch {
	case p.tycho:
		mag, tychoBV = fromTycho(bt, vt, zeroMissing(number(b, p.hp, i)))
	case p.bt >= 0:
		_, tychoBV = fromTycho(bt, vt, math.NaN())
	}
	if p.zeroIsMissing {
		mag = zeroMissing(mag)
	}
	switch {
	case math.IsNaN(mag):
		return MagnitudeMissing
	case math.Abs(mag) > maxMagnitude:
		return MagnitudeSentinel
	}
	s.Teff = p.temperature(b, i, tychoBV, quality, t)
	s.V = mag
	if p.band != "V" {
		s.V = color.ToV(p.band, mag, s.Teff)
	}
	return accepted
}

// temperature takes the first of teff, B-V, BP-RP, J-Ks that the row has.
func (p *photometry) temperature(b *table.Block, i int, tychoBV float64, quality []byte, t *tally) float64 {
	if teff := number(b, p.teff, i); teff >= 100 && teff <= 1e6 {
		return teff
	}
	teff, clamped := 0.0, false
	if bv := first(number(b, p.bv, i), number(b, p.b, i)-number(b, p.v, i), tychoBV); usable(bv) {
		teff, clamped = color.TeffBV(bv)
	} else if x := first(number(b, p.bpRP, i), number(b, p.bp, i)-number(b, p.rp, i)); usable(x) {
		teff, clamped = color.TeffBPRP(x)
	} else if x := first(number(b, p.jK, i), p.infrared(b, i, quality)); usable(x) {
		teff, clamped = color.TeffJKs(x)
	} else {
		t.teffDefault++
		return DefaultTeff
	}
	if clamped {
		t.clamped++
	}
	return teff
}

// infrared is J-Ks of two detections.
func (p *photometry) infrared(b *table.Block, i int, quality []byte) float64 {
	if limit(quality, qualityLetters["J"]) || limit(quality, qualityLetters["Ks"]) {
		return math.NaN()
	}
	return number(b, p.j, i) - number(b, p.ks, i)
}

// first returns the first usable colour, else NaN.
func first(colours ...float64) float64 {
	for _, x := range colours {
		if usable(x) {
			return x
		}
	}
	return math.NaN()
}

// usable tells a colour from a missing value and from sentinels and their differences.
func usable(x float64) bool { return math.Abs(x) < maxMagnitude }

// limit tells whether ph_qual marks a band as an upper limit.
func limit(quality []byte, letter int) bool { return letter < len(quality) && quality[letter] == 'U' }

func zeroMissing(m float64) float64 {
	if m == 0 {
		return math.NaN()
	}
	return m
}

// fromTycho returns Johnson V and B-V by the linear form of ESA SP-1200, section 1.3 (appendix 4). With BT or VT missing the
// other one is V; Hp stands in for both. Where nothing is usable the result is NaN, or the sentinel that was there.
func fromTycho(bt, vt, hp float64) (v, bv float64) {
	switch {
	case usable(vt) && usable(bt):
		return vt - float64(0.090*(bt-vt)), 0.850 * (bt - vt)
	case usable(vt):
		return vt, math.NaN()
	case usable(bt):
		return bt, math.NaN()
	case usable(hp) || math.IsNaN(vt) && math.IsNaN(bt):
		return hp, math.NaN()
	case math.IsNaN(vt):
		return bt, math.NaN()
	}
	return vt, math.NaN()
}
