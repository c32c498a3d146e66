package catalog

import (
	"bytes"
	_ "embed"
)

//go:embed bright.csv
var brightStars []byte

// BrightAttribution is the notice that travels with the embedded catalogue.
//
//go:embed bright-attribution.txt
var BrightAttribution string

// EmbeddedName is the embedded catalogue's name in messages and reports.
const EmbeddedName = "embedded:bright.csv"

// Embedded returns the sky that is part of the program: 8,874 stars with V <= 6.5. Options that it cannot satisfy, such as
// another band, are an error of Read.
func Embedded(opt Options) Source {
	f := memoryFile(EmbeddedName, brightStars, opt)
	f.broken = f.prepare(false)
	return f
}

// memoryFile is a file whose bytes are data.
func memoryFile(name string, data []byte, opt Options) *file {
	return &file{path: name, opt: opt, open: func() (*opened, error) {
		s, err := newStream(bytes.NewReader(data), nil)
		return openStreamed(s, err, opt)
	}}
}
