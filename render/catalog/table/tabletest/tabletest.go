// Package tabletest holds what the tests of all readers of catalogue formats share.
package tabletest

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"grsplat/render/catalog/table"
	"grsplat/render/fail"
)

// maxRows bounds what one input may claim; every format needs at least a byte of file, compressed or repeated, for a few rows.
const maxRows = 1 << 22

// Drain reads a table to its end, every column both as a number and as text, and checks what a reader promises: blocks whose
// columns are as long as their rows, lines that ascend, and an end or an error of status 3.
func Drain(t testing.TB, r table.Reader) (rows int64) {
	t.Helper()
	var want []table.Want
	for i := range r.Info().Columns {
		want = append(want, table.Want{Column: i, Kind: table.Kind(i % 3)}, table.Want{Column: i, Kind: table.Text})
		if i == 20 {
			break
		}
	}
	if s, ok := r.(table.Selector); ok {
		s.Select(want)
	}
	var raw table.Raw
	var b table.Block
	for line := int64(0); rows < maxRows; {
		err := r.Next(&raw)
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err == nil {
			err = r.Decode(&raw, want, &b)
		}
		if err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) || fail.Status(err) == fail.StatusInput {
				return rows
			}
			t.Fatalf("an error that is not the file's: %v", err)
		}
		check(t, &b, want)
		for _, n := range b.Line {
			if n <= line {
				t.Fatalf("line %d after line %d", n, line)
			}
			line = n
		}
		rows += int64(b.Rows)
	}
	return rows
}

func check(t testing.TB, b *table.Block, want []table.Want) {
	t.Helper()
	if len(b.Line) != b.Rows || len(b.Fault) != b.Rows {
		t.Fatalf("%d rows, %d lines, %d faults", b.Rows, len(b.Line), len(b.Fault))
	}
	for k, w := range want {
		numbers, texts := len(b.Num[k]), len(b.Text[k])
		if w.Kind == table.Text && texts != b.Rows || w.Kind != table.Text && numbers != b.Rows {
			t.Fatalf("%d rows, want %d has %d numbers and %d texts", b.Rows, k, numbers, texts)
		}
	}
}

// Seed adds the odd files that match a pattern, and their first halves, to a fuzz target.
func Seed(f *testing.F, dir, pattern string) {
	f.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(paths) == 0 {
		f.Fatalf("%s: no files, %v", pattern, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 16<<10 {
			f.Add(data)
			f.Add(data[:len(data)/2])
		}
	}
}
