package vk

import "fmt"

// Band is a run of rows that one binding holds; Offset and Bytes place it in a buffer made of all bands.
type Band struct {
	Row, Rows     int
	Offset, Bytes uint64
}

// Bands cuts rows of rowBytes each into runs of at most maxRange bytes whose offsets are multiples of align, so that a
// frame larger than maxStorageBufferRange is bound piece by piece. Runs are as long as they may be; the last is shorter.
func Bands(rows int, rowBytes, maxRange, align uint64) ([]Band, error) {
	if rowBytes == 0 || rowBytes > maxRange {
		return nil, fmt.Errorf("bands: a row of %d bytes, the device binds %d", rowBytes, maxRange)
	}
	per := int(min(maxRange/rowBytes, uint64(rows)))
	var out []Band
	var at uint64
	for row := 0; row < rows; row += per {
		n := min(per, rows-row)
		out = append(out, Band{Row: row, Rows: n, Offset: at, Bytes: uint64(n) * rowBytes})
		at += uint64(n) * rowBytes
		if align > 1 {
			at = (at + align - 1) / align * align
		}
	}
	return out, nil
}

// Grid spreads n work groups over x and y within the device's counts. The grid may be larger than n by less than one row,
// so a shader takes y*gl_NumWorkGroups.x + x as its number and leaves when that is n or more.
func (d *Device) Grid(n uint64) (x, y uint32, err error) {
	limit := d.info.Limits.MaxComputeWorkGroupCount
	rows := (n + uint64(limit[0]) - 1) / uint64(limit[0])
	if n == 0 || rows > uint64(limit[1]) {
		return 0, 0, fmt.Errorf("grid: %d groups, the device allows 1 to %d", n, uint64(limit[0])*uint64(limit[1]))
	}
	return uint32((n + rows - 1) / rows), uint32(rows), nil
}
