package vk

import "fmt"

// Band is a run of rows that one buffer and one binding hold.
type Band struct{ Row, Rows int }

// MaxBinding is the largest buffer that can be allocated and bound as a whole, in bytes.
func (l Limits) MaxBinding() uint64 {
	if l.MaxMemoryAllocationSize == 0 {
		return l.MaxStorageBufferRange
	}
	return min(l.MaxStorageBufferRange, l.MaxMemoryAllocationSize)
}

// Bands cuts rows of rowBytes each into runs of at most maxBytes, so that a frame larger than maxStorageBufferRange is
// bound piece by piece. Runs are as long as they may be and a multiple of align rows; the last one is what is left.
func Bands(rows, align int, rowBytes, maxBytes uint64) ([]Band, error) {
	per := rows
	if fit := maxBytes / rowBytes; fit < uint64(rows) {
		per = int(fit) / align * align
	}
	if per == 0 {
		return nil, fmt.Errorf("bands: %d rows of %d bytes exceed the %d that one binding holds", min(rows, align), rowBytes, maxBytes)
	}
	var out []Band
	for row := 0; row < rows; row += per {
		out = append(out, Band{row, min(per, rows-row)})
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
