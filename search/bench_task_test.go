package search

import (
	"fmt"
	"testing"
)

// BenchmarkTask times one task of the known class on one core, by filter: none, groups of 16, and sieves that start with larger groups.
func BenchmarkTask(b *testing.B) {
	c := headline.ClassOf(Pos{51069, 419124})
	p := &plan{shape: headline, positions: headline.Members(c)}
	roots := headline.Roots(c)
	for _, f := range []filter{{}, {true, 13}, {true, 12}, {true, 11}, {true, 10}, {true, 8}} {
		b.Run(fmt.Sprintf("grouped=%t,start=%d", f.grouped, f.start), func(b *testing.B) {
			p.filter = f
			var sv sieve
			i := uint32(0)
			for b.Loop() {
				sv.search(nil, p, Task{i * 17 % uint32(len(p.positions)), roots[i%uint32(len(roots))]})
				i++
			}
		})
	}
}

// BenchmarkRoots times the roots of a class, alone and with the x residue of the one before.
func BenchmarkRoots(b *testing.B) {
	for _, shared := range []bool{false, true} {
		b.Run(fmt.Sprintf("shared=%t", shared), func(b *testing.B) {
			f := rootFinder{shape: headline, even: evenStates()}
			z := uint32(0)
			for b.Loop() {
				f.ready = f.ready && shared
				f.append(nil, Class{77, z & (1<<17 - 1)})
				z += 12345
			}
		})
	}
}

// BenchmarkByClass times classing of the batch of 512 classes x 64.
func BenchmarkByClass(b *testing.B) {
	in := BenchBatches(headline, 1)[2].Positions
	var c classSorter
	for b.Loop() {
		c.byClass(headline, in)
	}
}
