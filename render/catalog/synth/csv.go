package synth

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"

	"grsplat/render/catalog/table"
	"grsplat/render/fail"
)

// WriteCSV writes n stars as CSV with the columns ra, dec, j_m, k_m.
func WriteCSV(ctx context.Context, w io.Writer, n int64, seed uint64) error {
	r := New(n, seed)
	out := bufio.NewWriterSize(w, 1<<16)
	line := []byte("ra,dec,j_m,k_m\n")
	want := make([]table.Want, len(columns))
	digits := [...]int{6, 6, 3, 3}
	for i := range want {
		want[i] = table.Want{Column: i}
	}
	var raw table.Raw
	var b table.Block
	for {
		if _, err := out.Write(line); err != nil {
			return fail.Input("synth: write: %w", err)
		}
		line = line[:0]
		err := r.Next(&raw)
		if errors.Is(err, io.EOF) {
			break
		}
		if err = errors.Join(err, ctx.Err(), r.Decode(&raw, want, &b)); err != nil {
			return err
		}
		for i := range b.Rows {
			for k := range want {
				line = strconv.AppendFloat(line, b.Num[k][i], 'f', digits[k], 64)
				line = append(line, ",,,\n"[k])
			}
		}
	}
	if err := out.Flush(); err != nil {
		return fail.Input("synth: write: %w", err)
	}
	return nil
}
