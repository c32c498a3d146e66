// Package search finds the 48-bit Java world seeds for which a K x L rectangle of chunks at a given corner is all slime
// chunks, for very many corners. Corners fall into residue classes; the expensive first step, the list of low-18-bit
// roots of a class, is done once per class, and only classes that have a root are expanded into tasks.
//
// The walk: java.go is the generator that defines a hit. class.go derives the classes, roots.go lists their roots,
// terms.go and sieve.go search one task (position, root), interval.go solves for its top 13 bits. batch.go puts one batch
// together for any engine; cpu.go is the reference engine, vulkan.go the device. scan.go runs jobs of many batches with a
// journal, bench.go and estimate.go measure.
//
// Notation follows docs/slimescan.md: s0 = (seed + F(x,z)) mod 2^48 = r + 2^18 m + 2^35 t, r the root, m 17 bits, t 13 bits.
package search
