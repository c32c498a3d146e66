package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// Reason says why a row is not a star.
type Reason uint8

// Reasons in the order in which a row is tested.
const (
	accepted Reason = iota
	TooFewFields
	TooManyFields
	Unparsable
	NotPointSource
	PositionMissing
	PositionOffSphere
	UpperLimit
	MagnitudeMissing
	MagnitudeSentinel
	reasons
)

var reasonNames = [reasons]string{
	"", "too_few_fields", "too_many_fields", "unparsable", "not_point_source", "position_missing", "position_off_sphere",
	"upper_limit", "magnitude_missing", "magnitude_sentinel",
}

func (r Reason) String() string { return reasonNames[r] }

// Skip counts the rows that one reason took.
type Skip struct {
	N         int64 `json:"n"`
	FirstLine int64 `json:"first_line"` // line of a text file, else row, both from 1; in a directory, of the file that has it
}

// Stats of a source.
type Stats struct {
	Format      string            // "csv", "fits-bintable", "csv.gz", ...
	Rows, Stars int64             // Rows = Stars + Skipped + MissingStars
	Skipped     map[string]Skip   // by reason
	Clamped     int64             // stars whose colour lay outside its relation's range
	TeffDefault int64             // stars without colour, given DefaultTeff
	Band        string            // band of the magnitudes read
	Columns     map[string]string // role to column name
	SHA256      string            // of the file's bytes as they lie on the disk; empty for a directory
	Note        string            // what the file itself says that a user should know, such as a truncated query
	Magnitudes  *Histogram        // of V

	// Of a store or a directory. Where AllowMissing is set, missing or damaged tiles, and why, are left out: a store's whole, a
	// directory's from where they break.
	Tiles, TilesRead int64
	Missing          []string
	MissingStars     int64 // that they should have held by the store's index; 0 for a directory, which has none
}

// SkippedTotal counts the rows that are no stars.
func (s *Stats) SkippedTotal() int64 {
	var n int64
	for _, k := range s.Skipped {
		n += k.N
	}
	return n
}

// Reasons lists the skipped rows in words, most frequent first.
func (s *Stats) Reasons() string {
	names := make([]string, 0, len(s.Skipped))
	for name := range s.Skipped {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := s.Skipped[b].N - s.Skipped[a].N; d != 0 {
			return int(d)
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		k := s.Skipped[name]
		names[i] = fmt.Sprintf("%s %d (first at line %d)", name, k.N, k.FirstLine)
	}
	return strings.Join(names, ", ")
}

// tally is what one block adds to the statistics.
type tally struct {
	rows, stars, clamped, teffDefault int64
	skipped                           [reasons]Skip
}

func (t *tally) skip(r Reason, line int64) {
	k := &t.skipped[r]
	if k.N == 0 {
		k.FirstLine = line
	}
	k.N++
}

// add merges a later block.
func (s *Stats) add(t *tally) {
	s.Rows += t.rows
	s.Stars += t.stars
	s.Clamped += t.clamped
	s.TeffDefault += t.teffDefault
	for r, k := range t.skipped {
		if k.N == 0 {
			continue
		}
		sum, seen := s.Skipped[Reason(r).String()]
		if !seen {
			sum.FirstLine = k.FirstLine
		}
		sum.N += k.N
		s.Skipped[Reason(r).String()] = sum
	}
}

// merge adds the statistics of another file of the same source.
func (s *Stats) merge(o *Stats) {
	s.Rows += o.Rows
	s.Stars += o.Stars
	s.Clamped += o.Clamped
	s.TeffDefault += o.TeffDefault
	for name, k := range o.Skipped {
		sum, seen := s.Skipped[name]
		if !seen {
			sum.FirstLine = k.FirstLine
		}
		sum.N += k.N
		s.Skipped[name] = sum
	}
	s.Magnitudes.Merge(o.Magnitudes)
}
