package table

import (
	"bytes"
	"math"
	"strconv"
	"unsafe"
)

var missing = math.NaN()

// Missing is the value of a cell that holds none.
func Missing() float64 { return missing }

// powers of ten that float64 holds exactly.
var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
	1e19, 1e20, 1e21, 1e22}

// Parse reads a cell of the given kind. Missing values give NaN; ok is false for a cell that is not a number.
func Parse(cell []byte, kind Kind) (v float64, ok bool) {
	v, ok = ParseNumber(cell)
	if !ok && (kind == RightAscension || kind == Declination) {
		return parseSexagesimal(cell, kind)
	}
	return v, ok
}

// ParseNumber reads a decimal number, rounded to nearest, or one of the spellings of a missing value. A number with
// at most 15 significant digits and a small exponent takes Clinger's exact path (1990, PLDI: both the digits and the power of ten are
// exact in float64, so that one rounding remains); others go to strconv.
func ParseNumber(cell []byte) (v float64, ok bool) {
	cell = trim(cell)
	if len(cell) == 0 {
		return missing, true
	}
	i, negative := 0, false
	if cell[0] == '-' || cell[0] == '+' {
		negative = cell[0] == '-'
		i++
	}
	var mantissa uint64
	digits, exponent, point := 0, 0, false
	for ; i < len(cell); i++ {
		c := cell[i]
		if d := c - '0'; d <= 9 {
			if digits > 18 {
				return parseSlow(cell)
			}
			mantissa = mantissa*10 + uint64(d)
			digits++
			if point {
				exponent--
			}
			continue
		}
		if c != '.' || point {
			return parseSlow(cell)
		}
		point = true
	}
	if digits == 0 || mantissa > 1<<53 || exponent < -22 {
		return parseSlow(cell)
	}
	v = float64(mantissa) / pow10[-exponent]
	if negative {
		v = -v
	}
	return v, true
}

// parseSlow reads what the fast path does not: exponents (also Fortran's D), many digits, missing values.
func parseSlow(cell []byte) (float64, bool) {
	if isMissing(cell) {
		return missing, true
	}
	if len(cell) > 64 || bytes.IndexByte(cell, '_') >= 0 || bytes.ContainsAny(cell, "xXpP") {
		return missing, false
	}
	var copied [64]byte
	text := copied[:copy(copied[:], cell)]
	if last := text[len(text)-1]; last >= '0' && last <= '9' {
		for i, c := range text {
			if c == 'D' || c == 'd' {
				text[i] = 'e'
			}
		}
	}
	// The string lives only for the call: strconv keeps it in errors alone, which are dropped here.
	v, err := strconv.ParseFloat(unsafe.String(&text[0], len(text)), 64)
	if err != nil && !math.IsInf(v, 0) {
		return missing, false
	}
	return v, true
}

// isMissing tells the spellings of a missing value that tables use.
func isMissing(cell []byte) bool {
	switch cell[0] {
	case '-', '~', '*':
		return len(bytes.Trim(cell, "-~*")) == 0
	case '\\':
		return string(cell) == `\N`
	}
	if len(cell) > 6 {
		return false
	}
	var lower [6]byte
	for i, c := range cell {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	switch string(lower[:len(cell)]) {
	case "nan", "null", "none", "n/a", "na", "masked":
		return true
	}
	return false
}

// parseSexagesimal reads 12h34m56.7s, 12:34:56.7, 12 34 56.7 and -01d02m03s, in degrees. A right ascension is in hours
// unless it says d.
func parseSexagesimal(cell []byte, kind Kind) (float64, bool) {
	cell = trim(cell)
	sign := 1.0
	if len(cell) > 0 && (cell[0] == '-' || cell[0] == '+') {
		if cell[0] == '-' {
			sign = -1
		}
		cell = trim(cell[1:])
	}
	degrees := kind == Declination || bytes.IndexByte(cell, 'd') >= 0
	if bytes.IndexByte(cell, 'h') >= 0 && kind == Declination {
		return missing, false
	}
	parts := bytes.FieldsFunc(cell, func(r rune) bool {
		return r == ':' || r == ' ' || r == 'h' || r == 'd' || r == 'm' || r == 's' || r == '\'' || r == '"' || r == '°'
	})
	if len(parts) < 2 || len(parts) > 3 {
		return missing, false
	}
	value, unit := 0.0, 1.0
	for k, part := range parts {
		v, ok := ParseNumber(part)
		if !ok || !(v >= 0) || k > 0 && v >= 60.0001 || math.IsInf(v, 0) {
			return missing, false
		}
		value += v * unit
		unit /= 60
	}
	if !degrees {
		value *= 15
	}
	return sign * value, true
}

// trim cuts spaces, tabs and NULs, with which FITS and VOTable pad strings.
func trim(cell []byte) []byte {
	for len(cell) > 0 && isPad(cell[0]) {
		cell = cell[1:]
	}
	for len(cell) > 0 && isPad(cell[len(cell)-1]) {
		cell = cell[:len(cell)-1]
	}
	return cell
}

func isPad(c byte) bool { return c == ' ' || c == '\t' || c == 0 || c == '\r' || c == '\n' }
