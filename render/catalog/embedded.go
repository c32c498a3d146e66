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

// Embedded returns the sky that is part of the program: 8,874 stars with V <= 6.5.
func Embedded(opt Options) (Source, error) { return fromBytes(EmbeddedName, brightStars, opt) }

// fromBytes is Open for a file in memory.
func fromBytes(name string, data []byte, opt Options) (Source, error) {
	band, err := bandOption(opt)
	if err != nil {
		return nil, err
	}
	opt.Band = band
	f := &file{path: name, opt: opt, open: func() (*stream, error) { return newStream(bytes.NewReader(data), nil) }}
	if err := f.prepare(false); err != nil {
		return nil, err
	}
	return f, nil
}
