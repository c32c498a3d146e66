// Package baseline holds the stamp loop as a careful C programmer writes it, which the CPU sink is measured against.
package baseline

import _ "embed"

// Source is the C program; its head says how to build and call it.
//
//go:embed c/psf_c.c
var Source []byte
