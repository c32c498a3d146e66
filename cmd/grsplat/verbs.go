package main

// verbs in the order of the help text, which is the order in which a new user meets them.
var verbs = []verb{
	renderVerb,
	lensVerb,
	catalogVerb,
	replayVerb,
	probeVerb,
	benchVerb,
	compareVerb,
	versionVerb,
	probeChildVerb,
}
