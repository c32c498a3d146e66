// Package fits is being written.
package fits

import (
	"bufio"

	"grsplat/render/catalog/table"
	"grsplat/render/fail"
)

// Open refuses.
func Open(*bufio.Reader) (table.Reader, error) { return nil, fail.Input("fits files are not read yet") }
