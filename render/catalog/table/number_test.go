package table

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// Every number comes out as strconv rounds it.
func FuzzParseNumber(f *testing.F) {
	for _, s := range []string{"1", "-0.5", "9007199254740993", "1e22", "123456789012345678901", "0.1234567890123456789", "1D-3", "nan", "-inf", " 7 ", "\\N", "--", "1_0", "0x1p2", "4.9e-324", "1e400"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, ok := ParseNumber([]byte(s))
		if !ok || math.IsNaN(v) {
			return
		}
		text := strings.NewReplacer("D", "e", "d", "e").Replace(strings.Trim(s, " \t\x00\r\n"))
		want, err := strconv.ParseFloat(text, 64)
		if err != nil && !math.IsInf(want, 0) && !math.IsInf(v, 0) {
			t.Fatalf("%q: %g, strconv says %v", s, v, err)
		}
		if math.Float64bits(v) != math.Float64bits(want) {
			t.Fatalf("%q: %b, want %b", s, v, want)
		}
	})
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "  ", "NaN", "null", "NULL", `\N`, "N/A", "none", "--", "---", "~", "masked"} {
		if v, ok := ParseNumber([]byte(s)); !ok || !math.IsNaN(v) {
			t.Errorf("%q: %g, %v; want missing", s, v, ok)
		}
	}
	for _, s := range []string{"abc", "1.2.3", "1e", "0x10", "1_000", "+-1", ".", "1,5", strings.Repeat("9", 70)} {
		if v, ok := ParseNumber([]byte(s)); ok {
			t.Errorf("%q: %g; want an error", s, v)
		}
	}
}
