// Package votable is being written.
package votable

import (
	"bufio"

	"grsplat/render/catalog/table"
	"grsplat/render/fail"
)

// Open refuses.
func Open(*bufio.Reader) (table.Reader, error) {
	return nil, fail.Input("votable files are not read yet")
}
