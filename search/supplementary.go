package search

import (
	"cmp"
	"context"
	"slices"
)

// Supplementary searches for seeds where Java redraws: for each chunk k in turn its first draw is one of the eight from
// 2147483640 on, so its state's top 30 bits h are one of the last four, and the other chunks have even draws. The low 18
// bits r then obey the conditions of all chunks but k (k's own bit 17 may be either), and r with h gives the state, hence the
// seed, which the full generator judges. Hits are sorted as Batch sorts them. It runs on the CPU: a position costs about a
// hundred candidates.
func (s Shape) Supplementary(ctx context.Context, in []Pos) ([]Hit, error) {
	even := evenStates()
	c := new(classSorter).byClass(s, in)
	var hits []Hit
	for _, run := range c.classes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		members := c.order[run.first : run.first+run.count]
		roots := s.rootsWithout(even, s.ClassOf(in[members[0]]))
		for _, index := range members {
			hits = s.appendRedrawn(hits, index, in[index], roots)
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Seed, b.Seed)) })
	return slices.Compact(hits), nil
}

// rootsWithout lists, for each chunk k, the roots of a class with k's condition left out.
func (s Shape) rootsWithout(even *rootSet, c Class) [][]uint32 {
	var shifts []uint32
	for _, column := range s.columnShifts(c.X) {
		for _, row := range s.rowShifts(c.Z) {
			shifts = append(shifts, (column+row)&lowMask)
		}
	}
	out := make([][]uint32, len(shifts))
	for k := range shifts {
		out[k] = even.appendCommon(nil, slices.Delete(slices.Clone(shifts), k, k+1))
	}
	return out
}

func (s Shape) appendRedrawn(hits []Hit, index uint32, p Pos, roots [][]uint32) []Hit {
	for k, list := range roots {
		at := offset(p.X+int32(k/s.L), p.Z+int32(k%s.L))
		shift := at - offset(p.X, p.Z)
		for _, r := range list {
			low := (((uint64(r)+shift)^scramble)*multiplier + increment) & lowMask
			for h := uint64(1<<30 - 4); h < 1<<30; h++ {
				state := h<<lowBits | low
				seed := (stateBefore(state) ^ scramble - at) & mask48
				if all, redrawn := Check(seed, p, s); all && redrawn {
					hits = append(hits, Hit{index, seed})
				}
			}
		}
	}
	return hits
}

// stateBefore undoes one step of the generator.
func stateBefore(state uint64) uint64 { return (state - increment) * inverseMultiplier & mask48 }

const inverseMultiplier = 0xDFE05BCB1365 // 1/multiplier mod 2^48
