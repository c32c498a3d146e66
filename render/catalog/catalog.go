package catalog

import (
	"context"

	"grsplat/render/fail"
)

// Star is one usable row.
type Star struct {
	Pos  [3]float64 // ICRS unit vector at Options.Epoch
	V    float64    // magnitude, turned into V
	Teff float64    // kelvin
}

// Astrometry is what a store keeps of a row beside its Star. Star.Pos is UnitVector(RA, Dec) to the bit.
type Astrometry struct {
	RA, Dec     float64 // degrees at Options.Epoch
	PMRA, PMDec float64 // mas/yr, PMRA with cos(dec); 0 where not given
}

// Options of Open. The zero value is the default of every field.
type Options struct {
	Columns map[string]string // role to column name, from ParseColumns
	Band    string            // V, G, J, H, Ks, BP or RP; empty: the first of V, G, J, Ks in the file
	Epoch   float64           // Julian year to which positions are moved; 0: J2000
	Workers int               // parsing goroutines; 0: one per CPU
	// AllowMissing goes on without a damaged tile of a directory and names it in Stats.Missing.
	AllowMissing bool
}

// DefaultTeff is the effective temperature in kelvin of a star whose colour is not given: the Sun's (IAU 2015 B3).
const DefaultTeff = 5772

// J2000 is the default epoch.
const J2000 = 2000.0

func (o Options) epoch() float64 {
	if o.Epoch == 0 {
		return J2000
	}
	return o.Epoch
}

// Source is one catalogue. It is not safe for concurrent use.
type Source interface {
	// Read calls fn with every star in file order, from one goroutine at a time; the batch belongs to the source and is
	// overwritten after fn returns. A second Read starts again. An error of fn ends the reading and is returned as it is.
	// A source without one usable star is an error (status 3).
	Read(ctx context.Context, fn func(batch []Star) error) error
	// ReadAstrometry is Read with the astrometry of the same rows beside them.
	ReadAstrometry(ctx context.Context, fn func(batch []Star, ast []Astrometry) error) error
	// Stats of the last Read, complete only once it has returned nil. Format, Band and Columns are there after Open.
	Stats() Stats
	// Name is the path as it was given.
	Name() string
}

// ParseColumns reads the value of --columns: role=name pairs separated by commas.
func ParseColumns(s string) (map[string]string, error) {
	columns := map[string]string{}
	if s == "" {
		return columns, nil
	}
	known := embeddedAliases()
	for _, pair := range splitPairs(s) {
		role, name := pair[0], pair[1]
		if name == "" {
			return nil, fail.Usage("columns: %q: want role=column", role)
		}
		r, ok := known.role(role)
		if !ok {
			return nil, fail.Usage("columns: unknown role %q; roles are %s", role, known.roleList())
		}
		if _, twice := columns[r]; twice {
			return nil, fail.Usage("columns: role %q given twice", role)
		}
		columns[r] = name
	}
	return columns, nil
}
