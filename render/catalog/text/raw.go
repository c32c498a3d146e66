package text

import (
	"bufio"
	"strings"

	"grsplat/render/catalog/table"
)

// Headless formats: lines of cells between bars whose meaning is fixed by their publication. Columns that no star needs are
// named -.
var (
	// The 2MASS point source catalogue as distributed (Cutri et al. 2003, explanatory supplement, section 2.2): 60 fields.
	twoMass = strings.Fields(`ra decl - - - designation j_m - - - h_m - - - k_m - - - ph_qual - - - - - - - - - - - - -
		glon glat - - - - - - - - - - - - - - - use_src - - - - - - - - - -`)
	// Tycho-2, main catalogue (CDS I/259, tyc2.dat): 32 fields. Where the mean position is blank, pflag X, the observed one
	// stands in (about J1991.25, without proper motion).
	tycho = strings.Fields(`- pflag ra_deg dec_deg pmra pmdec - - - - - - - - - - - bt_mag - vt_mag - - - -
		ra_observed dec_observed - - - - - -`)
	// Tycho-2, supplements (CDS I/259, suppl_1.dat): 18 fields. Positions are at J1991.25; mflag H puts Hp in the place of VT.
	tychoSupplement = strings.Fields(`- - ra_deg dec_deg pmra pmdec - - - - - bt_mag - vt_mag - - - -`)
)

// supplementEpoch of the positions in the Tycho-2 supplements.
const supplementEpoch = 1991.25

// openRaw reads headless records.
func openRaw(r *bufio.Reader, format string, names []string, epoch float64) *Reader {
	columns := make([]table.Column, len(names))
	for i, name := range names {
		columns[i].Name = name
	}
	rd := newReader(r, 1, false)
	rd.info = table.Info{Format: format, Columns: columns, Epoch: epoch}
	rd.split = &delimited{delim: '|', columns: len(columns)}
	return rd
}
