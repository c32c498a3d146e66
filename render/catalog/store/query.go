package store

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"grsplat/render/catalog"
	"grsplat/render/catalog/parquet"
	"grsplat/render/fail"
	"grsplat/render/healpix"
)

// coneColumns of a query; the motions come last.
var coneColumns = []string{"ra", "dec", "x", "y", "z", "v_mag", "teff", "pmra", "pmdec"}

// Cone calls fn with the stars within radius degrees of a direction, in the order of the store, at J2000. Tiles that the cone
// cannot touch are not read.
func (s *Store) Cone(ctx context.Context, ra, dec, radius float64, fn func(catalog.Star, catalog.Astrometry) error) error {
	if !(math.Abs(dec) <= 90) || math.IsInf(ra, 0) || math.IsNaN(ra) || !(radius >= 0 && radius <= 180) {
		return fail.Usage("cone: RA %g, Dec %g, radius %g: want degrees, Dec -90 to 90 and a radius of 0 to 180", ra, dec, radius)
	}
	centre := catalog.UnitVector(ra, dec)
	names := coneColumns
	if !s.index.Moving {
		names = names[:7]
	}
	for i := range s.index.Tiles {
		t := &s.index.Tiles[i]
		reach := radius*math.Pi/180 + healpix.Radius(t.Order)
		if between(centre, healpix.Center(t.Order, t.Pixel)) > reach {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.coneTile(t, names, centre, radius*math.Pi/180, fn); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) coneTile(t *Tile, names []string, centre [3]float64, radius float64, fn func(catalog.Star, catalog.Astrometry) error) error {
	path := filepath.Join(s.dir, t.Path())
	values := make([][]float64, len(coneColumns))
	f, err := os.Open(path)
	if err != nil {
		return &TileError{path, t.Rows, fail.Input("%w", err)}
	}
	defer f.Close()
	rows, err := parquet.ReadDoubles(f, t.Bytes, names, func(column int, _ int64, run []float64) error {
		values[column] = append(values[column], run...)
		return nil
	})
	if err == nil && rows != t.Rows {
		err = fmt.Errorf("%d rows, the index says %d", rows, t.Rows)
	}
	if err != nil {
		return &TileError{path, t.Rows, fail.Input("%w", err)}
	}
	for i := range rows {
		star := catalog.Star{Pos: [3]float64{values[2][i], values[3][i], values[4][i]}, V: values[5][i], Teff: values[6][i]}
		if between(centre, star.Pos) > radius {
			continue
		}
		ast := catalog.Astrometry{RA: values[0][i], Dec: values[1][i]}
		if s.index.Moving {
			ast.PMRA, ast.PMDec = values[7][i], values[8][i]
		}
		if err := fn(star, ast); err != nil {
			return err
		}
	}
	return nil
}

// between is the angle of two unit vectors in radians, accurate at every size (Kahan).
func between(a, b [3]float64) float64 {
	var minus, plus float64
	for i := range a {
		minus += (a[i] - b[i]) * (a[i] - b[i])
		plus += (a[i] + b[i]) * (a[i] + b[i])
	}
	return 2 * math.Atan2(math.Sqrt(minus), math.Sqrt(plus))
}
