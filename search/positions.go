package search

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"grsplat/render/fail"
)

// MaxListed bounds a positions file, which is held in memory.
const MaxListed = 100_000_000

// ReadPositions reads lines "x,z" of decimal 32-bit integers. Blank lines, lines that start with #, and a header "x,z" are
// passed over, and so is the byte-order mark of a spreadsheet; anything else is an error that names the line, and so is a file
// without a position.
func ReadPositions(r io.Reader) ([]Pos, error) {
	var out []Pos
	lines := bufio.NewScanner(r)
	n := 1
	for ; lines.Scan(); n++ {
		text := lines.Text()
		if n == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		text = strings.TrimSpace(text)
		if text == "" || text[0] == '#' || len(out) == 0 && strings.ReplaceAll(text, " ", "") == "x,z" {
			continue
		}
		p, err := parsePosition(text)
		if err != nil {
			return nil, fail.Input("positions: line %d: %w", n, err)
		}
		if len(out) == MaxListed {
			return nil, fail.Input("positions: line %d: more than %d positions", n, MaxListed)
		}
		out = append(out, p)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, fail.Input("positions: line %d: longer than 64 KiB", n)
	}
	if err := lines.Err(); err != nil {
		return nil, fail.Input("positions: line %d: %w", n, err)
	}
	if len(out) == 0 {
		return nil, fail.Input("positions: none in %d lines; want lines x,z", n-1)
	}
	return out, nil
}

// ReadPositionsFile reads a positions file.
func ReadPositionsFile(path string) ([]Pos, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fail.Input("positions: %w", err)
	}
	defer f.Close()
	list, err := ReadPositions(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

func parsePosition(text string) (Pos, error) {
	x, z, found := strings.Cut(text, ",")
	if !found {
		return Pos{}, errors.New("want x,z")
	}
	px, errX := strconv.ParseInt(strings.TrimSpace(x), 10, 32)
	pz, errZ := strconv.ParseInt(strings.TrimSpace(z), 10, 32)
	if err := errors.Join(errX, errZ); err != nil {
		return Pos{}, errors.New("x and z must be integers of 32 bits")
	}
	return Pos{int32(px), int32(pz)}, nil
}
