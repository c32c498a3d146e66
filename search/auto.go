package search

// sieveStart is the level at which mode 4 starts (groups of 2^(17-sieveStart)).
const sieveStart = 11

func autoMode(positions, classes int) Mode {
	if positions > classes {
		return RootedSieve
	}
	return PerPositionGroups
}
