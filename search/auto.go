package search

// sieveStart is the level at which mode 4 starts on the CPU, groups of 64; the fastest of 7 to 13 in BenchmarkTask. The
// device kernel starts at 12.
const sieveStart = 11

// reuseShare is the share of positions in classes seen before from which class reuse is taken. Sorting costs 15 ns a position
// (BenchmarkByClass), listing roots 80 us a class on a CPU core (BenchmarkRoots) and a fraction of that on a GPU;
// with few repeats there is little to win, and with none the sort is lost.
const reuseShare = 1.0 / 8

// autoMode takes RootedSieve where positions repeat classes, else PerPositionGroups. It counts repeats in a table of 2^20
// bits, a few ns a position; 65,536 scattered positions collide in it by chance for 3 in 100.
func (s Shape) autoMode(in []Pos) Mode {
	const tableBits = 20
	seen := make([]uint64, 1<<tableBits/64)
	repeats := 0
	mx, mz := s.Moduli()
	for _, p := range in {
		class := uint64(uint32(p.X)&(mx-1))*uint64(mz) + uint64(uint32(p.Z)&(mz-1))
		hash := class * 0x9E3779B97F4A7C15 >> (64 - tableBits) // Fibonacci hashing: the top bits of class times 2^64/phi
		repeats += int(seen[hash>>6] >> (hash & 63) & 1)
		seen[hash>>6] |= 1 << (hash & 63)
	}
	if float64(repeats) >= reuseShare*float64(len(in)) {
		return RootedSieve
	}
	return PerPositionGroups
}
