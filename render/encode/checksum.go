package encode

import (
	"encoding/binary"
	"strconv"
	"strings"

	"codeberg.org/astrogo/fitsio"
)

// blockSize is the unit of a FITS file in bytes.
const blockSize = 2880

// onesSum adds data, read as big-endian 32-bit words with zeros after its end, to sum in ones' complement arithmetic (FITS
// standard 4.0, appendix J.1).
func onesSum(sum uint32, data []byte) uint32 {
	total := uint64(sum)
	for len(data) >= 4 {
		total += uint64(binary.BigEndian.Uint32(data))
		data = data[4:]
		if total >= 1<<62 {
			total = total>>32 + total&0xffffffff
		}
	}
	var tail [4]byte
	copy(tail[:], data)
	total += uint64(binary.BigEndian.Uint32(tail[:]))
	for total > 0xffffffff {
		total = total>>32 + total&0xffffffff
	}
	return uint32(total)
}

// encodeSum writes the complement of a sum as the 16 characters of CHECKSUM, which make the sum of the whole HDU minus zero
// (FITS standard 4.0, appendix J.2). Only letters and digits are used, and the string is rotated by one because its card
// places it one byte off a word.
func encodeSum(sum uint32) string {
	var out [16]byte
	value := ^sum
	for i := range 4 {
		b := byte(value >> (24 - 8*i))
		var ch [4]byte
		for j := range ch {
			ch[j] = b/4 + '0'
		}
		ch[0] += b % 4
		for clash := true; clash; {
			clash = false
			for j := 0; j < 4; j += 2 {
				if punctuation(ch[j]) || punctuation(ch[j+1]) {
					ch[j]++
					ch[j+1]--
					clash = true
				}
			}
		}
		for j := range ch {
			out[(4*j+i+1)%16] = ch[j]
		}
	}
	return string(out[:])
}

func punctuation(c byte) bool { return c >= 0x3a && c <= 0x40 || c >= 0x5b && c <= 0x60 }

// seal sets DATASUM and CHECKSUM of a finished header for the given data.
func seal(header *fitsio.Header, data []byte) {
	dataSum := onesSum(0, data)
	header.Set("DATASUM", strconv.FormatUint(uint64(dataSum), 10), "sum of the data")
	// The cards' own text, with CHECKSUM still all zeros, END, and blanks up to the block, as the encoder writes them.
	text := header.Text() + "END"
	text += strings.Repeat(" ", (blockSize-len(text)%blockSize)%blockSize)
	header.Set("CHECKSUM", encodeSum(onesSum(dataSum, []byte(text))), "of header and data")
}
